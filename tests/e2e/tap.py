"""A cable with a hand on it: it says things in the name of either side, and makes the server deaf.

So a page sees any close code that a server may send, on a real socket, and a server any bytes that a page
never would. What is said comes in between whole frames: a test speaks while the line is idle.
"""

import asyncio
import struct

from tests.conformance.raw import CLOSE, frame
from tests.e2e.cable import Cable, Line


class Tap(Cable):
    """Speaks on the newest WebSocket that is open through it."""

    def close_browser(self, code: int, reason: str) -> None:
        """The server's close frame, as far as the browser can tell.

        The real server takes the browser's answer for the first word; what it answers must not arrive.
        """
        line = self._newest()
        line.mute = True
        payload = struct.pack("!H", code) + reason.encode()
        self._run(self._say(line.to_browser, frame(CLOSE, payload, masked=False)))

    def say_to_server(self, data: bytes) -> None:
        """Bytes of the browser, as far as the server can tell."""
        self._run(self._say(self._newest().to_server, data))

    def deafen(self) -> None:
        """The server hears nothing more of this socket, and the browser does not notice."""
        self._newest().deaf = True

    def mute(self) -> None:
        """The browser hears nothing more of this socket, and the server does not notice."""
        self._newest().mute = True

    def upgrades(self) -> int:
        """How many sockets are open through this cable."""
        return sum(line.is_socket for line in self._lines)

    def _newest(self) -> Line:
        return next(line for line in reversed(self._lines) if line.is_socket)

    async def _say(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        await writer.drain()
