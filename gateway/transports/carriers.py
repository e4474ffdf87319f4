"""What a port needs of the TCP connection below it, in the same words for each server's transport.

A reset that is one, a kernel that hides little, an end of our side alone. Knows bytes and sockets, nothing of
WebSockets; the carrier on Twisted is with the adapter for Daphne, so that nobody else loads Twisted.
"""

import asyncio
import socket
from struct import pack
from typing import Final, Protocol

SEND_BUFFER_BYTES: Final = 131_072
"""SO_SNDBUF. Linux doubles it for its bookkeeping: about 190 KiB then wait unseen for a peer that does not
read, where the kernel's own tuning hides 2.7 MiB and with it the 1 MiB rule of spec 1.5. At a round trip of
100 ms it still carries more than 1 MB/s."""
RESET_ON_CLOSE: Final = pack("ii", 1, 0)
"""SO_LINGER, on, for 0 seconds: closing sends RST and drops what the kernel holds."""


class Carrier(Protocol):
    """One TCP connection. Not called any more once it is lost."""

    def write(self, data: bytes, /) -> None:
        """Queue bytes; never waits."""

    def buffered(self) -> int:
        """Bytes that the process holds and the kernel has not taken."""

    def pause(self) -> None:
        """Stop reading; a second call does nothing."""

    def resume(self) -> None:
        """Read again; a second call does nothing."""

    def finish(self) -> None:
        """End our side once all is written, and go on reading where the transport can."""

    def close(self) -> None:
        """End the connection once all is written."""

    def reset(self) -> None:
        """Drop the connection and everything that waits for it."""


class AsyncioCarrier:
    """A carrier on a transport of asyncio or uvloop."""

    __slots__ = ("_transport", "buffered", "write")

    def __init__(self, transport: asyncio.Transport, full_bytes: int) -> None:
        """``full_bytes``: the first size of the buffer at which the transport pauses its writer."""
        self._transport = transport
        self.write = transport.write
        self.buffered = transport.get_write_buffer_size
        transport.set_write_buffer_limits(high=full_bytes - 1)  # it pauses *above* its mark
        limit_kernel_buffer(transport.get_extra_info("socket"))

    def pause(self) -> None:
        self._transport.pause_reading()

    def resume(self) -> None:
        self._transport.resume_reading()

    def finish(self) -> None:
        # A full close with unread bytes in the kernel is a reset, which can overtake our close frame.
        if self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self._transport.close()

    def close(self) -> None:
        self._transport.close()

    def reset(self) -> None:
        """``abort`` alone leaves an orphan in the kernel that goes on delivering what it holds."""
        sock: socket.socket | None = self._transport.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self._transport.abort()


def limit_kernel_buffer(sock: socket.socket | None) -> None:
    """Let the kernel hold little of what we write, so that the bytes we count are nearly all there are."""
    if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
