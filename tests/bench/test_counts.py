"""bench.generator.compare: a run whose two sides counted different frames is worth nothing."""

from typing import Any

import pytest

from bench.generator import CountsDifferError, compare

IN, SAID, BEAT = (
    ("gateway_frames_in", ""),
    ("gateway_frames_out", "SAID"),
    ("gateway_frames_out", "HEARTBEAT"),
)


def generated(**changes: Any) -> dict[str, Any]:
    """What the generator of a small run prints."""
    plain = {"scenario": "fanout", "sent": 10, "heard": 50, "types": {"SAID": 50}, "lost": 0, "opened": 5}
    return {**plain, **changes}


def test_equal_counts_pass() -> None:
    """Ten in, fifty out, on both sides."""
    compare({IN: 10, SAID: 50}, generated())


@pytest.mark.parametrize(
    "spent",
    [{IN: 9, SAID: 50}, {IN: 10, SAID: 51}, {IN: 10, SAID: 49}, {IN: 11, SAID: 50}],
    ids=["not heard", "not arrived", "not counted", "heard twice"],
)
def test_one_frame_that_only_one_side_counted_fails_the_run(spent: dict[tuple[str, str], int]) -> None:
    """In either direction."""
    with pytest.raises(CountsDifferError):
        compare(spent, generated())


def test_frames_dropped_over_budget_fail_a_run_that_denies_nothing() -> None:
    """The limits are meant to be out of reach there; in a flood they are not."""
    spent = {IN: 10, SAID: 50, ("gateway_dropped", "over_budget"): 1}
    with pytest.raises(CountsDifferError):
        compare(spent, generated())
    compare(spent, generated(scenario="flood"))


def test_what_was_under_way_to_a_lost_socket_may_be_missing_but_nothing_may_be_too_much() -> None:
    """Nobody can say how much of it was read before the end."""
    compare({IN: 9, SAID: 51}, generated(lost=1))
    with pytest.raises(CountsDifferError):
        compare({IN: 11, SAID: 50}, generated(lost=1))


def test_what_was_dropped_for_a_slow_reader_need_not_arrive() -> None:
    """It is counted as sent and as dropped."""
    compare({IN: 10, SAID: 52, ("gateway_dropped", "slow_reader"): 2}, generated())


def test_a_heartbeat_to_a_socket_that_is_closing_is_taken_out_and_told() -> None:
    """It falls due between the client's close and the socket's end, and goes nowhere."""
    result = generated()
    compare({IN: 10, SAID: 50, BEAT: 1}, result)
    assert result["heartbeats_to_closed_sockets"] == 1
    with pytest.raises(CountsDifferError):
        compare({IN: 10, SAID: 50, BEAT: 5}, generated())
