"""One stream as its user sees it: frames to await, frames to send with patience (spec 6.2).

Used by the relay for a visitor and by the client for the target. Asking for the next frame says that the last
one was passed on, which is when its credit is granted. No Django.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tunnel.core.credit import cost
from tunnel.core.frames import Data, Head, Reset, Stop, StreamFrame, Why, WsClose

if TYPE_CHECKING:
    from tunnel.wire import Wire

QUEUE_BYTES: Final = 32_768
"""What one stream may have waiting to be sent: two frames, so that the writer never waits for the sender."""


class StreamEnded(Exception):
    """The stream was reset, by either end or because the connection went."""

    def __init__(self, why: Why) -> None:
        super().__init__(f"{why.code.value}: {why.reason}")
        self.why = why


class Exchange:
    """One stream. ``bytes_in`` and ``bytes_out`` count bodies and messages.

    ``complete``: the other end has sent all that it will.
    """

    def __init__(self, wire: "Wire", stream: int) -> None:
        self.id = stream
        self.bytes_in = 0
        self.bytes_out = 0
        self.complete = False
        self.on_fail: Callable[[], object] | None = None  # for a user that may be waiting somewhere else
        self._wire = wire
        self._inbox: deque[StreamFrame] = deque()
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._failure: Why | None = None
        self._reading = 0

    async def next(self) -> StreamFrame:
        """The next frame; raises `StreamEnded` after a reset."""
        self._passed_on()
        while not self._inbox and self._failure is None:
            self._arrived.clear()
            await self._arrived.wait()
        if self._failure is not None:
            raise StreamEnded(self._failure)
        frame = self._inbox.popleft()
        if isinstance(frame, Data):
            self.bytes_in += len(frame.payload)
            self._reading = cost(frame.payload)
        return frame

    async def send(self, frame: StreamFrame) -> bool:
        """Send a frame when there is room for it; False if the stream is over."""
        while self._wire.link.queued(self.id) >= QUEUE_BYTES and self._failure is None:
            self._room.clear()
            await self._room.wait()
        if self._failure is not None or not self._wire.link.send(frame):
            return False
        if isinstance(frame, Data):
            self.bytes_out += len(frame.payload)
        self._wire.wake()
        return True

    def fail(self, why: Why) -> None:
        """The stream is over, and whoever waits for it learns why. The first reason counts."""
        if self._failure is None:
            self._failure = why
            if self.on_fail is not None:
                self.on_fail()
        self._arrived.set()
        self._room.set()

    def reset(self, code: Stop, reason: str = "") -> None:
        """End the stream at both ends."""
        self._wire.link.send(Reset(self.id, Why(code, reason)))
        self._wire.wake()
        self.fail(Why(code, reason))

    def close(self) -> None:
        """Nobody here uses the stream any more; resets it unless it has ended or only its queue has to go."""
        self._wire.link.send(Reset(self.id, Why(Stop.CANCELLED)))
        self._wire.link.abandon(self.id)
        self._wire.exchanges.pop(self.id, None)
        self._wire.wake()

    # From the wire

    def deliver(self, frame: StreamFrame) -> None:
        """A frame has come."""
        if isinstance(frame, Reset):
            self.fail(frame.content)
        else:
            self._inbox.append(frame)
            self._arrived.set()
            if isinstance(frame, WsClose) or (isinstance(frame, Data | Head) and frame.end):
                self.complete = True
                self._room.set()  # whoever waits to send learns that nobody wants it any more

    def written(self) -> None:
        """A frame of this stream has left."""
        if self._wire.link.queued(self.id) < QUEUE_BYTES:
            self._room.set()

    def _passed_on(self) -> None:
        if self._reading:
            self._wire.link.consumed(self.id, self._reading)
            self._wire.wake()
            self._reading = 0
