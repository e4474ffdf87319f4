"""`rooms.core.scoring`: the formulas of spec 2.4, by its own examples and by their laws."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.core.scoring import (
    BASE_POINTS,
    FREE_TIME_S,
    MAX_LAG_CREDIT_S,
    MAX_STREAK_BONUS,
    accuracy,
    classic,
    lag_credit_s,
    median,
    order,
    ranks,
    round_half_up,
    streak_bonus,
)

POINTS = st.floats(0, 100_000)
DURATIONS = st.floats(1, 600)


def test_the_numbers_are_the_specs() -> None:
    assert (BASE_POINTS, FREE_TIME_S, MAX_LAG_CREDIT_S, MAX_STREAK_BONUS) == (1000, 0.5, 0.25, 500)


# ---------- rounding


@pytest.mark.parametrize(
    ("x", "rounded"),
    [
        (0, 0),
        (0.5, 1),
        (1.5, 2),
        (2.5, 3),
        (974.5, 975),
        (974.49, 974),
        (974.499_999_999, 975),
        (974.501, 975),
    ],
)
def test_halves_round_up(x: float, rounded: int) -> None:
    """Always up, not to the even neighbour, and also when float noise has left them just short of a half."""
    assert round_half_up(x) == rounded
    assert isinstance(round_half_up(x), int)


@given(st.integers(0, 10**7))
def test_every_half_rounds_up(whole: int) -> None:
    assert round_half_up(whole + 0.5) == whole + 1
    assert round_half_up(float(whole)) == whole


# ---------- classic


@pytest.mark.parametrize(
    ("points", "response_s", "duration_s", "got"),
    [
        (1000, 2, 30, 967),
        (1000, 0, 30, 1000),
        (1000, 0.499, 10, 1000),
        (1000, 0.5, 10, 975),
        (1000, 5, 10, 750),
        (1000, 10, 10, 500),
        (1000, 10.02, 10, 500),
        (2000, 2, 30, 1933),
        (500, 0.25, 20, 500),
        (0.5, 0.25, 20, 1),
        (500, 20, 20, 250),
        (0, 3, 10, 0),
    ],
)
def test_classic_gives_less_the_later(points: float, response_s: float, duration_s: float, got: int) -> None:
    """All below half a second, half at the end and, for a timer that fired late, after it (spec 2.4)."""
    assert classic(points, response_s, duration_s) == got


def test_classic_takes_the_noise_of_clock_readings_for_what_it_is() -> None:
    """0.51 s of 10 s is worth 974.5, half a second is not below half a second, wherever the clock stood."""
    assert 100.51 - 100 != 0.51
    assert classic(1000, 100.51 - 100, 10) == classic(1000, 0.51, 10) == 975
    assert 1.4 - 0.9 < 0.5
    assert classic(1000, 1.4 - 0.9, 10) == classic(1000, 0.5, 10) == 975


@given(POINTS, DURATIONS, st.floats(0, 700), st.floats(0, 700))
def test_classic_never_rewards_waiting(points: float, duration_s: float, one: float, other: float) -> None:
    early, late = sorted((one, other))
    assert classic(points, early, duration_s) >= classic(points, late, duration_s)


@given(POINTS, DURATIONS, st.floats(0, 700))
def test_classic_lies_between_half_and_all(points: float, duration_s: float, response_s: float) -> None:
    assert round_half_up(points / 2) <= classic(points, response_s, duration_s) <= round_half_up(points)


# ---------- the other modes


@pytest.mark.parametrize(("points", "got"), [(1000, 1000), (0, 0), (1500, 1500), (333.5, 334)])
def test_accuracy_gives_all(points: float, got: int) -> None:
    assert accuracy(points) == got


@pytest.mark.parametrize(
    ("points", "index", "players", "got"),
    [
        (1000, 0, 5, 1000),
        (1000, 1, 5, 875),
        (1000, 4, 5, 500),
        (1000, 1, 2, 500),
        (1000, 1, 8, 929),
        (1001, 4, 5, 501),
        (1000, 0, 1, 1000),
        (1000, 0, 0, 1000),
        (1000.5, 3, 1, 1001),
        (1000, 5, 5, 500),
        (1000, 9, 3, 500),
        (2000, 1, 3, 1500),
    ],
)
def test_order_gives_less_to_each_after_the_first(points: float, index: int, players: int, got: int) -> None:
    """From all to half; alone, all; and never less than half when players left after they had answered."""
    assert order(points, index, players) == got


@given(POINTS, st.integers(0, 60), st.integers(0, 50))
def test_order_never_rewards_being_later(points: float, index: int, players: int) -> None:
    assert order(points, index, players) >= order(points, index + 1, players) >= round_half_up(points / 2)
    assert order(points, 0, players) == round_half_up(points)


@pytest.mark.parametrize(
    ("in_a_row", "bonus"), [(0, 0), (1, 0), (2, 100), (3, 200), (5, 400), (6, 500), (7, 500), (99, 500)]
)
def test_a_streak_pays_a_hundred_more_each_time_up_to_500(in_a_row: int, bonus: int) -> None:
    assert streak_bonus(in_a_row) == bonus


# ---------- lag


@pytest.mark.parametrize(
    ("rtt_s", "credit_s"), [(None, 0), (0, 0), (0.04, 0.04), (0.25, 0.25), (0.251, 0.25), (9, 0.25)]
)
def test_lag_credit_is_the_round_trip_up_to_250_ms(rtt_s: float | None, credit_s: float) -> None:
    assert lag_credit_s(rtt_s) == credit_s


def test_the_most_lag_credit_is_worth_8_points() -> None:
    """Of 1000, at 15 s: not worth faking (spec 2.4)."""
    assert round_half_up(1000 * MAX_LAG_CREDIT_S / 15 / 2) == 8


@pytest.mark.parametrize(
    ("samples", "middle"),
    [
        ([], None),
        ([0.04], 0.04),
        ([0.04, 9.0, 0.05], 0.05),
        ((0.25, 0.5), 0.375),
        ([4.0, 1.0, 3.0, 2.0], 2.5),
    ],
)
def test_one_slow_round_trip_does_not_move_the_median_far(samples: list[float], middle: float | None) -> None:
    assert median(samples) == middle


# ---------- ranks


@pytest.mark.parametrize(
    ("scores", "places"),
    [
        ([], []),
        ([7], [1]),
        ([40, 30, 30, 20], [1, 2, 2, 4]),
        ([20, 30, 40, 30], [4, 2, 1, 2]),
        ([0, 0, 0], [1, 1, 1]),
        ([5, 5, 9], [2, 2, 1]),
        ([1000, 967, 967, 967, 12, 0, 0], [1, 2, 2, 2, 5, 6, 6]),
    ],
)
def test_ties_share_a_rank(scores: list[int], places: list[int]) -> None:
    """In the order given, and the next rank after a tie counts all who are before it."""
    assert ranks(scores) == places


@given(st.lists(st.integers(0, 20)))
def test_a_rank_is_one_more_than_the_number_of_better_ones(scores: list[int]) -> None:
    assert ranks(scores) == [1 + sum(other > score for other in scores) for score in scores]


@pytest.mark.parametrize("mode", [lambda p: classic(p, 0, 10), accuracy, lambda p: order(p, 0, 3)])
def test_points_are_whole_numbers_in_every_mode(mode: Callable[[float], int]) -> None:
    """A weight may leave a fraction; a score never has one."""
    assert mode(BASE_POINTS * 0.3335) == 334
    assert isinstance(mode(BASE_POINTS * 0.3335), int)
