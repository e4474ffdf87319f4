"""What is kept of a game when it is over (spec 2.6): plain values, no clock times, no names of tables.

Seats are named by the id they had at the end of the game. ``rooms.core.view`` writes it, the shell stores it.
"""

from msgspec import Struct

from rooms.core.questions import Question
from rooms.core.shapes import Avatar, Breakdown, Settings


class AnswerReport(Struct, frozen=True):
    """One answer with all that explains its points. ``question_index`` counts from 0."""

    seat_id: str
    question_id: str
    question_index: int
    choices: tuple[str, ...]
    correct: bool
    points: int
    breakdown: Breakdown


class PlayerReport(Struct, frozen=True):
    """One player. ``rank`` is that of the podium; None for one who was not there at the end.

    ``first_question`` is the index of the first question that counted for this player, above 0 for a late
    joiner.
    """

    seat_id: str
    account: str
    name: str
    avatar: Avatar
    join_order: int
    score: int
    correct: int
    rank: int | None
    first_question: int


class GameReport(Struct, frozen=True):
    """A whole game. ``questions`` are those that were asked and closed, with their right answers."""

    game_id: str
    room_id: str
    room_code: str
    creator: str
    host: str | None
    seed: int
    settings: Settings
    finished: bool
    duration_s: float
    question_total: int
    questions: tuple[Question, ...]
    players: tuple[PlayerReport, ...]
    answers: tuple[AnswerReport, ...]
