"""What answers are worth, which are right, how they are counted; with the examples of the specification."""

from typing import Any

import pytest

from gateway.contract import ClientError
from rooms.core.game import Game, check_choices, counts, grade, is_right, to_ms
from rooms.core.messages import SubmitAnswer
from rooms.core.seats import Seat, Standing
from rooms.core.shapes import Avatar, Breakdown, Settings
from tests.rooms.core.kit import question


def game(**more: Any) -> Game:
    """A game at its first question, which everybody saw at 100 s."""
    one = Game("g", 1, "c", "START_GAME", started_at=97.0, questions=(question(1, **more),))
    one.ask_next()
    one.show_to(("a", "b", "c"), 100.0)
    return one


def seat(account: str = "a", standing: Standing = Standing.CONNECTED) -> Seat:
    return Seat(f"s-{account}", account, None, "", account, account, Avatar(), 0, "c", standing=standing)


def take(one: Game, who: Seat, letters: str, at: float, rtt_s: float | None = None) -> None:
    one.take(who, SubmitAnswer("q1", tuple(f"1{letter}" for letter in letters)), rtt_s, at)


def points(response_s: float, more: dict[str, Any], **settings: Any) -> int:
    """What one right answer after ``response_s`` brings to a player alone."""
    one, who = game(**more), seat()
    take(one, who, "a", 100.0 + response_s)
    grade(one, Settings(**settings), [who])
    return who.score


@pytest.mark.parametrize(
    ("response_s", "more", "settings", "expected"),
    [
        (2.0, {}, {"seconds_per_question": 30}, 967),
        (0.49, {}, {"seconds_per_question": 30}, 1000),
        (0.5, {}, {"seconds_per_question": 30}, 992),
        (15.0, {}, {"seconds_per_question": 15}, 500),
        (3.0, {"time_limit_s": 60.0}, {"seconds_per_question": 10}, 975),
        (3.0, {"weight": 2.0}, {"seconds_per_question": 15}, 1800),
        (3.0, {"weight": 0.5}, {"scoring": "accuracy"}, 500),
        (14.0, {}, {"scoring": "accuracy"}, 1000),
        (14.0, {"weight": 1.5}, {"scoring": "order"}, 1500),
    ],
)
def test_a_right_answer_is_worth_what_the_specification_says(
    response_s: float, more: dict[str, Any], settings: dict[str, Any], expected: int
) -> None:
    """Spec 2.4: r = 2 s, T = 30 s, P = 1000 gives 967; weight scales P; a question's own time is its T."""
    assert points(response_s, more, **settings) == expected


@pytest.mark.parametrize("mode", ["classic", "accuracy", "order"])
def test_a_wrong_answer_is_worth_nothing_in_any_mode(mode: Any) -> None:
    """And no answer neither."""
    one, wrong, none = game(), seat("a"), seat("b")
    take(one, wrong, "b", 101.0)
    grade(one, Settings(scoring=mode, streak_bonus=True), [wrong, none])
    assert (wrong.score, none.score) == (0, 0)
    assert (wrong.streak, none.streak) == (0, 0)


def test_the_breakdown_explains_the_points() -> None:
    """Base, streak, lag credit and response time are kept with the answer."""
    one, who = game(), seat()
    who.streak = 2
    who.score = 100
    take(one, who, "a", 103.1234, rtt_s=0.0714)
    grade(one, Settings(scoring="accuracy", streak_bonus=True), [who])
    (graded,) = who.graded
    assert graded.breakdown == Breakdown(base=1000, streak=200, lag_credit_ms=71, response_ms=3052)
    assert (graded.question_id, graded.question_index, graded.choices) == ("q1", 0, ("1a",))
    assert (graded.correct, graded.points, who.score, who.given) == (True, 1200, 1300, None)


def test_a_streak_bonus_is_for_right_answers_only() -> None:
    """A wrong answer after a streak of five gets nothing on top."""
    one, who = game(), seat()
    who.streak = 5
    take(one, who, "b", 101.0)
    grade(one, Settings(streak_bonus=True), [who])
    assert (who.score, who.streak, who.graded[0].breakdown.streak) == (0, 0, 0)


def test_grading_closes_the_question() -> None:
    """It is one of those that are over."""
    one = game()
    assert one.closed == 0
    grade(one, Settings(), [])
    assert one.closed == 1


def test_order_counts_right_answers_only() -> None:
    """A wrong one before takes no place; n are those who were asked (spec 2.4)."""
    one, first, wrong, last, none = game(), seat("a"), seat("b"), seat("c"), seat("d")
    take(one, wrong, "b", 101.0)
    take(one, last, "a", 102.0)
    take(one, first, "a", 103.0)
    grade(one, Settings(scoring="order"), [first, wrong, last, none])
    assert (last.score, first.score, wrong.score) == (1000, 833, 0)


def test_a_departed_player_counts_in_order_mode_if_it_answered() -> None:
    """Otherwise it is no player of this question."""
    for letter, expected in (("b", 750), ("", 500)):
        one, first, second, gone = game(), seat("a"), seat("b"), seat("c", Standing.DEPARTED)
        if letter:
            take(one, gone, letter, 100.5)
        take(one, first, "a", 101.0)
        take(one, second, "a", 102.0)
        grade(one, Settings(scoring="order"), [first, second, gone])
        assert second.score == expected


def test_a_single_choice_question_may_have_several_right_choices() -> None:
    """Any of them is right."""
    asked = question(1, correct=frozenset({"1a", "1b"}))
    assert [is_right(asked, (f"1{letter}",)) for letter in "abcd"] == [True, True, False, False]


def test_a_multiple_choice_answer_is_right_only_as_the_exact_set() -> None:
    """In any order; neither a part nor more (spec 2.4)."""
    asked = question(1, correct=frozenset({"1a", "1b"}), multiple=True)
    assert is_right(asked, ("1b", "1a"))
    assert not is_right(asked, ("1a",))
    assert not is_right(asked, ("1a", "1b", "1c"))
    assert not is_right(asked, ("1c", "1d"))


@pytest.mark.parametrize(
    ("choices", "multiple", "text"),
    [
        (("1a", "1x"), True, "The question has no choice '1x'."),
        (("1a", "1a"), True, "The same choice is given twice."),
        (("1a", "1b"), False, "One choice is asked for, not 2."),
    ],
)
def test_a_malformed_answer_says_what_is_wrong(choices: tuple[str, ...], multiple: bool, text: str) -> None:
    """VALIDATION_ERROR with the field's name."""
    with pytest.raises(ClientError) as caught:
        check_choices(question(1, multiple=multiple), choices)
    assert (caught.value.code, caught.value.message) == ("VALIDATION_ERROR", text)
    assert caught.value.details == {"path": "choices"}


def test_choices_on_offer_are_taken() -> None:
    """One of a single-choice question, any number of a multiple-choice one."""
    check_choices(question(1), ("1d",))
    check_choices(question(1, multiple=True), ("1d", "1a", "1b", "1c"))


def test_counts_say_how_often_each_choice_was_taken() -> None:
    """None are the members who gave no answer; a departed one without answer is missed by nobody."""
    one = game(multiple=True)
    both, single, none = seat("a"), seat("b"), seat("c")
    gone, gone_with = seat("d", Standing.DEPARTED), seat("b", Standing.DEPARTED)
    take(one, both, "ab", 101.0)
    take(one, single, "b", 101.0)
    take(one, gone_with, "c", 101.0)
    assert [who.given.place for who in (both, single, gone_with)] == [0, 1, 2]
    tally = counts(one.question, [both, single, none, gone, gone_with])
    assert tally == {"1a": 1, "1b": 2, "1c": 1, "1d": 0, "none": 1}


def test_only_the_first_sight_of_a_question_counts() -> None:
    """A re-send after a reconnect does not restart the response time (spec 2.4)."""
    one, who = game(), seat()
    one.show_to(("a", "z"), 104.0)
    take(one, who, "a", 106.0)
    assert who.given.response_s == 6.0
    assert one.sent["z"] == 104.0


def test_each_question_is_seen_anew() -> None:
    """Times, places and results of the one before are gone."""
    one = game()
    one.questions = (question(1), question(2))
    take(one, seat(), "a", 101.0)
    assert not one.is_last
    one.ask_next()
    assert (one.sent, one.answers, one.results, one.is_last) == ({}, 0, None, True)


def test_an_account_that_signs_in_saw_the_question_when_it_first_did() -> None:
    """Under whichever name."""
    one = game()
    one.move_account("a", "user:1")
    assert (one.sent["user:1"], "a" in one.sent) == (100.0, False)
    one.show_to(("x",), 90.0)
    one.move_account("x", "user:1")
    assert one.sent["user:1"] == 90.0
    one.show_to(("y",), 95.0)
    one.move_account("y", "user:1")
    assert one.sent["user:1"] == 90.0
    one.move_account("nobody", "user:2")
    assert "user:2" not in one.sent


@pytest.mark.parametrize(
    ("seconds", "ms"), [(0.0, 0), (1.2344, 1234), (1.2345, 1235), (2.0, 2000), (-0.4, 0)]
)
def test_milliseconds_are_whole_halves_up_and_never_negative(seconds: float, ms: int) -> None:
    """Spec 2.4."""
    assert to_ms(seconds) == ms
