"""One write for each socket and turn of the loop, straight to the kernel.

What is written in a turn waits for its end and leaves together: a game's burst of frames is one packet and
one system call. `send` on the socket itself costs less than the loop's own transport, which goes through the
file layer and a queue of its own; that one gets what the kernel does not take, and so keeps its order, its
errors and its watch for room. Knows bytes, nothing of WebSockets.
"""

import asyncio
import socket
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gateway.transports.carriers import AsyncioCarrier


class Turn:
    """What is to be sent at the end of this turn of the loop."""

    __slots__ = ("_call_soon", "_due")

    def __init__(self, call_soon: Callable[[Callable[[], None]], Any]) -> None:
        self._call_soon = call_soon
        self._due: list[DirectCarrier] = []

    def add(self, carrier: "DirectCarrier") -> None:
        """Have it send when this turn has ended."""
        if not self._due:
            self._call_soon(self._end)
        self._due.append(carrier)

    def _end(self) -> None:
        due, self._due = iter(self._due), []
        try:
            for carrier in due:
                carrier.send()
        finally:
            for carrier in due:  # what an application's callback raised is one socket's own
                self.add(carrier)


@lru_cache(maxsize=1)
def turn_of(loop: asyncio.AbstractEventLoop) -> Turn:
    """The one of this loop."""
    return Turn(loop.call_soon)


class DirectCarrier:
    """A carrier (`gateway.transports.carriers.Carrier`) on the descriptor of an asyncio transport.

    ``on_full`` and ``on_drain``: ``full_bytes`` wait, and none wait any more; what a transport tells its
    protocol. Not for TLS, whose transport must see every byte.
    """

    __slots__ = (
        "_below",
        "_full",
        "_full_bytes",
        "_held",
        "_on_drain",
        "_on_full",
        "_sock",
        "_transport",
        "_turn",
        "_waiting",
        "_waiting_bytes",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        full_bytes: int,
        turn: Turn,
        on_full: Callable[[], None],
        on_drain: Callable[[], None],
    ) -> None:
        self._below = AsyncioCarrier(transport, full_bytes)
        transport.set_write_buffer_limits(high=0)  # what it holds the kernel did not take: is it gone?
        self._transport = transport
        self._sock: socket.socket | None = None  # of sockets that open: a refused one is never shared
        self._full_bytes = full_bytes
        self._turn = turn
        self._on_full, self._on_drain = on_full, on_drain
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._full = False
        self._held = False

    def write(self, data: bytes, /) -> None:
        """Send at the end of this turn, with whatever else is written in it."""
        if not self._waiting:
            self._turn.add(self)
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if (self._held or self._waiting_bytes >= self._full_bytes) and self._is_full():
            self._full = True
            self._on_full()

    def buffered(self) -> int:
        if self._held:
            return self._waiting_bytes + self._transport.get_write_buffer_size()
        return self._waiting_bytes

    def holds(self) -> None:
        """The transport holds what the kernel did not take."""
        self._held = True

    def emptied(self) -> None:
        """The transport holds nothing any more."""
        self._held = False
        self._drained()

    def send(self) -> None:
        """Hand to the kernel what waits, and what that does not take to the transport."""
        waiting = self._waiting
        if not waiting:
            return
        if len(waiting) == 1:
            data = waiting.pop()
        else:
            data = b"".join(waiting)
            waiting.clear()
        self._waiting_bytes = 0
        if not self._held and not self._transport.is_closing():
            try:
                sent = (self._sock or self._share()).send(data)
            except OSError:  # no room, or nobody there: the transport finds out which
                sent = 0
            if sent == len(data):
                if self._full:
                    self._drained()
                return
            data = data[sent:]
        self._transport.write(data)
        if not self._held:
            self._drained()

    def let_go(self) -> None:
        """The descriptor is the transport's alone again, which is about to close it."""
        self._unshare()
        self._waiting, self._waiting_bytes = [], 0

    def pause(self) -> None:
        self._below.pause()

    def resume(self) -> None:
        self._below.resume()

    def finish(self) -> None:
        self.send()
        self._below.finish()

    def close(self) -> None:
        self.send()
        self._unshare()
        self._below.close()

    def reset(self) -> None:
        self.send()  # the close frame of this very turn, which says why, if the kernel has room for it
        self.let_go()
        self._below.reset()

    def _share(self) -> socket.socket:
        shared = self._transport.get_extra_info("socket")
        self._sock = socket.socket(shared.family, shared.type, shared.proto, shared.fileno())
        return self._sock

    def _unshare(self) -> None:
        """Its number may soon be another connection's: nothing more goes past the transport."""
        self._held = True
        if self._sock is not None:
            self._sock.detach()
            self._sock = None

    def _is_full(self) -> bool:
        return not self._full and self.buffered() >= self._full_bytes

    def _drained(self) -> None:
        if self._full and not self._waiting:
            self._full = False
            self._on_drain()
