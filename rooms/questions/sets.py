"""Stored question sets as a source of questions: who may play one, and the draw from a seed.

Asks the database, so it is called off the loop (``rooms.aside``). How sets are edited and imported is
elsewhere: ``rooms.questions.admin``, ``rooms.questions.storing``.
"""

from random import Random

from django.db.models import Q, QuerySet

from rooms.core.questions import Choice, Image, Question
from rooms.questions import models
from rooms.questions.drafts import MAX_OPTIONS, MIN_OPTIONS
from rooms.questions.drawing import random_id
from rooms.questions.models import QuestionSet
from rooms.records import USER_ACCOUNT


def may_play(set_id: str, account: str) -> bool:
    """Whether there is such a set and the account may play it."""
    return playable(account).filter(public_id=set_id).exists()


def playable(account: str) -> QuerySet[QuestionSet]:
    """The sets that are public or the account's own (spec 2.1)."""
    return QuestionSet.objects.filter(Q(public=True) | Q(owner_id=owner_of(account)))


def owner_of(account: str) -> str | None:
    """The primary key of the user who is signed in as ``account``; an anonymous session owns no set."""
    return account.removeprefix(USER_ACCOUNT) if account.startswith(USER_ACCOUNT) else None


def draw(set_id: str, count: int, seed: int) -> tuple[Question, ...]:
    """Up to ``count`` questions of the set in an order drawn from ``seed``; empty if it is gone.

    The same set and seed give the same game. True comes before False, other options are in drawn order.
    """
    rng = Random(seed)
    keys = list(models.Question.objects.filter(question_set__public_id=set_id).values_list("pk", flat=True))
    chosen = rng.sample(keys, min(count, len(keys)))
    rows = models.Question.objects.select_related("picture").defer("picture__data")
    found = rows.prefetch_related("choices").in_bulk(chosen)
    # A question that was broken by hand, in the database or by another program, is left out.
    return tuple(_question(found[key], rng) for key in chosen if key in found and _is_playable(found[key]))


def _is_playable(row: models.Question) -> bool:
    choices = row.choices.all()
    return MIN_OPTIONS <= len(choices) <= MAX_OPTIONS and any(choice.correct for choice in choices)


def _question(row: models.Question, rng: Random) -> Question:
    rows = list(row.choices.all())
    if row.kind != models.Question.Kind.BOOLEAN:
        rng.shuffle(rows)
    choices = [(Choice(random_id(rng), choice.text), choice.correct) for choice in rows]
    picture = row.picture
    return Question(
        id=random_id(rng),
        prompt=row.prompt,
        choices=tuple(choice for choice, _correct in choices),
        correct=frozenset(choice.id for choice, correct in choices if correct),
        media=None if picture is None else Image(picture.get_absolute_url(), picture.alt),
        multiple=row.kind == models.Question.Kind.MULTIPLE,
        time_limit_s=row.time_limit_s,
        weight=float(row.weight),
        explanation=row.explanation or None,
    )
