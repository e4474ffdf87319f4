"""One game: its questions, who saw the present one when, and what answers are worth (spec 2.4).

Plain data and arithmetic; nothing here knows phases, timers or effects (``rooms.core.playing`` does). The
formulas are in ``rooms.core.scoring``.
"""

from collections.abc import Iterable
from typing import assert_never

from msgspec import Struct, field

from gateway.contract import ConnId
from rooms.core import scoring
from rooms.core.messages import GameFinished, QuestionResults, SubmitAnswer
from rooms.core.questions import Question
from rooms.core.rules import refusal
from rooms.core.seats import Given, Graded, Seat, Standing
from rooms.core.shapes import Breakdown, Settings


class Game(Struct):
    """One game, from its start on.

    ``questions`` is empty until they are loaded, ``index`` -1 until the first is asked; ``closed`` counts the
    questions that are over, ``answers`` those to the present one, ``sent`` is when an account first saw it.
    ``starter`` is the connection that is told if there are no questions, ``action`` the command it sent.
    ``results`` and ``finished`` are kept as they were shown, for those who come back.
    """

    id: str
    seed: int
    starter: ConnId
    action: str
    started_at: float
    questions: tuple[Question, ...] = ()
    index: int = -1
    closed: int = 0
    answers: int = 0
    sent: dict[str, float] = field(default_factory=dict)
    results: QuestionResults | None = None
    finished: GameFinished | None = None

    @property
    def question(self) -> Question:
        return self.questions[self.index]

    @property
    def is_last(self) -> bool:
        return self.index + 1 == len(self.questions)

    def duration_s(self, settings: Settings) -> float:
        """A question's own time limit wins over the room's (spec 2.1)."""
        limit = self.question.time_limit_s
        return limit if limit is not None else float(settings.seconds_per_question)

    def ask_next(self) -> None:
        self.index += 1
        self.answers = 0
        self.sent = {}
        self.results = None

    def show_to(self, accounts: Iterable[str], now: float) -> None:
        """These accounts see the present question; only the first time counts (spec 2.4)."""
        for account in accounts:
            self.sent.setdefault(account, now)

    def shift(self, seconds: float) -> None:
        """All its moments are so much later: this time was no part of the game."""
        self.started_at += seconds
        self.sent = {account: at + seconds for account, at in self.sent.items()}

    def move_account(self, old: str, new: str) -> None:
        if old in self.sent:
            self.sent[new] = min(self.sent.pop(old), self.sent.get(new, float("inf")))

    def take(self, seat: Seat, answer: SubmitAnswer, rtt_s: float | None, now: float) -> None:
        """The seat's answer to the present question, timed but not judged yet."""
        credit_s = scoring.lag_credit_s(rtt_s)
        response_s = max(now - self.sent[seat.account] - credit_s, 0.0)
        seat.given = Given(answer.question_id, answer.choices, self.answers, response_s, credit_s)
        self.answers += 1


def check_choices(question: Question, choices: tuple[str, ...]) -> None:
    """Choices that the question doesn't offer, or more than it takes, are a malformed command."""
    offered = {choice.id for choice in question.choices}
    unknown = next((choice for choice in choices if choice not in offered), None)
    if unknown is not None:
        raise refusal("VALIDATION_ERROR", f"The question has no choice {unknown!r}.", path="choices")
    if len(set(choices)) != len(choices):
        raise refusal("VALIDATION_ERROR", "The same choice is given twice.", path="choices")
    if len(choices) > 1 and not question.multiple:
        raise refusal("VALIDATION_ERROR", f"One choice is asked for, not {len(choices)}.", path="choices")


def is_right(question: Question, choices: tuple[str, ...]) -> bool:
    """Of several right choices a multiple-choice question wants all, a single-choice one any."""
    chosen = frozenset(choices)
    return chosen == question.correct if question.multiple else chosen <= question.correct


def counts(question: Question, takers: Iterable[Seat]) -> dict[str, int]:
    """How often each choice was taken, and by how many of the members asked ``none``."""
    result = {choice.id: 0 for choice in question.choices} | {"none": 0}
    for seat in takers:
        if seat.given is None:
            # One who is gone and gave no answer is missed by nobody.
            result["none"] += seat.standing is not Standing.DEPARTED
            continue
        for choice in seat.given.choices:
            result[choice] += 1
    return result


def grade(game: Game, settings: Settings, takers: Iterable[Seat]) -> None:
    """Judge the answers to the present question and close it. ``takers`` took part, departed ones too."""
    takers = list(takers)
    answered = [(seat, seat.given) for seat in takers if seat.given is not None]
    answered.sort(key=lambda pair: pair[1].place)
    players = sum(seat.given is not None or seat.standing is not Standing.DEPARTED for seat in takers)
    for seat in takers:
        if seat.given is None:
            seat.streak = 0
    right_before = 0
    for seat, given in answered:
        right = is_right(game.question, given.choices)
        seat.streak = seat.streak + 1 if right else 0
        base = _points(game, settings, given, right_before, players) if right else 0
        _close_answer(seat, game, right, base, settings.streak_bonus)
        right_before += right
    game.closed += 1


def _points(game: Game, settings: Settings, given: Given, right_before: int, players: int) -> int:
    points = scoring.BASE_POINTS * game.question.weight
    match settings.scoring:
        case "classic":
            return scoring.classic(points, given.response_s, game.duration_s(settings))
        case "accuracy":
            return scoring.accuracy(points)
        case "order":
            return scoring.order(points, right_before, players)
        case _:
            assert_never(settings.scoring)


def _close_answer(seat: Seat, game: Game, right: bool, base: int, with_bonus: bool) -> None:
    given = seat.given
    assert given is not None, seat.id
    streak = scoring.streak_bonus(seat.streak) if right and with_bonus else 0
    breakdown = Breakdown(base, streak, to_ms(given.lag_credit_s), to_ms(given.response_s))
    seat.score += base + streak
    seat.graded.append(Graded(given.question_id, game.index, given.choices, right, base + streak, breakdown))
    seat.given = None


def to_ms(seconds: float) -> int:
    """Whole milliseconds, halves up, never negative (spec 2.4)."""
    return int(max(seconds, 0.0) * 1000 + 0.5)
