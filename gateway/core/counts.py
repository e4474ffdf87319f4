"""What a process counts of itself: plain numbers for the metrics, the admin's card and the bench.

Pure and without names that could grow: every key is a code, a type or a reason of a closed vocabulary, never
an address, a room or a text from outside. Who reads them is ``gateway.metrics``.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from gateway.core.closing import CLIENT_ENDINGS, NO_PEER_CODES, SERVER_ENDINGS, Ending
from gateway.core.messages import Error, wire_type
from gateway.core.outbox import Outbox

LATENCY_BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Fine where a player would notice nothing, coarse where everybody does."""
BUFFERED_BOUNDS: Final = (0, 1_024, 16_384, 65_536, 262_144, 1_048_576)
"""Bytes; the last three: frames wait, droppable ones are dropped, the socket goes (spec 1.5)."""
MINUTE_S: Final = 60.0
MINUTES_KEPT: Final = 30
"""Half an hour of the admin's card."""
OTHER: Final = "other"

_ERROR: Final = str(Error.__struct_config__.tag)

KNOWN_CLOSES: Final = NO_PEER_CODES | {ending.code for ending in (*SERVER_ENDINGS, *CLIENT_ENDINGS)}
"""A client may close with any of two thousand codes; those beyond the table are counted as one."""


class Histogram(Struct):
    """How many values were at most each bound; ``counts`` has one more, for those beyond the last."""

    bounds: tuple[float, ...]
    counts: list[int]
    total: float = 0.0

    @classmethod
    def empty(cls, bounds: tuple[float, ...] = LATENCY_BOUNDS_S) -> "Histogram":
        """Nothing counted yet."""
        return cls(bounds, [0] * (len(bounds) + 1))

    @classmethod
    def of(cls, values: Iterable[float], bounds: tuple[float, ...]) -> "Histogram":
        """The values that there are just now."""
        histogram = cls.empty(bounds)
        for value in values:
            histogram.add(value)
        return histogram

    def add(self, value: float) -> None:
        """Count one value."""
        self.total += value
        for index, bound in enumerate(self.bounds):
            if value <= bound:
                self.counts[index] += 1
                return
        self.counts[-1] += 1

    def cumulative(self) -> list[tuple[str, int]]:
        """``(upper bound, values at most that)``, the last bound being ``+Inf``."""
        pairs = []
        below = 0
        for bound, count in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            below += count
            pairs.append((bound, below))
        return pairs


class Minute(Struct):
    """What happened in one minute of the monotonic clock; ``index`` counts minutes from its zero."""

    index: int
    opened: int = 0
    refused: int = 0
    closed: int = 0


class Minutes(Struct):
    """The last minutes in which anything happened, oldest first."""

    kept: deque[Minute] = field(default_factory=lambda: deque(maxlen=MINUTES_KEPT))

    def at(self, now: float) -> Minute:
        """The running minute, to be counted in."""
        index = int(now // MINUTE_S)
        if not self.kept or self.kept[-1].index < index:
            self.kept.append(Minute(index))
        return self.kept[-1]

    def last(self, count: int, now: float) -> list[Minute]:
        """The last ``count`` minutes, the running one last; those without events are zeros."""
        known = {minute.index: minute for minute in self.kept}
        newest = int(now // MINUTE_S)
        return [known.get(index, Minute(index)) for index in range(newest - count + 1, newest + 1)]


class Counts(Struct):
    """All of it, since the process began.

    ``received`` and ``sent`` are frames by type, ``errors`` the ``ERROR`` frames among the latter by their
    code, ``dropped`` frames that went nowhere, by reason.
    """

    opened: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    shield: dict[str, int] = field(default_factory=dict)
    """What the shield would have refused, by reason, while it only watches."""
    closed: dict[str, int] = field(default_factory=dict)
    frames: int = 0
    """All messages that came in, whatever became of them."""
    received: dict[str, int] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    rtt: Histogram = field(default_factory=Histogram.empty)
    lag: Histogram = field(default_factory=Histogram.empty)
    broadcast: Histogram = field(default_factory=Histogram.empty)
    minutes: Minutes = field(default_factory=Minutes)

    def open(self, now: float) -> None:
        """A socket was handed to the game."""
        self.opened += 1
        self.minutes.at(now).opened += 1

    def refuse(self, code: str, now: float) -> None:
        """An upgrade was refused."""
        count(self.refused, code)
        self.minutes.at(now).refused += 1

    def send(self, event: Struct, receivers: int) -> None:
        """A frame was handed to so many sockets."""
        name = wire_type(event)
        count(self.sent, name, receivers)
        if name == _ERROR and isinstance(event, Error):  # the name is the cheaper question
            count(self.errors, event.code, receivers)

    def drop_outbound(self, outbox: Outbox) -> None:
        """What a slow socket did not get; once, when it is over."""
        for reason, frames in outbound_drops(outbox):
            count(self.dropped, reason, frames)

    def close(self, ending: Ending, now: float) -> None:
        """A socket is over."""
        count(self.closed, close_label(ending.code))
        self.minutes.at(now).closed += 1


def count(table: dict[str, int], key: str, by: int = 1) -> None:
    """Add to one number of a table."""
    table[key] = table.get(key, 0) + by


def outbound_drops(outbox: Outbox) -> tuple[tuple[str, int], ...]:
    """What a socket's outbox has dropped or replaced so far, by reason."""
    return ("slow_reader", outbox.dropped), ("replaced", outbox.replaced)


def close_label(code: int) -> str:
    """A close code as the metrics name it."""
    return str(code) if code in KNOWN_CLOSES else OTHER
