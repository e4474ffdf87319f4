"""Fakes that ship with the contract: a clock that only moves when told, a transport that is a list, sockets
that remember what a game did with them.

For tests of any game on the gateway, and for everything else that runs the real `Runtime` on virtual time.
They behave as the port, the clock and the contract promise, no more.
"""

import heapq
import itertools
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection
from random import Random
from typing import Any

import msgspec

from gateway.contract import ConnId, FrameClass, TrustContext
from gateway.core.closing import By, Ending
from gateway.transports.port import PeerClose


class VirtualTimer:
    """A call that was put off on a `VirtualClock`."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Do not make the call."""
        self.call = None


class VirtualClock:
    """Implements `gateway.alarm.Clock`; time passes in `advance`, calls are made at their exact moment."""

    def __init__(self, now: float = 1000.0) -> None:
        self._now = now
        self._order = itertools.count()
        self._due: list[tuple[float, int, VirtualTimer]] = []

    def now(self) -> float:
        """The virtual time in seconds."""
        return self._now

    def call_later(self, delay: float, call: Callable[[], None]) -> VirtualTimer:
        """Make the call when time has come that far."""
        timer = VirtualTimer(call)
        heapq.heappush(self._due, (self._now + delay, next(self._order), timer))
        return timer

    def next_call(self) -> float | None:
        """When the next call is due that was not cancelled; None if there is none."""
        while self._due and self._due[0][2].call is None:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def advance(self, seconds: float) -> None:
        """Let time pass: calls that fall due are made in order, those that they put off included."""
        end = self._now + seconds
        while self._due and self._due[0][0] <= end:
            due, _, timer = heapq.heappop(self._due)
            self._now = max(self._now, due)
            if timer.call is not None:
                timer.call()
        self._now = end

    def stall(self, seconds: float) -> None:
        """The process stands still: time passes, and only then the overdue calls are made, all late."""
        self._now += seconds
        self.advance(0.0)


class SeededDraw:
    """Implements `gateway.draw.Draw` from a seed: the same seed draws the same."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def text(self, size: int) -> str:
        """From the seed."""
        return urlsafe_b64encode(self._random.randbytes(size)).decode().rstrip("=")

    def below(self, limit: int) -> int:
        """From the seed."""
        return self._random.randrange(limit)

    def share(self) -> float:
        """From the seed, in steps of a thousandth."""
        return self._random.randrange(1000) / 1000


class RecordingPort:
    """Implements `gateway.transports.port.Port` without a network.

    ``sent`` holds the decoded frames in order.
    """

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.unread_bytes = 0
        self.reading = True
        self.closed: PeerClose | None = None
        self.aborted = False

    def buffered(self) -> int:
        """What the peer has not taken."""
        return self.unread_bytes

    def write(self, payload: bytes) -> None:
        """Take one frame; while the peer does not read, its bytes pile up."""
        if self.closed is None:
            self.sent.append(msgspec.json.decode(payload))
            self.unread_bytes += 0 if self.reading else len(payload)

    def close(self, code: int, reason: str) -> None:
        """Remember the close frame."""
        self.closed = self.closed or PeerClose(code, reason, By.SERVER)

    def abort(self) -> None:
        """Remember the reset."""
        self.aborted = True

    async def run(self, on_message: Callable[[bytes], None], on_drain: Callable[[], None]) -> PeerClose:
        """Nobody sends anything here: messages are put in with `Socket.received`."""
        raise NotImplementedError("a RecordingPort is driven by its test, not run")

    def types(self) -> list[str]:
        """The types of all frames that were sent."""
        return [frame["type"] for frame in self.sent]


class Sent(msgspec.Struct, frozen=True):
    """One event as a game sent it."""

    conn_ids: tuple[ConnId, ...]
    event: msgspec.Struct
    frame_class: FrameClass
    key: str | None


class FakeSockets:
    """Implements `gateway.contract.Sockets`: keeps what the game asked for, in order."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.bound: dict[ConnId, str] = {}
        self.closed: dict[ConnId, Ending] = {}
        self.trusted: dict[ConnId, TrustContext] = {}

    def send(
        self,
        conn_ids: Collection[ConnId],
        event: msgspec.Struct,
        frame_class: FrameClass,
        key: str | None = None,
    ) -> None:
        """Keep the event, encoded once to find out that it can be."""
        msgspec.json.encode(event)
        self.sent.append(Sent(tuple(conn_ids), event, frame_class, key))

    def bind(self, conn_id: ConnId, user_id: str) -> None:
        """Remember for which seat the connection speaks."""
        self.bound[conn_id] = user_id

    def unbind(self, conn_id: ConnId) -> None:
        """Forget it."""
        self.bound.pop(conn_id, None)

    def close(self, conn_id: ConnId, ending: Ending) -> None:
        """Remember the ending; the test calls `Game.leave`, as the transport's end would."""
        self.closed.setdefault(conn_id, ending)

    def trust(self, conn_id: ConnId) -> TrustContext | None:
        """What the test put into ``trusted``."""
        return self.trusted.get(conn_id)

    def told(self, conn_id: ConnId) -> list[msgspec.Struct]:
        """The events that one connection was sent, in order."""
        return [sent.event for sent in self.sent if conn_id in sent.conn_ids]
