"""A port made of ``receive`` and ``send``, for a server that has no adapter (spec 1.8).

What ASGI cannot do it cannot do either: a reset, a close past a full buffer, the bytes inside the server,
limits on pings and fragments. `docs/servers.md` shows what is lost on which server.
"""

import asyncio
import contextlib
import logging
import types
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import cache
from typing import Any

from gateway.core.closing import By, clip_reason
from gateway.transports.port import CLOSE_TIMEOUT_S, EXTENSION, PeerClose, Port

logger = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Coroutine[Any, Any, None]]


def port_for(scope: Any, receive: Receive, send: Send) -> Port:
    """The adapter's port if the server has one, else a `PlainPort`, and a warning once a process."""
    port: Port | None = (scope.get("extensions") or {}).get(EXTENSION)
    if port is not None:
        return port
    _warn()
    return PlainPort(receive, send)


@cache
def _warn() -> None:
    logger.warning(
        "this server has no adapter: slow readers cannot be reset and some close codes are lost; "
        "serve with 'manage.py serve'"
    )


class PlainPort:
    """A socket of an unknown server.

    A send that does not wait costs no task; while one waits, the rest queues here.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._over: asyncio.Future[PeerClose] = asyncio.get_running_loop().create_future()
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._client_gone = False
        self._writer: asyncio.Task[None] | None = None
        self._closer: asyncio.Task[None] | None = None
        self._on_drain: Callable[[], None] | None = None

    def buffered(self) -> int:
        return self._waiting_bytes

    def write(self, payload: bytes) -> None:
        if self._over.done() or self._client_gone:
            return
        if self._writer is not None:
            self._waiting.append(payload)
            self._waiting_bytes += len(payload)
            return
        sending = self._send(_text(payload))
        try:
            blocked_on = sending.send(None)
        except StopIteration:
            return
        except Exception as exc:
            self._fail(exc)
            return
        self._waiting_bytes += len(payload)
        self._writer = asyncio.create_task(self._write_on(_resumed(sending, blocked_on), len(payload)))

    def close(self, code: int, reason: str) -> None:
        if not self._over.done():
            self._stop_writing()
            message = {"type": "websocket.close", "code": code, "reason": clip_reason(reason)}
            self._closer = asyncio.create_task(self._send_close(message))
            self._over.set_result(PeerClose(code, reason, By.SERVER))

    def abort(self) -> None:
        self._stop_writing()
        self._end(PeerClose(1006, "", By.SERVER))

    async def run(self, on_message: Callable[[bytes], None], on_drain: Callable[[], None]) -> PeerClose:
        self._on_drain = on_drain
        reader = asyncio.create_task(self._read(on_message))
        try:
            close = await self._over
            if self._closer is not None:
                await self._closer  # a server may drop what is unsent once its application has returned
            return close
        finally:
            reader.cancel()
            self._stop_writing()

    async def _read(self, on_message: Callable[[bytes], None]) -> None:
        try:
            while not self._over.done():
                self._take(await self._receive(), on_message)
        except Exception as exc:
            self._fail(exc)

    def _take(self, message: Any, on_message: Callable[[bytes], None]) -> None:
        if message["type"] == "websocket.disconnect":
            code = message.get("code") or 1005
            by = By.NETWORK if code == 1006 else By.CLIENT
            self._end(PeerClose(code, message.get("reason") or "", by))
        elif message["type"] == "websocket.receive" and not self._over.done():
            text = message.get("text")
            on_message(message["bytes"] if text is None else text.encode())

    async def _write_on(self, blocked: Awaitable[None], size: int) -> None:
        """Finish the send that waits, then send what has queued behind it."""
        try:
            await blocked
            self._waiting_bytes -= size
            while self._waiting:
                payload = self._waiting.popleft()
                await self._send(_text(payload))
                self._waiting_bytes -= len(payload)
            self._writer = None
            if self._on_drain is not None:
                self._on_drain()
        except Exception as exc:
            self._fail(exc)

    async def _send_close(self, message: dict[str, Any]) -> None:
        """Behind a full buffer this waits in vain; the server then does what it does at its app's end."""
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._send(message)

    def _stop_writing(self) -> None:
        self._waiting.clear()
        self._waiting_bytes = 0
        if self._writer is not None:
            self._writer.cancel()

    def _end(self, close: PeerClose) -> None:
        if not self._over.done():
            self._over.set_result(close)

    def _fail(self, exc: Exception) -> None:
        """Servers say with an `OSError` that the client is gone; how it went is told by the event that
        follows.

        Anything else is let out of `run`.
        """
        if isinstance(exc, OSError):
            self._client_gone = True
            self._stop_writing()
        elif not self._over.done():
            self._over.set_exception(exc)


def _text(payload: bytes) -> dict[str, Any]:
    return {"type": "websocket.send", "text": payload.decode()}


@types.coroutine
def _resumed(sending: Coroutine[Any, Any, None], blocked_on: Any) -> Generator[Any, Any, None]:
    """A coroutine that was driven up to its first wait, as an awaitable for a task to drive on."""
    yield blocked_on
    yield from sending
