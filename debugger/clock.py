"""Virtual time for a simulation: whole milliseconds for people, seconds for the machines, turn after turn.

Adds to `gateway.testing.VirtualClock` what a debugger needs: it never wakes a machine early by the noise of a
float, and it tells when a turn is over.
"""

import math
from collections.abc import Callable
from typing import Final

from gateway.testing import VirtualClock, VirtualTimer

START_S: Final = 1200.0
"""Where virtual time begins: at the edge of every limiter's window (10, 30 and 60 s)."""
BEFORE_S: Final = 1e-6
"""An action at the instant of a ping takes effect before the ping (spec 5)."""
TURN_S: Final = 1e-9
"""Turns of one moment follow each other by less."""
HALF_MS: Final = 0.5
"""What is due within this much of a whole millisecond belongs to its instant."""


class SimulationClock(VirtualClock):
    """``after_turn`` is called when a call has returned, and with it all that it did."""

    def __init__(self) -> None:
        super().__init__(START_S)
        self.after_turn: Callable[[], None] = lambda: None

    @property
    def ms(self) -> int:
        """The present instant."""
        return self.instant(self.now())

    @staticmethod
    def instant(at: float) -> int:
        """A machine's moment in virtual milliseconds."""
        return math.ceil((at - START_S) * 1000 - HALF_MS)

    @staticmethod
    def moment(ms: float) -> float:
        """The moment of an instant, as the machines count."""
        return START_S + ms / 1000

    def next_instant(self) -> int | None:
        """The first instant at which something is due."""
        due = self.next_call()
        return None if due is None else self.instant(due)

    def call_later(self, delay: float, call: Callable[[], None]) -> VirtualTimer:
        """Never early, not even by the rounding of a sum: else an alarm would ring in vain, and late."""

        def turn() -> None:
            call()
            self.after_turn()

        return super().call_later(delay + 2 * math.ulp(self.now() + delay), turn)

    def soon(self, call: Callable[[], None]) -> None:
        """In a turn of its own, at this very instant."""
        self.call_later(0.0, call)

    def settle(self) -> None:
        """Make all turns that are due at this very moment; no time passes that anybody could measure."""
        while (due := self.next_call()) is not None and due - self.now() < TURN_S:
            self.advance(max(0.0, due - self.now()))

    def go_before(self, ms: int) -> None:
        """To just before an instant; nothing may be due until then but what belongs to earlier ones."""
        self.advance(max(0.0, self.moment(ms) - BEFORE_S - self.now()))

    def finish(self, ms: int) -> None:
        """Make all calls of an instant, those that they put off to it included."""
        while (due := self.next_call()) is not None and self.instant(due) <= ms:
            self.advance(max(0.0, due - self.now()))
        self.advance(max(0.0, self.moment(ms) - self.now()))
