"""A network between a client and a server, in this process, that goes wrong when a test says so.

Bytes pass through a loop in a thread of its own. Each fault is one call; `flows` ends those that last. A
browser's cable is in ``tests/e2e/cable.py``: that one is pulled and plugged, this one has bad days.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from enum import Enum
from typing import Any

CHUNK = 4_096
NOW = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: a close is a RST."""


class Way(Enum):
    """Which bytes: the client's, or the server's."""

    UP = "up"
    DOWN = "down"


class Pipe:
    """One connection: two sockets, and a copier for each way."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.ends = {Way.UP: (client, server), Way.DOWN: (server, client)}
        self.copiers: list[asyncio.Task[None]] = []

    def close(self, *ways: Way, rst: bool = False) -> None:
        """Close the ends that the bytes of these ways come from; ``rst`` without a goodbye."""
        for way in ways:
            source = self.ends[way][0]
            if rst and source.fileno() >= 0:
                source.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NOW)
            source.close()


class Proxy:
    """Relays a free port of the loopback to ``target_port``, for the length of a ``with``."""

    def __init__(self, target_port: int) -> None:
        self.port = 0
        self._target = ("127.0.0.1", target_port)
        self._delay_s = 0.0
        self._bytes_per_s = 0
        self._pipes: list[Pipe] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def http(self) -> str:
        """The site's origin, as a client behind this network sees it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        """Its WebSocket."""
        return f"ws://127.0.0.1:{self.port}/ws"

    def __enter__(self) -> "Proxy":
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._thread.start()
        self._accepting = asyncio.run_coroutine_threadsafe(self._accept(), self._loop)
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._listener.close()

    # ---------- faults

    def delays(self, seconds: float) -> None:
        """Every piece takes so long, each way."""
        self._delay_s = seconds

    def throttles(self, bytes_per_s: int) -> None:
        """No more than so many bytes a second, each way."""
        self._bytes_per_s = bytes_per_s

    def stalls(self, *ways: Way) -> None:
        """Nothing passes any more, and nobody is told: a phone in a tunnel. Without a way: both."""
        self._run(self._stall(ways or tuple(Way)))

    def flows(self) -> None:
        """Delay and throttle are over; what was stalled is not: its bytes are where they are."""
        self._delay_s, self._bytes_per_s = 0.0, 0

    def cuts(self) -> None:
        """Every connection ends on both sides, in the order of TCP but without a WebSocket's close."""
        self._run(self._close(*Way))

    def resets(self) -> None:
        """Every connection is reset on both sides."""
        self._run(self._close(*Way, rst=True))

    def forgets_clients(self) -> None:
        """Half-open: the clients are gone, and the server has not been told."""
        self._run(self._close(Way.UP, rst=True))

    # ---------- the loop's side

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _accept(self) -> None:
        while True:
            client, _ = await self._loop.sock_accept(self._listener)
            server = socket.socket()
            for end in (client, server):
                end.setblocking(False)
            await self._loop.sock_connect(server, self._target)
            pipe = Pipe(client, server)
            self._pipes.append(pipe)
            pipe.copiers = [self._loop.create_task(self._copy(pipe, way)) for way in Way]

    async def _copy(self, pipe: Pipe, way: Way) -> None:
        source, sink = pipe.ends[way]
        try:
            while data := await self._loop.sock_recv(source, CHUNK):
                await asyncio.sleep(self._delay_s)
                if self._bytes_per_s:
                    await asyncio.sleep(len(data) / self._bytes_per_s)
                await self._loop.sock_sendall(sink, data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pipe.close(*Way, rst=True)  # one end has vanished: so does the other

    async def _stall(self, ways: tuple[Way, ...]) -> None:
        for pipe in self._pipes:
            for copier, way in zip(pipe.copiers, Way, strict=True):
                if way in ways:
                    copier.cancel()

    async def _close(self, *ways: Way, rst: bool = False) -> None:
        await self._stall(tuple(Way))
        await asyncio.sleep(0)  # a socket is closed when nobody waits for it any more
        for pipe in self._pipes:
            pipe.close(*ways, rst=rst)

    async def _stop(self) -> None:
        self._accepting.cancel()
        await self._close(*Way, rst=True)
        copiers = [copier for pipe in self._pipes for copier in pipe.copiers]
        await asyncio.gather(*copiers, return_exceptions=True)
