"""The port: what the gateway needs of an ASGI server beyond ASGI (spec 1.8).

An adapter subclasses the server's own WebSocket protocol and puts a `Port` into
``scope["extensions"]["gateway.transport"]``; where there is none, `gateway.transports.plain` makes one of
``receive`` and ``send``. The consumer talks to nothing else, so it is the same on each server. No method
waits or calls back into the caller, except `run`, which is the socket's whole open life.
"""

from collections.abc import Callable
from typing import Final, Protocol

from gateway.core.closing import By
from gateway.core.inbound import TRANSPORT_MAX_BYTES

EXTENSION: Final = "gateway.transport"
"""The key of the port in ``scope["extensions"]``."""

CLOSE_TIMEOUT_S: Final = 2.0
"""How long a close frame may wait for a peer that does not read, until the transport is reset (spec 1.5)."""

MAX_MESSAGE_BYTES: Final = TRANSPORT_MAX_BYTES
"""The server's own cap on a message: above the application's 128 KiB, so that it can answer (spec 1.8)."""


class PeerClose:
    """How a socket ended, and by whose hand: `closing` maps the two to their meaning.

    ``code`` is the true one: the peer's own, 1005 for its empty close frame, 1006 for a connection that
    dropped, ours if we closed, and 1002, 1007 or 1009 by the server's library for a fault of the peer (then
    ``by`` is the server).
    """

    __slots__ = ("by", "code", "reason")

    def __init__(self, code: int, reason: str = "", by: By = By.CLIENT) -> None:
        self.code = code
        self.reason = reason
        self.by = by

    def __repr__(self) -> str:
        return f"PeerClose({self.code}, {self.reason!r}, {self.by})"


class Port(Protocol):
    """One accepted socket.

    Every method may be called at any time, also after the end, and then does nothing.
    """

    def buffered(self) -> int:
        """Bytes that the process holds for this socket and the kernel has not taken."""

    def write(self, payload: bytes) -> None:
        """Queue one text message (UTF-8). Never waits.

        A broadcast hands the same object to each socket: its frame is then made once (`frames.text_frame`).
        """

    def close(self, code: int, reason: str) -> None:
        """Queue a close frame with any code a server may send; abort at most `CLOSE_TIMEOUT_S` later.

        Before accept it does nothing: a handshake is refused by a response.
        """

    def abort(self) -> None:
        """Reset the connection: buffers, descriptor and kernel memory are free in the loop's next turn."""

    async def run(self, on_message: Callable[[bytes], None], on_drain: Callable[[], None]) -> PeerClose:
        """Deliver every message, text and binary alike, to ``on_message`` until the socket's end is known.

        Called after accept; what came in between is delivered first. Returns at the peer's close frame, at a
        drop and at `close` or `abort`, without waiting for the connection to go. ``on_drain`` is called when
        the write buffer has emptied after ``buffered()`` had reached `core.outbox.WRITE_THROUGH_BYTES`.
        Exceptions of either callback end the socket with 1011 by the caller's own doing: the port lets them
        out of ``run`` and delivers nothing more.
        """
