"""Clients that die while they shake hands: a request in part, damaged, or whole, and then a FIN, a RST or
nothing.

Which bytes and which death come from a seeded generator: what failed once fails again.
"""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

from tests.gateway.wire.client import AGENT, Browser
from tests.serving import Served

TABS = ("", "tab-1", "tab-2", "tab-3")
"""Few tabs for many attempts: they replace each other, and cancel each other's replacements."""
TICKETS: tuple[dict[str, str], ...] = (
    {},
    {"roomId": "parlour", "playerSeatId": "seat-prey", "reconnectToken": "prey"},
    {"roomId": "parlour", "playerSeatId": "seat-prey", "reconnectToken": "wrong"},
)
ANSWER_S = 5.0
"""A server that takes longer for an answer is stuck."""
HANG_S = 0.05
LOOK_S = 0.02
SETTLED_S = 10.0
"""All closed sockets are forgotten by then: a close handshake takes 2 s at most."""


class Death(Enum):
    """How the connection ends."""

    FIN = "fin"
    RST = "rst"
    HANG = "hang"
    """Not at all for a moment, then by both ends of the descriptor."""


class Waits(Enum):
    """What the client still reads before it dies."""

    NOTHING = b""
    HEAD = b"\r\n\r\n"
    """The 101, or the refusal."""
    GREETING = b'"CONNECTED"'


@dataclass(frozen=True)
class Attempt:
    """One client: what it sends, what it waits for, how it dies."""

    request: bytes
    waits: Waits
    death: Death


def upgrade(browser: Browser, **query: str) -> bytes:
    """A valid upgrade request of this browser."""
    target = f"/ws?{urlencode(query)}" if query else "/ws"
    lines = [
        f"GET {target} HTTP/1.1",
        f"Host: 127.0.0.1:{browser.server.port}",
        f"Origin: {browser.server.http}",
        f"Cookie: {browser.cookie}",
        f"User-Agent: {AGENT}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def attempts(browsers: list[Browser], count: int, seed: int) -> Iterator[Attempt]:
    """``count`` attempts; about half are cut inside the request, the others die at each later stage."""
    random = Random(seed)
    for _ in range(count):
        query = dict(random.choice(TICKETS))
        if tab := random.choice(TABS):
            query["clientId"] = tab
        request = upgrade(random.choice(browsers), **query)
        yield _attempt(random, request)


def _attempt(random: Random, request: bytes) -> Attempt:
    death = random.choices(list(Death), weights=(4, 4, 1))[0]
    match random.randrange(10):
        case 0 | 1 | 2 | 3 | 4:
            return Attempt(request[: random.randrange(len(request))], Waits.NOTHING, death)
        case 5:
            damaged = bytearray(request)
            damaged[random.randrange(len(request))] = random.randrange(256)
            return Attempt(bytes(damaged), Waits.NOTHING, death)
        case 6:
            return Attempt(request + random.randbytes(random.randrange(1, 200)), Waits.NOTHING, death)
        case 7:
            return Attempt(request, Waits.NOTHING, death)
        case 8:
            return Attempt(request, Waits.HEAD, death)
        case _:
            return Attempt(request, Waits.GREETING, death)


async def tear(port: int, attempt: Attempt) -> None:
    """Live one attempt. Whatever the server does to it is fine, so long as it does something."""
    loop = asyncio.get_running_loop()
    sock = socket.socket()
    sock.setblocking(False)
    try:
        await loop.sock_connect(sock, ("127.0.0.1", port))
        await loop.sock_sendall(sock, attempt.request)
        if attempt.waits is not Waits.NOTHING:
            async with asyncio.timeout(ANSWER_S):
                await _read_to(sock, attempt.waits.value)
        await _die(sock, attempt.death)
    except ConnectionError:
        pass  # the server was first
    finally:
        sock.close()


async def _read_to(sock: socket.socket, mark: bytes) -> None:
    """Read until the mark has come, or the server ends the connection (a refusal has no greeting)."""
    got = b""
    while mark not in got:
        data = await asyncio.get_running_loop().sock_recv(sock, 65_536)
        if not data:
            return
        got += data


async def _die(sock: socket.socket, death: Death) -> None:
    match death:
        case Death.FIN:
            sock.shutdown(socket.SHUT_WR)
        case Death.RST:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        case Death.HANG:
            await asyncio.sleep(HANG_S)


async def tear_all(port: int, torn: Iterable[Attempt], at_once: int = 40) -> int:
    """Live all attempts, so many side by side; how many there were."""
    queue = iter(torn)
    done = 0

    async def worker() -> None:
        nonlocal done
        for attempt in queue:
            await tear(port, attempt)
            done += 1

    async with asyncio.TaskGroup() as workers:
        for _ in range(at_once):
            workers.create_task(worker())
    return done


def counters(browser: Browser) -> dict[str, Any]:
    """What the process counts now."""
    return {**_asked(browser, "/counters"), **_asked(browser, "/inside")}


def settled(browser: Browser, inside: int = 0, slots: int = 0) -> dict[str, Any]:
    """The counters once they are so many, or what they are if that never comes: the caller compares."""
    until = time.monotonic() + SETTLED_S
    while time.monotonic() < until:
        counted = counters(browser)
        if (counted["inside"], counted["slots"]) == (inside, slots):
            break
        time.sleep(LOOK_S)
    return counted


def _asked(browser: Browser, path: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(browser.get(path).body)  # type: ignore[attr-defined]
    return answer


NOTHING: dict[str, Any] = {
    "slots": 0,
    "by_session": [],
    "by_address": [],
    "by_client": 0,
    "buffered": {},
    "inside": 0,
}
"""The counters of a process that has no sockets."""


def descriptors(server: Served) -> int:
    """Open files of the server's process."""
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
