"""The application's side of a socket: where its messages go, and who hears of its end.

To the callbacks of `run` once that is called, until then (and for applications that do not know the port,
always) into the queue of ASGI events. Knows no frames and no connection.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from gateway.transports.port import PeerClose

OnMessage = Callable[[bytes], None]
OnDrain = Callable[[], None]


class ClientGone(ConnectionError):
    """The application writes to a socket that is over (ASGI asks for an `OSError`)."""


class Events:
    """What the application will receive, in order: an `asyncio.Queue` without its 3 KB for each socket."""

    __slots__ = ("_events", "_waiters")

    def __init__(self) -> None:
        self._events: list[Any] = []
        self._waiters: list[asyncio.Future[None]] = []

    def empty(self) -> bool:
        """Whether `get` would wait."""
        return not self._events

    def put_nowait(self, event: Any) -> None:
        """Add one, and wake whoever waits."""
        self._events.append(event)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def get_nowait(self) -> Any:
        """The oldest; `IndexError` if there is none."""
        return self._events.pop(0)

    async def get(self) -> Any:
        """The oldest, as soon as there is one."""
        while not self._events:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        return self.get_nowait()


class Delivery:
    """``events`` is what the application receives from. ``behind``: it has not taken the last message yet."""

    __slots__ = ("_on_drain", "_on_message", "_over", "_room", "behind", "ended", "events")

    def __init__(self, events: Events) -> None:
        self.events = events
        self.behind = False
        self.ended: PeerClose | None = None
        self._over: asyncio.Future[PeerClose] | None = None
        self._room: asyncio.Event | None = None
        self._on_message: OnMessage | None = None
        self._on_drain: OnDrain | None = None

    def message(self, data: bytes, is_text: bool) -> None:
        """Hand on a whole message."""
        if self._on_message is not None:
            try:
                self._on_message(data)
            except Exception as exc:
                self._break(exc)
            return
        content = {"text": data.decode()} if is_text else {"bytes": data}
        self.events.put_nowait({"type": "websocket.receive", **content})
        self.behind = True

    def full(self) -> None:
        """The write buffer is full."""
        self._room = self._room or asyncio.Event()

    async def room(self) -> None:
        """Wait until it has emptied, if it is full: backpressure for who does not know the port."""
        if self._room is not None:
            await self._room.wait()

    def let_write(self) -> None:
        """Nobody waits for room any more."""
        if self._room is not None:
            self._room.set()
            self._room = None

    def drained(self) -> None:
        """The write buffer has emptied."""
        self.let_write()
        if self._on_drain is not None:
            try:
                self._on_drain()
            except Exception as exc:
                self._break(exc)

    def end(self, close: PeerClose) -> None:
        """The socket's end is known.

        The first end counts: what comes after it is only how the connection goes.
        """
        if self.ended is not None:
            return
        self.ended = close
        self.events.put_nowait({"type": "websocket.disconnect", "code": close.code, "reason": close.reason})
        if self._over is not None and not self._over.done():
            self._over.set_result(close)

    async def run(self, on_message: OnMessage, on_drain: OnDrain, read_on: Callable[[], None]) -> PeerClose:
        """Deliver to the callbacks until the end is known. ``read_on`` is called when they are in place."""
        over: asyncio.Future[PeerClose] = asyncio.get_running_loop().create_future()
        self._over = over
        self._deliver_queued(on_message)
        self._on_message, self._on_drain = on_message, on_drain
        self.behind = False
        read_on()
        if self.ended is not None and not over.done():
            over.set_result(self.ended)
        try:
            return await over
        finally:
            self._on_message = self._on_drain = None

    async def receive(self) -> Any:
        """The next ASGI event."""
        message = await self.events.get()
        self.behind = not self.events.empty()
        return message

    def _deliver_queued(self, on_message: OnMessage) -> None:
        """What came between accept and `run`, also if the peer has left since; nothing past our close."""
        ended = self.ended
        while not self.events.empty() and self.ended is ended:
            message = self.events.get_nowait()
            if message["type"] == "websocket.receive":
                text = message.get("text")
                on_message(message["bytes"] if text is None else text.encode())

    def _break(self, exc: Exception) -> None:
        """What a callback raised ends delivery and comes out of `run`, or of here once that is over."""
        self._on_message = self._on_drain = None
        if self._over is None or self._over.done():
            raise exc
        self._over.set_exception(exc)
