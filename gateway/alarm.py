"""Time for the shells: the clock that the gateway and its game share, and the one alarm that each machine
has.

The only place that knows the event loop's timers. A machine's shell calls `Alarm.set` with the machine's
deadline after each call; the alarm wakes it, early, late or twice, which machines do not mind.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

SHORTEST_S: Final = 0.001
"""uvloop's timers may fire up to 1 ms early; a shorter sleep could spin on a deadline that is almost there.
"""


class Timer(Protocol):
    """A call that was put off."""

    def cancel(self) -> None:
        """Do not make the call."""


class Clock(Protocol):
    """Monotonic time in seconds, and calls put off to a later moment of it."""

    def now(self) -> float:
        """The time."""

    def call_later(self, delay: float, call: Callable[[], None]) -> Timer:
        """Make the call ``delay`` seconds from now, on the loop."""


class LoopClock:
    """The clock of a live process.

    Reads the time itself: uvloop's ``time()`` stands still within one turn of the loop.
    """

    now = staticmethod(time.monotonic)
    """Seconds on the system's monotonic clock; bound as it is, for it is read several times a frame."""

    def call_later(self, delay: float, call: Callable[[], None]) -> Timer:
        """Put the call off on the running loop."""
        return asyncio.get_running_loop().call_later(delay, call)


class Alarm:
    """Wakes one machine at the earliest deadline it was set to.

    Not re-armed for later deadlines (a heartbeat moves on with each answer): it rings early and is set again
    then.
    """

    __slots__ = ("_clock", "_due", "_ring", "_timer")

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._due: float | None = None
        self._timer: Any = None

    def set(self, deadline: float | None) -> None:
        """Ring at ``deadline`` or earlier; None leaves a set alarm as it is (the ring will be harmless)."""
        if deadline is None or (self._due is not None and self._due <= deadline):
            return
        self.cancel()
        self._due = deadline
        self._timer = self._clock.call_later(max(SHORTEST_S, deadline - self._clock.now()), self._fire)

    def cancel(self) -> None:
        """Do not ring."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._due = None

    def _fire(self) -> None:
        self._timer = self._due = None
        self._ring()
