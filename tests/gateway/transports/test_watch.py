"""What a peer may ask below the messages, and when its silence is too long, on virtual time (spec 1.3)."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.transports.watch import Due, Watch, WireLimits


def watch(**limits: float | None) -> Watch:
    """The watch of a socket that opened at 0."""
    return Watch.started(WireLimits(**limits), 0.0)


def test_the_numbers_are_the_specs() -> None:
    """30 pings per 10 s, 1024 fragments, 30 s, our own ping every 120 s, 2 s for a close."""
    limits = WireLimits()
    assert (limits.pings, limits.pings_window_s, limits.fragments, limits.unfinished_s) == (
        30,
        10.0,
        1024,
        30.0,
    )
    assert (limits.ping_interval_s, limits.close_timeout_s) == (120.0, 2.0)


def test_a_peer_that_answers_is_pinged_every_two_minutes() -> None:
    """Counted from its answer."""
    it = watch()
    assert it.deadline() == 120.0
    assert it.wake(119.9) is None
    assert it.wake(120.0) is Due.PING
    it.ponged(121.0)
    assert it.deadline() == 241.0
    assert it.wake(241.0) is Due.PING


def test_a_ping_without_a_pong_for_twenty_seconds_is_silence() -> None:
    """Not a moment earlier."""
    it = watch()
    it.wake(120.0)
    assert it.deadline() == 140.0
    assert it.wake(139.9) is None
    assert it.wake(140.0) is Due.SILENT


def test_pings_can_be_off() -> None:
    """Then there is nothing to wait for."""
    it = watch(ping_interval_s=None)
    assert it.deadline() is None
    it.ponged(5.0)
    assert it.deadline() is None


def test_the_thirty_first_ping_of_ten_seconds_is_too_many() -> None:
    """And it may ping again when they are past."""
    it = watch()
    assert all(it.pinged(1.0) for _ in range(30))
    assert not it.pinged(1.0)
    assert it.pinged(30.0)


def test_a_message_may_take_thirty_seconds() -> None:
    """From its first byte, however often a little more of it comes."""
    it = watch()
    it.message_pending(1.0)
    it.message_pending(20.0)
    assert it.deadline() == 31.0
    assert it.wake(30.9) is None
    assert it.wake(31.0) is Due.UNFINISHED


def test_a_whole_message_stops_the_clock_of_the_next() -> None:
    """It starts again with what comes after."""
    it = watch()
    it.message_pending(1.0)
    it.message_finished()
    assert it.deadline() == 120.0
    it.message_pending(25.0)
    assert it.deadline() == 55.0


def test_what_we_have_not_read_is_no_fault_of_the_peer() -> None:
    """While the application is behind, pong and message may be there unread: both clocks start again."""
    it = watch()
    it.wake(120.0)
    it.message_pending(125.0)
    it.excuse(139.0)
    assert it.wake(140.0) is None
    assert it.deadline() == 159.0


@given(st.lists(st.sampled_from(["wake", "ponged", "pending", "finished"]), max_size=30))
def test_nothing_is_due_before_the_deadline(steps: list[str]) -> None:
    """``deadline`` is the first moment at which ``wake`` would do something, in every state."""
    it, now = watch(), 0.0
    for step in steps:
        deadline = it.deadline()
        assert deadline is not None
        assert it.wake(deadline - 0.001) is None
        now = max(now, deadline) if step == "wake" else now + 1.0
        match step:
            case "wake":
                assert it.wake(now) is not None
            case "ponged":
                it.ponged(now)
            case "pending":
                it.message_pending(now)
            case "finished":
                it.message_finished()
        if it.deadline() is not None and it.deadline() <= now:
            return  # the socket has ended
