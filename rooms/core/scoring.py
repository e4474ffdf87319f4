"""Points, ranks and the credit for lag (spec 2.4): plain arithmetic on server-measured times.

Which answer is right, and when its question was sent, is for the room to say; here are only the formulas.
Halves round up.
"""

import math
import statistics
from collections.abc import Sequence
from typing import Final

BASE_POINTS: Final = 1000
"""For a right answer to a question of weight 1."""

FREE_TIME_S: Final = 0.5
"""An answer faster than this loses nothing: below it reflexes and the network decide, not knowledge."""

MAX_LAG_CREDIT_S: Final = 0.25
"""The most that a slow line gets back: 8 points of 1000 at 15 s, not worth faking."""

STREAK_STEP: Final = 100
"""Points more for each further right answer in a row, from the second on."""

MAX_STREAK_BONUS: Final = 500
"""Reached by the sixth in a row."""

TOLERANCE: Final = 1e-6
"""Seconds, and points, that are float noise: the difference of two clock readings is not exact (100.51 - 100
is a bit more than 0.51), and 974.5 must be a half however it was computed. A microsecond is worth 0.00005
points in the shortest question."""


def round_half_up(x: float) -> int:
    """``x`` to the nearest whole number, halves up, also when noise left them `TOLERANCE` short of a half."""
    return math.floor(x + 0.5 + TOLERANCE)


def classic(points: float, response_s: float, duration_s: float) -> int:
    """What a right answer after ``response_s`` of ``duration_s`` gets: all at first, half at the end."""
    if response_s < FREE_TIME_S - TOLERANCE:
        return round_half_up(points)
    # The timer may fire a moment late, and nobody gets less than half for that.
    spent = min(response_s / duration_s, 1.0)
    return round_half_up(points * (1 - spent / 2))


def accuracy(points: float) -> int:
    """What a right answer gets where speed plays no part."""
    return round_half_up(points)


def order(points: float, index: int, players: int) -> int:
    """What right answer number ``index`` (from 0) of ``players`` gets: all if first, half if last."""
    if players <= 1:
        return round_half_up(points)
    # Players may leave after they answered: the number of those who are left is no bound for the index.
    place = min(index / (players - 1), 1.0)
    return round_half_up(points - place * points / 2)


def streak_bonus(in_a_row: int) -> int:
    """What right answer number ``in_a_row`` gets on top; 0 in a row is a wrong answer or none."""
    return min(STREAK_STEP * max(in_a_row - 1, 0), MAX_STREAK_BONUS)


def lag_credit_s(rtt_s: float | None) -> float:
    """What is taken off a response time for the ways of question and answer; None is not measured yet."""
    return 0.0 if rtt_s is None else min(rtt_s, MAX_LAG_CREDIT_S)


def median(samples: Sequence[float]) -> float | None:
    """The middle of ``samples``, None of none: one slow round trip is an accident, not a player's lag."""
    return statistics.median(samples) if samples else None


def ranks(scores: Sequence[int]) -> list[int]:
    """The rank of each score, in the order given; ties share a rank, the next skips theirs (1, 2, 2, 4)."""
    first_place: dict[int, int] = {}
    for place, score in enumerate(sorted(scores, reverse=True), start=1):
        first_place.setdefault(score, place)
    return [first_place[score] for score in scores]
