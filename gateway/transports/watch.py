"""How much a peer may ask of the protocol below the messages, and when its silence is too long (spec 1.3,
1.4).

The application counts messages; what never becomes one is watched here. Pure: knows no server, no socket and
no loop.
"""

from enum import Enum

from msgspec import Struct

from gateway.core.limits import SlidingWindow
from gateway.core.machine import earliest
from gateway.transports.port import CLOSE_TIMEOUT_S


class WireLimits(Struct, frozen=True):
    """The limits of one socket.

    A ping costs a pong, and browsers send none. A fragment costs about 100 bytes however empty it is.
    ``unfinished_s`` lies above the 18 s in which a peer that is stuck inside a message is found dead by its
    heartbeat.

    Our own pings are a backstop far behind those heartbeats, for applications that have none; None turns them
    off. A ping that has no pong after ``ping_timeout_s`` ends the socket.
    """

    pings: int = 30
    pings_window_s: float = 10.0
    fragments: int = 1024
    unfinished_s: float = 30.0
    ping_interval_s: float | None = 120.0
    ping_timeout_s: float = 20.0
    close_timeout_s: float = CLOSE_TIMEOUT_S


class Due(Enum):
    """What time has brought."""

    PING = "ping"
    """Send one: its pong is being waited for from now on."""
    SILENT = "silent"
    """The pong has not come."""
    UNFINISHED = "unfinished"
    """A message has begun and does not end."""


class Watch(Struct):
    """The clocks and counts of one open socket, from `started` on."""

    limits: WireLimits
    pings: SlidingWindow
    ping_at: float | None
    pong_by: float | None = None
    message_by: float | None = None

    @classmethod
    def started(cls, limits: WireLimits, now: float) -> "Watch":
        """The socket has opened."""
        ping_at = None if limits.ping_interval_s is None else now + limits.ping_interval_s
        return cls(limits, SlidingWindow(limits.pings, limits.pings_window_s), ping_at)

    def pinged(self, now: float) -> bool:
        """The peer has sent a ping. False: it sends too many."""
        return self.pings.allow(now)

    def ponged(self, now: float) -> None:
        """The pong to our ping is here."""
        if self.pong_by is not None and self.limits.ping_interval_s is not None:
            self.pong_by = None
            self.ping_at = now + self.limits.ping_interval_s

    def message_pending(self, now: float) -> None:
        """Part of a message is here and its end is not; counted from the first part on."""
        if self.message_by is None:
            self.message_by = now + self.limits.unfinished_s

    def message_finished(self) -> None:
        """A message is whole: the next one starts now at the earliest."""
        self.message_by = None

    def excuse(self, now: float) -> None:
        """The peer may have sent what is missing: it is us who have not read it."""
        if self.pong_by is not None:
            self.pong_by = now + self.limits.ping_timeout_s
        if self.message_by is not None:
            self.message_by = now + self.limits.unfinished_s

    def deadline(self) -> float | None:
        """The first moment at which `wake` would do something."""
        return earliest((self.ping_at, self.pong_by, self.message_by))

    def wake(self, now: float) -> Due | None:
        """What is due at ``now``; early and double calls are harmless."""
        if self.message_by is not None and now >= self.message_by:
            return Due.UNFINISHED
        if self.pong_by is not None and now >= self.pong_by:
            return Due.SILENT
        if self.ping_at is not None and now >= self.ping_at:
            self.ping_at = None
            self.pong_by = now + self.limits.ping_timeout_s
            return Due.PING
        return None
