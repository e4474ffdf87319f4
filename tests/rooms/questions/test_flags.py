"""How flag questions are drawn: what a seed decides, who is asked, and which options may stand together."""

import re
from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.core.questions import Difficulty, FlagSource, Question, Region, Svg
from rooms.questions.flags import OPTIONS, PROMPT, asked, atlas, draw

REGIONS = get_args(Region)
DIFFICULTIES = get_args(Difficulty)
EVERY_SOURCE = [FlagSource(region, difficulty) for region in REGIONS for difficulty in DIFFICULTIES]

sources = st.sampled_from(EVERY_SOURCE)
seeds = st.integers(0, 2**63 - 1)
counts = st.integers(0, 12)


def answer_of(question: Question) -> str:
    """The code of the country whose flag is shown."""
    (code,) = [choice.country for choice in question.choices if choice.id in question.correct]
    assert code is not None
    return code


def offered_in(question: Question) -> list[str]:
    return [choice.country or "" for choice in question.choices]


@given(sources, counts, seeds)
def test_a_seed_draws_the_same_game_again(source: FlagSource, count: int, seed: int) -> None:
    """Source, count and seed decide everything: a stored game can be replayed and audited (spec 2.5)."""
    assert draw(source, count, seed) == draw(source, count, seed)


def test_a_known_seed_still_draws_the_game_it_drew_when_this_test_was_written() -> None:
    """A change of the drawing or of the data changes what stored seeds replay: that must be noticed."""
    drawn = draw(FlagSource(), 3, seed=1)
    assert [(answer_of(question), offered_in(question)) for question in drawn] == GAME_OF_SEED_1


def test_another_seed_draws_another_game() -> None:
    """Two rooms do not play the same quiz."""
    one, other = (draw(FlagSource(), 10, seed) for seed in (1, 2))
    assert [answer_of(question) for question in one] != [answer_of(question) for question in other]


@given(sources, counts, seeds)
def test_no_country_is_asked_twice_in_a_game(source: FlagSource, count: int, seed: int) -> None:
    """Whoever has seen a flag's answer has no use for it again."""
    answers = [answer_of(question) for question in draw(source, count, seed)]
    assert len(set(answers)) == len(answers)
    assert len(answers) == min(count, len(asked(source)))


@pytest.mark.parametrize("source", EVERY_SOURCE, ids=str)
def test_more_questions_than_countries_are_all_the_countries(source: FlagSource) -> None:
    """A count above the pool is no error: everything is asked once."""
    answers = [answer_of(question) for question in draw(source, 1000, seed=7)]
    assert sorted(answers) == [country.code for country in asked(source)]


@pytest.mark.parametrize("source", EVERY_SOURCE, ids=str)
def test_every_country_of_every_source_finds_three_others_to_stand_beside(source: FlagSource) -> None:
    """Look-alikes bar some options, but never so many that fewer than four are left."""
    for seed in range(5):
        assert {len(question.choices) for question in draw(source, 1000, seed)} == {OPTIONS}


@given(sources, counts, seeds)
def test_four_different_countries_are_offered_and_one_is_right(
    source: FlagSource, count: int, seed: int
) -> None:
    """The right one is among them, once, and it is the one whose flag is shown."""
    for question in draw(source, count, seed):
        offered = offered_in(question)
        assert len(set(offered)) == OPTIONS == 4
        assert question.media == Svg(atlas().flags[answer_of(question)])
        assert not question.multiple


@given(sources, counts, seeds)
def test_two_flags_that_cannot_be_told_apart_are_never_offered_together(
    source: FlagSource, count: int, seed: int
) -> None:
    """Not the right one and another, nor two wrong ones: each option can be ruled out by its own flag."""
    for question in draw(source, count, seed):
        offered = offered_in(question)
        assert all(atlas().look_alikes[code].isdisjoint(offered) for code in offered)


@given(st.sampled_from(REGIONS), counts, seeds)
def test_hard_questions_offer_neighbours(region: Region, count: int, seed: int) -> None:
    """In `hard` all four options are of one region, even when the whole world is asked about (spec 2.5)."""
    region_of = {country.code: country.region for country in atlas().countries}
    for question in draw(FlagSource(region, "hard"), count, seed):
        assert len({region_of[code] for code in offered_in(question)}) == 1


@given(sources, counts, seeds)
def test_options_are_of_the_region_and_no_harder_than_asked_for(
    source: FlagSource, count: int, seed: int
) -> None:
    """What is offered could have been asked: an option never gives itself away by not belonging."""
    pool = {country.code for country in asked(source)}
    for question in draw(source, count, seed):
        assert pool.issuperset(offered_in(question))


@pytest.mark.parametrize("source", [one for one in EVERY_SOURCE if one.region != "world"], ids=str)
def test_a_region_asks_about_its_own_countries(source: FlagSource) -> None:
    """A quiz on Africa shows no flag from elsewhere; only `world` mixes regions."""
    assert {country.region for country in asked(source)} == {source.region}


def test_each_difficulty_asks_more_than_the_easier_one() -> None:
    """Easy is a part of medium, medium of hard, in every region."""
    for region in REGIONS:
        easy, medium, hard = (set(asked(FlagSource(region, difficulty))) for difficulty in DIFFICULTIES)
        assert easy < medium < hard


def test_the_right_answer_stands_in_every_place_about_as_often() -> None:
    """Always tapping the same corner wins a quarter of the points, no more."""
    drawn = [question for seed in range(10) for question in draw(FlagSource(), 100, seed)]
    places = Counter(offered_in(question).index(answer_of(question)) for question in drawn)
    assert set(places) == {0, 1, 2, 3}
    assert all(200 < count < 300 for count in places.values())


@given(sources, counts, seeds)
def test_ids_are_short_random_and_never_used_twice(source: FlagSource, count: int, seed: int) -> None:
    """An id says nothing about its option, can stand in a URL, and means one thing in a game."""
    drawn = draw(source, count, seed)
    ids = [question.id for question in drawn]
    ids += [choice.id for question in drawn for choice in question.choices]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{8}", one) for one in ids)


def test_a_country_has_another_id_in_each_question() -> None:
    """Who notes that an id was right once learns nothing for the next question (spec 2.5)."""
    drawn = draw(FlagSource("oceania", "easy"), 10, seed=3)
    ids = {(choice.country, choice.id) for question in drawn for choice in question.choices}
    assert len(ids) == OPTIONS * len(drawn)


def test_a_question_is_worded_and_its_options_are_named_in_english_with_codes() -> None:
    """Pages show names in the player's own language by code; the text is what they fall back to."""
    names = {country.code: country.name for country in atlas().countries}
    assert PROMPT == "Which country\N{RIGHT SINGLE QUOTATION MARK}s flag is this?"
    for question in draw(FlagSource(), 5, seed=5):
        assert question.prompt == PROMPT
        assert [choice.text for choice in question.choices] == [names[code] for code in offered_in(question)]


# What seed 1 draws of the whole world, medium: answers and their options in order.
GAME_OF_SEED_1 = [
    ("CL", ["BG", "GN", "CL", "CF"]),
    ("QA", ["LR", "SY", "QA", "AR"]),
    ("ZW", ["BS", "FJ", "ZW", "GE"]),
]
