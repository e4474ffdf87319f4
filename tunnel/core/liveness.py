"""Whether the other end is still there: the same watch at both ends (spec 6.1).

Any frame proves life, not the pong alone: a long download is no silence. Pure; the shells keep the alarm.
"""

from enum import Enum
from typing import Final

from msgspec import Struct

PING_EVERY_S: Final = 15.0
DEAD_AFTER_S: Final = 40.0
"""Two pings and a margin: one lost answer costs nobody a tunnel."""


class Due(Enum):
    """What time has brought."""

    PING = "ping"
    DEAD = "dead"


class Liveness(Struct):
    """The watch over one connection."""

    heard_at: float
    ping_at: float
    every_s: float = PING_EVERY_S
    dead_s: float = DEAD_AFTER_S

    @classmethod
    def started(cls, now: float, every_s: float = PING_EVERY_S, dead_s: float = DEAD_AFTER_S) -> "Liveness":
        """The connection is open."""
        return cls(now, now + every_s, every_s, dead_s)

    def heard(self, now: float) -> None:
        """A frame of any kind has come."""
        self.heard_at = now

    def deadline(self) -> float:
        """The first moment at which `wake` would do something."""
        return min(self.ping_at, self.heard_at + self.dead_s)

    def wake(self, now: float) -> Due | None:
        """What is due at ``now``; early and double calls are harmless."""
        if now >= self.heard_at + self.dead_s:
            return Due.DEAD
        if now >= self.ping_at:
            self.ping_at = now + self.every_s
            return Due.PING
        return None
