"""What stored games say: each question with how it went, and the standings over all games.

Reads ``rooms.models`` and changes nothing; ``rooms.views`` shows it, ``rooms.exports`` writes it to files.
Everywhere the order is by points; ties share a rank, and among equals stands first who came first (spec 2.4).
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from msgspec import Struct

from rooms.core.questions import Choice, Question
from rooms.core.scoring import ranks
from rooms.models import AnswerRecord, GameRecord, PlayerResult

LEADERS: Final = 100
"""A page that a person can read; the rest is in the games' own results."""


class ChoiceResult(Struct, frozen=True):
    """One choice of a question and how many took it."""

    choice: Choice
    right: bool
    count: int


class QuestionResult(Struct, frozen=True):
    """How one question went. ``number`` counts from 1.

    ``missing`` are those who were there at the end, could have answered and did not.
    """

    number: int
    question: Question
    choices: tuple[ChoiceResult, ...]
    right: int
    wrong: int
    missing: int


class Leader(Struct, frozen=True):
    """One account over all finished games, under the name of its latest. ``wins`` are first ranks."""

    rank: int
    name: str
    points: int
    games: int
    wins: int
    right: int


def with_results(games: QuerySet[GameRecord]) -> QuerySet[GameRecord]:
    """The games with their players and answers, in three queries."""
    return games.prefetch_related("players__answers")


def question_results(game: GameRecord) -> tuple[QuestionResult, ...]:
    """Each question that was asked, in order."""
    players = list(game.players.all())
    answers: dict[int, list[AnswerRecord]] = {}
    for player in players:
        for answer in player.answers.all():
            answers.setdefault(answer.question_index, []).append(answer)
    return tuple(
        _question_result(index, question, answers.get(index, []), _could_answer(players, index))
        for index, question in enumerate(game.asked)
    )


def chosen(question: Question, choices: Iterable[str]) -> str:
    """The texts of these choices, in the question's order."""
    taken = set(choices)
    return ", ".join(choice.text for choice in question.choices if choice.id in taken)


def leaders() -> tuple[Leader, ...]:
    """The best accounts of all finished games."""
    rows = (
        PlayerResult.objects.filter(game__finished=True)
        .values("account")
        .annotate(
            points=Sum("score"),
            right=Sum("correct"),
            games=Count("game", distinct=True),
            wins=Count("pk", filter=Q(rank=1)),
            first=Min("pk"),
            latest=Max("pk"),
        )
        .order_by("-points", "first")[:LEADERS]
    )
    names = PlayerResult.objects.in_bulk([row["latest"] for row in rows])
    shared = ranks([row["points"] for row in rows])
    return tuple(
        Leader(rank, names[row["latest"]].name, row["points"], row["games"], row["wins"], row["right"])
        for rank, row in zip(shared, rows, strict=True)
    )


def _could_answer(players: Iterable[PlayerResult], index: int) -> set[int]:
    """Who was there at the end and had not come too late; when the others went is not stored."""
    return {player.pk for player in players if player.rank is not None and player.first_question <= index}


def _question_result(
    index: int, question: Question, answers: list[AnswerRecord], expected: set[int]
) -> QuestionResult:
    counts = Counter(choice for answer in answers for choice in answer.choices)
    right = sum(answer.correct for answer in answers)
    return QuestionResult(
        number=index + 1,
        question=question,
        choices=tuple(
            ChoiceResult(choice, choice.id in question.correct, counts[choice.id])
            for choice in question.choices
        ),
        right=right,
        wrong=len(answers) - right,
        missing=len(expected - {answer.player_id for answer in answers}),
    )
