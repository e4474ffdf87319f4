"""The alarm: one timer a machine, set to the earliest deadline only."""

from gateway.alarm import Alarm
from gateway.testing import VirtualClock


def ringing() -> tuple[VirtualClock, Alarm, list[float]]:
    """A clock, an alarm on it, and the times at which it rang."""
    clock, rung = VirtualClock(), []
    return clock, Alarm(clock, lambda: rung.append(clock.now())), rung


def test_it_rings_at_its_deadline() -> None:
    """Not before, and once."""
    clock, alarm, rung = ringing()
    alarm.set(1005.0)
    clock.advance(4.999)
    assert rung == []
    clock.advance(10)
    assert rung == [1005.0]


def test_an_earlier_deadline_moves_it() -> None:
    """The first of several moments counts."""
    clock, alarm, rung = ringing()
    alarm.set(1005.0)
    alarm.set(1002.0)
    clock.advance(10)
    assert rung == [1002.0]


def test_a_later_deadline_leaves_it_alone() -> None:
    """Re-arming a timer for each frame would cost more than an early ring, which is harmless."""
    clock, alarm, rung = ringing()
    alarm.set(1002.0)
    alarm.set(1005.0)
    clock.advance(10)
    assert rung == [1002.0]


def test_no_deadline_leaves_it_alone() -> None:
    """None means that nothing is due, not that the ring must not come."""
    clock, alarm, rung = ringing()
    alarm.set(1002.0)
    alarm.set(None)
    clock.advance(10)
    assert rung == [1002.0]


def test_a_deadline_in_the_past_rings_in_a_millisecond_not_at_once() -> None:
    """A spinning alarm would hold the loop."""
    clock, alarm, rung = ringing()
    alarm.set(900.0)
    assert rung == []
    clock.advance(0.001)
    assert rung == [1000.001]


def test_cancelled_it_does_not_ring_and_can_be_set_again() -> None:
    """The end of a socket cancels; a machine that lives on sets it anew."""
    clock, alarm, rung = ringing()
    alarm.set(1002.0)
    alarm.cancel()
    clock.advance(3)
    assert rung == []
    alarm.set(1004.0)
    clock.advance(3)
    assert rung == [1004.0]
