"""A relay, clients and sites behind them, for tests that look at the wire.

The relay and the client are the real programs in processes of their own. A `SiteBehind` is a raw server whose
handlers are the test's own: it can answer what no server would.
"""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.serving import ROOT
from tunnel.core.codec import decode, encode
from tunnel.core.frames import VERSION, Frame, Hello, Ping, Pong, Ready

START_S = 30
DOMAIN = "tunnel.localhost"
ENDPOINT = "/_tunnel"

Handler = Callable[[bytes, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class SiteBehind:
    """A raw server in a thread; ``on(path, handler)`` says what to do. ``heads`` are all heads that came."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self._handlers: dict[bytes, Handler] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    def __enter__(self) -> "SiteBehind":
        self._thread.start()
        self._server = self.run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Any) -> Any:
        """Run a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(START_S)

    def on(self, path: str, handler: Handler) -> None:
        """What to do with requests for this raw path."""
        self._handlers[path.encode()] = handler

    def says(self, path: str, answer: bytes) -> None:
        """Answer with exactly these bytes, then close."""

        async def handler(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(answer)
            await writer.drain()

        self.on(path, handler)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            handler = self._handlers.get(head.split(b" ", 2)[1].partition(b"?")[0], _hello)
            await handler(head, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left: some tests are about that
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _stop(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _hello(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    await writer.drain()


class Client:
    """A running ``python -m tunnel``."""

    def __init__(self, arguments: list[str], token: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tunnel", *arguments],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "TUNNEL_TOKEN": token, "PYTHONUNBUFFERED": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._grown = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def says(self, pattern: str, times: int = 1) -> bool:
        """Whether it says this (so many times), now or soon."""
        with self._grown:
            return self._grown.wait_for(lambda: len(re.findall(pattern, self.log)) >= times, START_S)

    @property
    def log(self) -> str:
        """All that it said."""
        return "".join(self.lines)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def wait(self) -> int:
        """Its exit code."""
        code = self.process.wait(START_S)
        self._reader.join(START_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def stop(self) -> int:
        """End it, however it stands; a stopped process has to be woken for it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._grown:
                self.lines.append(line)
                self._grown.notify_all()


@contextmanager
def serving_client(
    relay: int | str, name: str, target_port: int, token: str, *more: str, **environment: str
) -> Iterator[Client]:
    """A client that serves ``name``, for the length of a ``with``; ``relay`` is its port, or its address."""
    to, at = f"http://127.0.0.1:{target_port}", relay if isinstance(relay, str) else f"ws://127.0.0.1:{relay}"
    client = Client([name, "--to", to, "--relay", at, *more], token, **environment)
    try:
        assert client.says("serving https?://"), client.log
        yield client
    finally:
        client.stop()


def hello(name: str, instance: str = "raw", force: bool = False) -> Hello:
    """A client's first frame."""
    return Hello((VERSION,), name, instance, force=force)


class RawPeer:
    """A peer made by hand, which does only what a test says."""

    def __init__(self, relay_port: int, token: str, hello: Hello | None, source: str = "127.0.0.1") -> None:
        dial: Any = connect(
            f"ws://127.0.0.1:{relay_port}{ENDPOINT}",
            additional_headers={"Authorization": f"Bearer {token}"},
            proxy=None,
            compression=None,
            ping_interval=None,
            close_timeout=1,
            sock=socket.create_connection(("127.0.0.1", relay_port), START_S, (source, 0)),
        )
        self.socket: ClientConnection = dial.__enter__()
        if hello is not None:
            with suppress(ConnectionClosed):  # a bad token is refused before it, and why is there to be read
                self.send(hello)

    def __enter__(self) -> "RawPeer":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, frame: Frame) -> None:
        """Send one frame."""
        self.socket.send(encode(frame))

    def next(self) -> Frame:
        """The next frame of the relay."""
        message = self.socket.recv(START_S)
        assert isinstance(message, bytes)
        return decode(message)

    def next_of(self, *kinds: type) -> Any:
        """The next frame of one of these kinds; others are skipped."""
        while True:
            frame = self.next()
            if isinstance(frame, Ping) and Ping not in kinds:
                with suppress(ConnectionClosed):  # what it said before may still be unread
                    self.send(Pong(frame.token))
            elif isinstance(frame, kinds):
                return frame

    def ready(self) -> "RawPeer":
        """Wait until the name is served."""
        self.next_of(Ready)
        return self

    def ended(self) -> ConnectionClosed:
        """How the relay ends the connection; what comes before is skipped."""
        try:
            while True:
                self.socket.recv(START_S)
        except ConnectionClosed as closed:
            return closed


class Reply:
    """A response as it came on the wire."""

    def __init__(self, raw: bytes, body: bytes, whole: bool) -> None:
        self.raw = raw
        self.status = int(raw.split(b" ", 2)[1])
        self.lines = [line.decode("latin-1") for line in raw.split(b"\r\n")[1:] if line]
        self.body = body
        self.whole = whole

    def values(self, name: str) -> list[str]:
        """All values of a header, in order."""
        pairs = (line.split(": ", 1) for line in self.lines)
        return [value for key, value in pairs if key.lower() == name]

    @property
    def error(self) -> str:
        """The relay's own word for what went wrong; empty if it is not the relay that speaks."""
        return ", ".join(self.values("x-tunnel-error"))

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Visitor:
    """A raw TCP connection of somebody who visits a peer."""

    def __init__(self, port: int, name: str = "", host: str | None = None) -> None:
        self.host = host if host is not None else f"{name}.{DOMAIN}:{port}"
        self.socket = socket.create_connection(("127.0.0.1", port), START_S)
        self.buffer = b""

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, target: str = "/", *lines: str, method: str = "GET", body: bytes = b"") -> "Visitor":
        """Send a request with the visitor's host and these header lines."""
        head = "\r\n".join([f"{method} {target} HTTP/1.1", f"Host: {self.host}", *lines, "", ""])
        self.socket.sendall(head.encode("latin-1") + body)
        return self

    def reply(self, method: str = "GET") -> Reply:
        """Read one response, framed by length or in chunks."""
        raw = self._until(b"\r\n\r\n")
        reply = Reply(raw, b"", True)
        if method == "HEAD" or reply.status in (204, 304):
            return reply
        if length := reply.values("content-length"):
            reply.body = self._exactly(int(length[0]))
            reply.whole = len(reply.body) == int(length[0])
            return reply
        chunks = []
        while chunk := self.chunk():
            chunks.append(chunk)
        reply.body, reply.whole = b"".join(chunks), chunk is not None
        return reply

    def head(self) -> Reply:
        """Read the head of a response alone."""
        return Reply(self._until(b"\r\n\r\n"), b"", False)

    def chunk(self) -> bytes | None:
        """Read one chunk; empty at the end, None if the connection ends before that."""
        size = self._until(b"\r\n")
        if not size.endswith(b"\r\n"):
            return None
        data = self._exactly(int(size, 16) + 2)
        return data[:-2] if data.endswith(b"\r\n") else None

    def sees(self, text: bytes) -> bool:
        """Whether this comes, before or after what was read so far."""
        while text not in self.buffer:
            if not self._more():
                return False
        return True

    def rest(self) -> bytes:
        """All that comes until the connection ends."""
        while self._more():
            pass
        found, self.buffer = self.buffer, b""
        return found

    def _until(self, mark: bytes) -> bytes:
        while mark not in self.buffer:
            if not self._more():
                found, self.buffer = self.buffer, b""
                return found
        found, _, self.buffer = self.buffer.partition(mark)
        return found + mark

    def _exactly(self, count: int) -> bytes:
        pieces, missing = [self.buffer[:count]], count - len(self.buffer)
        self.buffer = self.buffer[count:]
        while missing > 0 and self._more():
            pieces.append(self.buffer[:missing])
            self.buffer = self.buffer[missing:]
            missing -= len(pieces[-1])
        return b"".join(pieces)

    def _more(self) -> bool:
        try:
            data = self.socket.recv(65_536)
        except ConnectionResetError:
            return False
        self.buffer += data
        return bool(data)
