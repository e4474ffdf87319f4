"""Liveness: ping every interval, count the unanswered, declare a silent socket dead (spec 1.4).

A subset of a machine: `wake` sends or judges, `answer` forgives. With silence from time s and the first
unanswered ping at p, the socket is dead at ``p + interval + timeout``: within [11 s, 18 s) of s at the
defaults.
"""

from enum import Enum

from msgspec import Struct

SAMPLES_KEPT = 9
"""A minute of round trips: enough for a steady median, few enough to follow a phone from Wi-Fi to mobile."""
STALL_S = 1.0
"""A wake this late means that we slept, not the client: timers run before the bytes that waited meanwhile."""


class HeartbeatPolicy(Struct, frozen=True):
    """``max_missed`` unanswered pings in a row end a socket. A timeout is no longer than the interval."""

    interval_s: float = 7.0
    timeout_s: float = 4.0
    max_missed: int = 2


class Beat(Enum):
    """What a wake asks for."""

    NOTHING = "nothing"
    PING = "ping"
    DEAD = "dead"


class Heartbeat(Struct):
    """``pong_due`` is set until the last ping is answered or judged, ``pinged_at`` until it is answered."""

    policy: HeartbeatPolicy
    next_ping: float
    pong_due: float | None = None
    pinged_at: float | None = None
    misses: int = 0
    samples: list[float] = []

    def wake(self, now: float) -> Beat:
        """Judge an overdue answer, send a ping that is due."""
        if now - self.deadline() > STALL_S:
            return self._ping(now)
        if self.pong_due is not None and now >= self.pong_due:
            self.pong_due = None
            self.misses += 1
            if self.misses >= self.policy.max_missed:
                return Beat.DEAD
        return self._ping(now) if now >= self.next_ping else Beat.NOTHING

    def answer(self, echo: float, now: float) -> float | None:
        """A response arrived. The echo only names the ping; the round trip is measured by our own clock.

        Returns it, in seconds; None if the response answers no ping that waits.
        """
        self.pong_due = None
        self.misses = 0
        if self.pinged_at is None or echo != stamp(self.pinged_at):
            return None
        rtt = now - self.pinged_at
        self.samples = [*self.samples, rtt][-SAMPLES_KEPT:]
        self.pinged_at = None
        return rtt

    def rtt(self) -> float | None:
        """Median round trip of the last samples, in seconds; None before the first."""
        if not self.samples:
            return None
        ordered = sorted(self.samples)
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

    def deadline(self) -> float:
        """The next ping or the next judgement, whichever is first."""
        return self.next_ping if self.pong_due is None else min(self.next_ping, self.pong_due)

    def _ping(self, now: float) -> Beat:
        self.pinged_at = now
        self.pong_due = now + self.policy.timeout_s
        self.next_ping = now + self.policy.interval_s
        return Beat.PING


def stamp(at: float) -> int:
    """A ping's timestamp on the wire: milliseconds of a monotonic clock, good for nothing but an echo."""
    return int(at * 1000)
