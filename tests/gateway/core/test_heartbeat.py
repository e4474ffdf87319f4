"""Liveness: when pings go out, what is a miss, when a silent socket is dead (spec 1.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.heartbeat import Beat, Heartbeat, HeartbeatPolicy, stamp
from tests.gateway.core.vocabulary import TICK, reloaded

POLICY = HeartbeatPolicy()


def beating(first_ping: float = 7.0) -> Heartbeat:
    """The heartbeat of a socket that opened at 0."""
    return Heartbeat(POLICY, first_ping)


def beats_until(heartbeat: Heartbeat, end: float) -> list[tuple[float, Beat]]:
    """What the wakes at its own deadlines ask for, in silence."""
    seen = []
    while (now := heartbeat.deadline()) <= end:
        seen.append((now, heartbeat.wake(now)))
        if seen[-1][1] is Beat.DEAD:
            break
    return seen


def test_the_numbers_are_the_specs() -> None:
    """Every 7 s, 4 s to answer, dead at the second miss."""
    assert HeartbeatPolicy(7.0, 4.0, 2) == POLICY


def test_a_silent_socket_is_pinged_twice_and_dead_eleven_seconds_after_the_first() -> None:
    """p1 + 7 + 4, with the miss in between asking for nothing."""
    assert beats_until(beating(), 99.0) == [
        (7.0, Beat.PING),
        (11.0, Beat.NOTHING),
        (14.0, Beat.PING),
        (18.0, Beat.DEAD),
    ]


def test_a_socket_that_answers_is_pinged_every_interval_for_ever() -> None:
    """An answer cancels the timer, so there is nothing to do before the next ping."""
    heartbeat = beating()
    for turn in range(1, 100):
        assert heartbeat.deadline() == turn * 7.0
        assert heartbeat.wake(turn * 7.0) is Beat.PING
        heartbeat.answer(stamp(turn * 7.0), turn * 7.0 + 0.25)


def test_one_miss_is_forgiven_by_any_answer() -> None:
    """It takes two in a row."""
    heartbeat = beating()
    for start in (7.0, 21.0, 35.0):
        assert beats_until(heartbeat, start + 4.0) == [(start, Beat.PING), (start + 4.0, Beat.NOTHING)]
        assert beats_until(heartbeat, start + 7.0) == [(start + 7.0, Beat.PING)]
        heartbeat.answer(stamp(start + 7.0), start + 7.5)
        assert heartbeat.misses == 0


@pytest.mark.parametrize("late", [4.0, 5.5, 6.9])
def test_a_late_answer_proves_life_and_the_true_round_trip(late: float) -> None:
    """The ping was judged a miss already; a client that answers slowly is slow, not dead."""
    heartbeat = beating()
    beats_until(heartbeat, 11.0)
    assert heartbeat.misses == 1
    assert heartbeat.answer(stamp(7.0), 7.0 + late) == late
    assert heartbeat.misses == 0
    assert heartbeat.rtt() == late


def test_an_answer_to_an_older_ping_proves_life_but_measures_nothing() -> None:
    """Its own ping was forgotten when the next one went out."""
    heartbeat = beating()
    beats_until(heartbeat, 14.0)
    heartbeat.answer(stamp(7.0), 14.5)
    assert (heartbeat.misses, heartbeat.pong_due, heartbeat.rtt()) == (0, None, None)
    heartbeat.answer(stamp(14.0), 15.0)
    assert heartbeat.rtt() == 1.0


@pytest.mark.parametrize("echo", [0.0, 6999.0, 7001.0, -1.0, 1e300])
def test_an_echo_names_the_ping_and_is_never_a_time(echo: float) -> None:
    """A client that invents timestamps gets no sample: it can't choose its own round trip."""
    heartbeat = beating()
    heartbeat.wake(7.0)
    assert heartbeat.answer(echo, 7.125) is None
    assert heartbeat.samples == []
    assert heartbeat.pong_due is None


def test_an_answer_counts_once() -> None:
    """Repeating it is no second sample."""
    heartbeat = beating()
    heartbeat.wake(7.0)
    assert heartbeat.answer(7000, 7.25) == 0.25
    assert heartbeat.answer(7000, 9.0) is None
    assert heartbeat.samples == [0.25]


def test_an_answer_that_nobody_asked_for_is_harmless() -> None:
    """Before the first ping there is nothing to measure."""
    heartbeat = beating()
    heartbeat.answer(0, 1.0)
    assert heartbeat == beating()


def test_the_round_trip_is_the_median_of_the_last_nine() -> None:
    """Steady against one hiccup, and it follows a change of network within a minute."""
    heartbeat = beating()
    assert heartbeat.rtt() is None
    medians = []
    for turn, rtt in enumerate([0.5, 0.25, 3.0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.125, 0.125], start=1):
        heartbeat.wake(turn * 7.0)
        heartbeat.answer(stamp(turn * 7.0), turn * 7.0 + rtt)
        medians.append(heartbeat.rtt())
    assert medians[:4] == [0.5, 0.375, 0.5, 0.375]
    assert heartbeat.samples == [3.0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.125, 0.125]


@pytest.mark.parametrize(("late", "beat", "misses"), [(1.0, Beat.NOTHING, 1), (1.001, Beat.PING, 0)])
def test_a_wake_more_than_a_second_late_is_our_own_pause_and_no_miss(
    late: float, beat: Beat, misses: int
) -> None:
    """Timers run before the bytes that waited meanwhile: the process slept, not the client."""
    heartbeat = beating()
    heartbeat.wake(7.0)
    assert heartbeat.wake(11.0 + late) is beat
    assert heartbeat.misses == misses


def test_after_a_pause_the_client_has_its_full_time_again() -> None:
    """The ping goes out anew, and the answer that was waiting in the buffer still proves life."""
    heartbeat = beating()
    heartbeat.wake(7.0)
    assert heartbeat.wake(22.0) is Beat.PING
    assert beats_until(reloaded(heartbeat), 99.0)[-1] == (33.0, Beat.DEAD)
    heartbeat.answer(stamp(7.0), 22.0)
    assert beats_until(heartbeat, 29.0) == [(29.0, Beat.PING)]


def test_a_pause_forgives_no_earlier_miss() -> None:
    """What was missed while we were awake was missed."""
    heartbeat = beating()
    beats_until(heartbeat, 11.0)
    assert heartbeat.wake(60.0) is Beat.PING
    assert beats_until(heartbeat, 99.0) == [(64.0, Beat.DEAD)]


def test_early_and_double_wakes_are_harmless() -> None:
    """Event loops fire a millisecond early, and alarms are shared."""
    heartbeat = beating()
    before = reloaded(heartbeat)
    assert heartbeat.wake(6.999) is Beat.NOTHING
    assert heartbeat == before
    assert [heartbeat.wake(7.0), heartbeat.wake(7.0), heartbeat.wake(7.001)] == [
        Beat.PING,
        Beat.NOTHING,
        Beat.NOTHING,
    ]
    assert [heartbeat.wake(10.999), heartbeat.wake(11.0), heartbeat.wake(11.0)] == [Beat.NOTHING] * 3
    assert heartbeat.misses == 1


def test_a_timeout_as_long_as_the_interval_is_judged_before_the_next_ping() -> None:
    """The longest timeout that makes sense: both are due at once, and the miss is not lost."""
    heartbeat = Heartbeat(HeartbeatPolicy(5.0, 5.0, 2), 5.0)
    assert beats_until(heartbeat, 99.0) == [(5.0, Beat.PING), (10.0, Beat.PING), (15.0, Beat.DEAD)]


@given(
    st.integers(0, 7 * 1024 - 1),
    st.lists(st.integers(1, 4 * 1024 - 1), max_size=5),
    st.lists(st.integers(0, 1024), min_size=1, max_size=8),
)
def test_silence_is_death_within_eleven_to_eighteen_seconds(
    first: int, answers: list[int], lateness: list[int]
) -> None:
    """Whenever the last answer came, with alarms on time; if they are late, death is that much later."""
    for late in ([0], lateness):
        heartbeat, last_heard, wakes = Heartbeat(POLICY, first * TICK), 0.0, 0
        delays = iter(answers)
        beat = Beat.NOTHING
        now = 0.0
        while beat is not Beat.DEAD:
            now = heartbeat.deadline() + late[wakes % len(late)] * TICK
            wakes += 1
            beat = heartbeat.wake(now)
            delay = next(delays, None) if beat is Beat.PING else None
            if delay is not None:
                last_heard = now + delay * TICK
                heartbeat.answer(stamp(now), last_heard)
        assert 11.0 <= now - last_heard < 18.0 + 3 * max(late) * TICK


@given(
    st.integers(0, 7 * 1024 - 1),
    st.lists(st.tuples(st.integers(0, 4 * 1024 - 1), st.integers(0, 30 * 1024)), max_size=20),
)
def test_a_client_that_answers_in_time_is_never_dead_whatever_we_sleep(
    first: int, turns: list[tuple[int, int]]
) -> None:
    """Known failure C16: a stall on our side is not blamed on the players."""
    heartbeat = Heartbeat(POLICY, first * TICK)
    for delay, slept in turns:
        pinged = max(heartbeat.deadline(), heartbeat.next_ping) + slept * TICK
        assert heartbeat.wake(pinged) is not Beat.DEAD
        heartbeat.answer(stamp(pinged), pinged + delay * TICK)
    assert heartbeat.misses == 0


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_wake_does_something_at_its_deadline_and_nothing_before(first: float, other: float) -> None:
    """The deadline is the first moment at which a wake would change anything."""
    heartbeat = Heartbeat(POLICY, first)
    if other < first:
        assert heartbeat.wake(other) is Beat.NOTHING
        assert heartbeat == Heartbeat(POLICY, first)
    assert heartbeat.wake(first) is Beat.PING
    assert heartbeat.wake(heartbeat.deadline()) is Beat.NOTHING
    assert heartbeat.misses == 1


@pytest.mark.parametrize(("at", "milliseconds"), [(0.0, 0), (7.0, 7000), (1.9999, 1999)])
def test_a_stamp_is_in_whole_milliseconds(at: float, milliseconds: int) -> None:
    """What clients echo survives any JSON library."""
    assert stamp(at) == milliseconds
