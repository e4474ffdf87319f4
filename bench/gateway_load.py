"""A server on the first core, clients on the last, and what can be read off both.

Clients write their own frames: a library would be what is measured. The scenarios are in
``bench.gateway_scenarios``.
"""

import asyncio
import json
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conformance.raw import TEXT, Raw, frame
from tests.faults.neighbour import headers
from tests.faults.strict import strictly
from tests.gateway.wire.client import Browser
from tests.serving import Served, serving

ROOMY = json.dumps({"SESSION_CAP": 1000, "IP_CAP": 1000, "HEARTBEAT_INTERVAL_MS": 600_000})
"""No caps, and no heartbeats for clients that answer none."""
FLOOD_CHUNK = frame(TEXT, b'{"type":"SAY","text":"x"}') * 2000


@contextmanager
def pinned(settings: str, server: str, **environment: str) -> Iterator[Served]:
    """A server on the first core, ourselves on the last."""
    cores = sorted(os.sched_getaffinity(0))
    with (
        TemporaryDirectory() as data,
        serving(settings, Path(data), "--server", server, TOY_GATEWAY=ROOMY, **environment) as served,
    ):
        for thread in Path(f"/proc/{served.process.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cores[0]})
        os.sched_setaffinity(0, {cores[-1]})
        try:
            yield served
        finally:
            os.sched_setaffinity(0, cores)


def memory_of(server: Served, key: str) -> int:
    """A figure of ``/proc/PID/status`` in bytes: ``VmRSS``, or ``VmHWM``, its peak."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(rf"^{key}:\s+(\d+) kB", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def forget_peak(server: Served) -> None:
    """From now on ``VmHWM`` is the peak since now."""
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")


def knock(browser: Browser, receive_buffer: int | None = None) -> Raw:
    """An open socket past its greeting."""
    raw = Raw(browser.server.port, receive_buffer).open("/ws", headers(browser))
    assert strictly(raw.receive().payload)["type"] == "CONNECTED"
    return raw


def sit(browser: Browser, word: str, receive_buffer: int | None = None) -> Raw:
    """A socket that hears what is said in the room."""
    raw = knock(browser, receive_buffer)
    raw.text(json.dumps({"type": "SIT", "word": word}))
    assert strictly(raw.receive().payload)["type"] == "SEATED"
    return raw


class Player(asyncio.Protocol):
    """Says something now and then, hears everybody, and times the way of its own words."""

    def __init__(self, number: int) -> None:
        self.seat = f"player-{number}"
        self.trips: list[float] = []
        self._own = f'{{"type":"SAID","seat":"seat-{self.seat}"'.encode()
        self._said_at: list[float] = []
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Frames of the server: no mask, no fragments, none above 64 KiB."""
        now = time.perf_counter()
        data = self._data + data
        start = 0
        while len(data) >= start + 4:
            head, size = (
                (2, data[start + 1])
                if data[start + 1] < 126
                else (4, int.from_bytes(data[start + 2 : start + 4]))
            )
            if len(data) < start + head + size:
                break
            if data.startswith(self._own, start + head):
                self.trips.append(now - self._said_at.pop(0))
            start += head + size
        self._data = data[start:]

    def say(self) -> None:
        """A few words."""
        self._said_at.append(time.perf_counter())
        self.transport.write(frame(TEXT, b'{"type":"SAY","text":"the quick brown fox"}'))

    async def live(self, first_in_s: float, every_s: float) -> None:
        """Until cancelled."""
        await asyncio.sleep(first_in_s)
        while True:
            self.say()
            await asyncio.sleep(every_s)


async def join(browser: Browser, number: int) -> Player:
    """A player whose socket the loop serves from now on."""
    raw = await asyncio.to_thread(sit, browser, f"player-{number}")
    raw.sock.setblocking(False)
    _, player = await asyncio.get_running_loop().create_connection(lambda: Player(number), sock=raw.sock)
    return player


class Flooder:
    """Sends as fast as TCP takes it, in a thread, for the length of a ``with``."""

    def __init__(self, browser: Browser) -> None:
        self._raw = knock(browser)
        self._thread = threading.Thread(target=self._flood)
        self._began = 0.0
        self.sent = 0
        self.frames_per_s = 0.0

    def __enter__(self) -> "Flooder":
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.frames_per_s = self.sent / len(FLOOD_CHUNK) * 2000 / (time.monotonic() - self._began)
        with suppress(OSError):
            self._raw.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._raw.sock.close()

    def _flood(self) -> None:
        with suppress(OSError):  # it is shut down
            while True:
                self.sent += self._raw.sock.send(FLOOD_CHUNK)
