"""The shell around a `Link`: reads and writes one tunnel connection, at either end (spec 6.2).

The reader never waits for a stream; the writer takes what the link lets go; a watch ends a connection on
which nothing comes. What a stream is about is the `Exchange`'s user's business (``tunnel.relay``,
``tunnel.client``). No Django.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Final

from tunnel.core.codec import PING_BYTES, TYPES, decode
from tunnel.core.frames import (
    ConnectionFrame,
    Data,
    Fatal,
    GoAway,
    Hello,
    Open,
    Ping,
    Pong,
    ProtocolError,
    Ready,
    Reset,
    Stop,
    StreamFrame,
    Why,
)
from tunnel.core.link import Link
from tunnel.core.liveness import Due, Liveness
from tunnel.exchange import Exchange

BUDGET_BYTES: Final = 33_554_432
"""What may wait in one connection; beyond it the stream that holds most is reset (spec 6.2)."""

PONG: Final = TYPES[Pong]
UNREAD_PONGS: Final = 64
"""Answers that may wait for whoever asks and does not read: credit bounds all other frames, but not pings."""

Write = Callable[[bytes], Awaitable[None]]
Read = Callable[[], Awaitable[bytes]]


class ConnectionEnded(Exception):
    """The connection is over. ``stop`` is what its streams are told."""

    def __init__(self, text: str, stop: Stop = Stop.GOING) -> None:
        super().__init__(text)
        self.stop = stop


class Left(ConnectionEnded):
    """We have ended it in order: nobody was cut off."""


class Wire:
    """One connection. ``on_open`` gets each new stream (client), ``on_frame`` what is of none.

    ``on_growth`` is called when more is held than before.
    """

    def __init__(
        self,
        link: Link,
        write: Write,
        watch: Liveness,
        on_open: Callable[[Exchange, Open], None] | None = None,
    ) -> None:
        self.link = link
        self.watch = watch
        self.exchanges: dict[int, Exchange] = {}
        self.rtt_s: float | None = None
        self.overloads = 0
        self._leaving: str | None = None
        self._pongs = 0
        self._write = write
        self._on_open = on_open
        self.on_frame: Callable[[ConnectionFrame], None] | None = None
        self.on_growth: Callable[[], None] | None = None
        self._waiting = asyncio.Event()
        self._pinged: tuple[bytes, float] = (b"", 0.0)
        self._answered = asyncio.Event()

    async def run(self, read: Read) -> None:
        """Until the connection ends, by raising: what `read` and `write` raise, or `ConnectionEnded`.

        Every exchange learns of it before this returns.
        """
        stop = Stop.GOING
        tasks = [asyncio.ensure_future(part) for part in (self._read(read), self._send(), self._keep_watch())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except ConnectionEnded as ended:
            stop = ended.stop
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.end_streams(stop)

    def open(self, frame: Open) -> Exchange:
        """Open a stream (relay); raises `FrameTooLargeError`."""
        self.link.open(frame)
        exchange = self.exchanges[frame.stream] = Exchange(self, frame.stream)
        self.wake()
        return exchange

    def announce(self, frame: ConnectionFrame) -> None:
        """Send a frame of the connection."""
        self.link.announce(frame)
        self.wake()

    def leave_when_idle(self, reason: str) -> None:
        """End the connection once its last stream is over and nothing of it waits any more."""
        self._leaving = reason
        self.wake()

    def ping(self) -> None:
        """Ask the other end for a life sign."""
        self._pinged = (secrets.token_bytes(PING_BYTES), time.monotonic())
        self._answered.clear()
        self.announce(Ping(self._pinged[0]))

    async def answers(self, within_s: float) -> bool:
        """Whether the other end gives a life sign when asked for one."""
        self.ping()
        try:
            await asyncio.wait_for(self._answered.wait(), within_s)
        except TimeoutError:
            return False
        return True

    def wake(self) -> None:
        """Something may be sent."""
        self._waiting.set()

    def end_streams(self, stop: Stop) -> None:
        """Tell every exchange that its stream is over."""
        for exchange in list(self.exchanges.values()):
            if not exchange.complete:  # else all of it is here, and only has to be passed on
                exchange.fail(Why(stop, "the tunnel's connection ended"))

    def received(self, message: bytes) -> None:
        """One message of the other end; raises `ProtocolError`."""
        frame = decode(message)
        self.watch.heard(time.monotonic())
        match frame:
            case Ping(token):
                self._answer(token)
            case Pong(token):
                self._answered.set()  # whichever ping it answers: several may ask at once
                if token == self._pinged[0]:
                    self.rtt_s = time.monotonic() - self._pinged[1]
            case Hello() | Ready() | GoAway() | Fatal():
                if self.on_frame is not None:
                    self.on_frame(frame)
            case _:
                self._received_of_stream(frame)
        self.wake()

    def _answer(self, token: bytes) -> None:
        self._pongs += 1
        if self._pongs > UNREAD_PONGS:
            raise ProtocolError(f"{self._pongs} pings, and no answer was read")
        self.announce(Pong(token))

    def _received_of_stream(self, frame: StreamFrame) -> None:
        handed = self.link.receive(frame)
        if isinstance(handed, Open):
            assert self._on_open is not None
            exchange = self.exchanges[handed.stream] = Exchange(self, handed.stream)
            self._on_open(exchange, handed)
        elif handed is not None:
            exchange = self.exchanges[handed.stream]
            exchange.deliver(handed)
        if self.link.held > BUDGET_BYTES:
            self.reset_heaviest()
        elif self.on_growth is not None and isinstance(frame, Data):
            self.on_growth()

    def reset_heaviest(self) -> None:
        """Make room: one stream goes so that the others can stay."""
        heaviest = self.link.heaviest()
        if heaviest is not None:
            self.overloads += 1
            exchange = self.exchanges.get(heaviest)
            self.link.send(Reset(heaviest, Why(Stop.OVERLOAD)))
            if exchange is not None:
                exchange.fail(Why(Stop.OVERLOAD, "too much waited for it"))
            self.link.abandon(heaviest)

    async def _read(self, read: Read) -> None:
        while True:
            try:
                self.received(await read())
            except ProtocolError as error:
                raise ConnectionEnded(str(error), Stop.PROTOCOL) from error

    async def _send(self) -> None:
        while True:
            message = self.link.next_frame()
            if message is None:
                if self._leaving is not None and not self.link.streams:
                    raise Left(self._leaving)
                self._waiting.clear()
                await self._waiting.wait()
                continue
            await self._write(message)
            if message[0] == PONG:
                self._pongs -= 1
            exchange = self.exchanges.get(int.from_bytes(message[4:8], "big"))
            if exchange is not None:
                exchange.written()

    async def _keep_watch(self) -> None:
        while True:
            await asyncio.sleep(max(0.001, self.watch.deadline() - time.monotonic()))
            match self.watch.wake(time.monotonic()):
                case Due.DEAD:
                    raise ConnectionEnded(f"no frame for {self.watch.dead_s:g} s")
                case Due.PING:
                    self.ping()
                case None:
                    pass
