"""A WebSocket client that costs next to nothing, for crowds of a thousand in one process: `Line`.

Only as much of the protocol as a server that keeps to it needs: no extensions, no fragments. Who sits at the
end of a line, and what they believe, is in ``tests.faults.storm``.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tests.conformance.raw import TEXT, frame

CLOSE: Final = 8
KEY: Final = "AAAAAAAAAAAAAAAAAAAAAA=="
NO_CLOSE: Final = 1006
"""What a client says of a socket that ended without a close frame."""
NOBODY: Final = 0
"""In place of a status: the connection ended before there was one."""


class Line(asyncio.Protocol):
    """``status`` is the answer to the upgrade, ``code`` how the socket ended; ``heard`` gets each text."""

    def __init__(self, request: bytes, heard: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self.status: asyncio.Future[int] = loop.create_future()
        self.code: asyncio.Future[int] = loop.create_future()
        self._request = request
        self._heard = heard
        self._data = b""
        self._closed_with = NO_CLOSE

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self.status.done():
            head, end, rest = self._data.partition(b"\r\n\r\n")
            if not end:
                return
            self._data = rest
            self.status.set_result(int(head[9:12]))
        if self.status.result() == 101:
            self._take_frames()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.status.done():
            self.status.set_result(NOBODY)
        self.code.set_result(self._closed_with)

    def says(self, text: bytes) -> None:
        """One message."""
        self._transport.write(frame(TEXT, text))

    def hangs_up(self) -> None:
        """As a network does that goes: without a word."""
        self._transport.abort()

    def _take_frames(self) -> None:
        data, start = self._data, 0
        while (payload := _payload(data, start)) is not None:
            opcode, start = data[start] & 15, payload.stop
            if opcode == TEXT:
                self._heard(data[payload])
            elif opcode == CLOSE:
                self._closed_with = int.from_bytes(data[payload][:2]) or NO_CLOSE
                self._transport.write(frame(CLOSE, data[payload]))
                self._transport.close()
        self._data = data[start:]


def _payload(data: bytes, start: int) -> slice | None:
    """Where the payload of the frame at ``start`` lies, if all of it is there."""
    if len(data) < start + 2:
        return None
    size, head = data[start + 1], 2
    if size >= 126:
        head = 4 if size == 126 else 10
        size = int.from_bytes(data[start + 2 : start + head])
    end = start + head + size
    return slice(start + head, end) if start + head <= len(data) and end <= len(data) else None


def upgrade(port: int, path: str, cookie: str, agent: str) -> bytes:
    """The request of a browser on the site's own page."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {KEY}\r\n"
        f"Sec-WebSocket-Version: 13\r\nCookie: {cookie}\r\nUser-Agent: {agent}\r\n\r\n"
    ).encode()
