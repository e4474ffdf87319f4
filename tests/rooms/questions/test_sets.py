"""Stored sets as a source of questions: whose they are, and what a seed draws."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from rooms.core.questions import Question, SetSource
from rooms.questions import models, pictures, sets, sources, storing
from rooms.questions.drafts import Draft, Option
from rooms.questions.importers import Imported, Report
from rooms.questions.models import QuestionSet
from tests.rooms.questions.kit import picture_file

pytestmark = pytest.mark.django_db


def made(*found: Draft, owner: Any = None, public: bool = True) -> QuestionSet:
    """A set of these questions."""
    imported = Imported(found, Report("halyard", "question"))
    question_set, _changes = storing.save(imported, storing.Target(owner, "Set"))
    QuestionSet.objects.filter(pk=question_set.pk).update(public=public)
    return question_set


def draft(number: int, letters: str = "abcdef") -> Draft:
    """A question whose first option is right."""
    options = tuple(Option(letter, letter == letters[0]) for letter in letters)
    return Draft(f"Question {number}?", options, key=f"k{number}")


def right(question: Question) -> set[str]:
    return {choice.text for choice in question.choices if choice.id in question.correct}


class Draws(TestCase):
    @given(st.integers(0, 2**63 - 1), st.integers(0, 12))
    def test_the_same_seed_draws_the_same_game(self, seed: int, count: int) -> None:
        """So that a stored game can be drawn again; no question twice, all there are if fewer."""
        set_id = made(*map(draft, range(8))).public_id
        drawn = sets.draw(set_id, count, seed)
        assert drawn == sets.draw(set_id, count, seed)
        assert len({question.prompt for question in drawn}) == len(drawn) == min(count, 8)
        assert all(right(question) == {"a"} for question in drawn)


def test_questions_and_options_come_in_drawn_orders() -> None:
    """And with ids that tell nothing: neither the set nor the place."""
    set_id = made(*map(draft, range(8))).public_id
    games = [sets.draw(set_id, 8, seed) for seed in range(40)]
    assert len({tuple(question.prompt for question in game) for game in games}) > 30
    orders = {"".join(choice.text for choice in question.choices) for game in games for question in game}
    assert len(orders) > 100
    ids = [choice.id for game in games for question in game for choice in question.choices]
    assert len(set(ids)) == len(ids)


def test_true_stands_before_false() -> None:
    """Whoever looks for the button finds it where it was."""
    truth = Draft("Is it?", (Option("True"), Option("False", True)), "boolean", key="t")
    set_id = made(truth).public_id
    for seed in range(10):
        (question,) = sets.draw(set_id, 1, seed)
        assert [choice.text for choice in question.choices] == ["True", "False"]
        assert right(question) == {"False"}


def test_a_question_brings_all_it_has() -> None:
    picture = pictures.encoded(picture_file(), "a square")
    options = (Option("a < b", True), Option("&lt;", True), Option("c"))
    full = Draft("Which?", options, "multiple", 25, 1.5, "Because", picture, "k")
    question_set = made(full)
    (question,) = sources.draw(SetSource(question_set.public_id), 5, 1)
    address = models.Picture.objects.get().get_absolute_url()
    assert question.media is not None
    assert (question.media.url, question.media.alt) == (address, "a square")  # type: ignore[union-attr]
    assert (question.prompt, question.multiple, question.time_limit_s) == ("Which?", True, 25)
    assert (question.weight, question.explanation) == (1.5, "Because")
    assert right(question) == {"a < b", "&lt;"}


def test_a_set_that_is_gone_or_empty_draws_nothing() -> None:
    assert sets.draw("gone", 5, 1) == ()
    assert sets.draw(made().public_id, 5, 1) == ()


def test_a_question_that_was_broken_in_the_database_is_left_out() -> None:
    """Nothing right, too few to choose from, or more than an answer may hold."""
    question_set = made(*map(draft, range(4)))
    first, second, third, fourth = question_set.questions.all()
    first.choices.filter(correct=True).delete()
    second.choices.filter(correct=False).delete()
    for number in range(11):
        models.Choice.objects.create(question=third, text=str(number))
    assert [question.prompt for question in sets.draw(question_set.public_id, 5, 1)] == [fourth.prompt]


def test_a_draw_takes_few_queries_however_long_the_set(django_assert_max_num_queries: Any) -> None:
    set_id = made(*map(draft, range(60))).public_id
    with django_assert_max_num_queries(3):
        assert len(sets.draw(set_id, 50, 1)) == 50


def test_a_set_is_played_by_its_owner_and_if_public_by_everybody() -> None:
    """A session looks nothing like an owner; a set that may not be played is as good as gone."""
    owner, other = (get_user_model().objects.create_user(name) for name in ("owner", "other"))
    private = made(draft(1), owner=owner, public=False).public_id
    public = made(draft(1), owner=owner).public_id
    own, others = f"user:{owner.pk}", f"user:{other.pk}"
    assert [sets.may_play(private, account) for account in (own, others, f"session:{owner.pk}", "")] == [
        True,
        False,
        False,
        False,
    ]
    assert all(sets.may_play(public, account) for account in (own, others, "session:x"))
    assert not sets.may_play("gone", own)
