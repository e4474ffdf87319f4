"""What ``bench.tunnel`` measures with: a site of its own process, and visitors of it.

The site speaks raw HTTP, so that its own speed hides nothing of the tunnel's; a visitor is the same code
whether it goes through the tunnel or straight to the site.
"""

import asyncio
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

from tests.tunnel.kit import Visitor

LARGE_BYTES: Final = 50 * 1024 * 1024
BLOCK: Final = bytes(65_536)
SMALL: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
LARGE: Final = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE_BYTES
PIECE_BYTES: Final = 10_000

_spawn = multiprocessing.get_context("spawn")


class Place:
    """Where visitors knock: the relay's port with a tunnel's host, or the site itself."""

    def __init__(self, port: int, host: str) -> None:
        self.port = port
        self.host = host

    def visitor(self) -> Visitor:
        """A connection to it."""
        return Visitor(self.port, host=self.host)


@contextmanager
def site() -> Iterator[int]:
    """The site, in a process of its own; its port."""
    ours, its = _spawn.Pipe()
    process = _spawn.Process(target=_serve, args=(its,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


@contextmanager
def downloading(place: Place, bytes_per_s: int | None) -> Iterator[BaseProcess]:
    """A visitor, in a process of its own, that loads the large file again and again, fast or slowly."""
    process = _spawn.Process(target=_download_on, args=(place, bytes_per_s), daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def waits(place: Place, count: int) -> list[float]:
    """Seconds that each of so many small requests took, one after the other on one connection."""
    found = []
    with place.visitor() as visitor:
        for _ in range(count):
            began = time.perf_counter()
            visitor.ask("/").reply()
            found.append(time.perf_counter() - began)
    return found


def download_s(place: Place) -> float:
    """Seconds that the large file takes."""
    with place.visitor() as visitor:
        began = time.perf_counter()
        visitor.ask("/large").head()
        left = LARGE_BYTES - len(visitor.buffer)
        while left:
            left -= len(visitor.socket.recv(262_144))
        return time.perf_counter() - began


def requests_per_s(place: Place, connections: int, lasting_s: float) -> float:
    """Small requests, so many at a time."""
    return asyncio.run(_requests_per_s(place, connections, lasting_s))


async def _requests_per_s(place: Place, connections: int, lasting_s: float) -> float:
    end = time.perf_counter() + lasting_s
    counts = await asyncio.gather(*(_ask_until(place, end) for _ in range(connections)))
    return sum(counts) / lasting_s


async def _ask_until(place: Place, end: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
    request = f"GET / HTTP/1.1\r\nHost: {place.host}\r\n\r\n".encode()
    count = 0
    while time.perf_counter() < end:
        writer.write(request)
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(5)
        count += 1
    writer.close()
    return count


def _download_on(place: Place, bytes_per_s: int | None) -> None:
    while True:
        with place.visitor() as visitor:
            if bytes_per_s is not None:
                visitor.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE_BYTES)
            visitor.ask("/large")
            while visitor.socket.recv(PIECE_BYTES if bytes_per_s else 262_144):
                if bytes_per_s:
                    time.sleep(PIECE_BYTES / bytes_per_s)


def _serve(port_to: Connection) -> None:
    async def run() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0)
        port_to.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head: Any = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /large"):
                writer.write(LARGE)
                for _ in range(LARGE_BYTES // len(BLOCK)):
                    writer.write(BLOCK)
                    await writer.drain()
            else:
                writer.write(SMALL)
    except (ConnectionError, asyncio.IncompleteReadError):
        writer.close()  # the visitor has what it wanted
