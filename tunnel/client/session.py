"""The client's connection to the relay: dials, says HELLO, serves streams until the connection ends.

One connection; coming back is ``tunnel.client.main``'s. No redirect is followed and no proxy of the
environment used: the token goes to the relay that was named, and nowhere else. No Django.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tunnel.client.calls import serve
from tunnel.client.journal import Journal
from tunnel.client.options import Options
from tunnel.client.pages import carry_page
from tunnel.client.sockets import carry_socket
from tunnel.client.target import Target
from tunnel.core.codec import HEAD, decode, encode
from tunnel.core.frames import (
    MAX_PAYLOAD_BYTES,
    VERSION,
    ConnectionFrame,
    Fatal,
    GoAway,
    Hello,
    Open,
    ProtocolError,
    Ready,
    Stop,
)
from tunnel.core.link import Link
from tunnel.core.liveness import Liveness
from tunnel.core.states import Side
from tunnel.exchange import Exchange
from tunnel.wire import ConnectionEnded, Wire

OPEN_S: Final = 10.0
POLICY_VIOLATION: Final = 1008


class Rejected(Exception):
    """The relay refuses for good."""


class Dial(connect):
    """A connection to the relay that was named, and to no other."""

    def process_redirect(self, exc: Exception) -> Exception:
        """A redirect is a refusal."""
        return exc


class Session:
    """One connection to the relay. ``on_ready`` is told when the name is served."""

    def __init__(
        self, options: Options, instance: str, journal: Journal, on_ready: Callable[[Ready], None]
    ) -> None:
        self.options = options
        self.instance = instance
        self.journal = journal
        self._on_ready = on_ready
        self._target = Target(options.target_host, options.target_port)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until the connection ends, always by raising; `Rejected` if coming back is no use."""
        dial = Dial(
            self.options.relay,
            additional_headers={"Authorization": f"Bearer {self.options.token}"},
            user_agent_header="halyard-tunnel",
            proxy=None,
            compression=None,
            max_size=MAX_PAYLOAD_BYTES + HEAD.size,
            ping_interval=None,  # the tunnel has life signs of its own
            open_timeout=OPEN_S,
            close_timeout=1,
        )
        async with dial as socket:
            try:
                await self._greet(socket)
                await self._serve(socket)
            except ConnectionClosed as closed:
                if closed.rcvd is not None and closed.rcvd.code == POLICY_VIOLATION:
                    raise Rejected(closed.rcvd.reason or "unauthorized") from closed
                raise

    async def _greet(self, socket: ClientConnection) -> None:
        hello = Hello((VERSION,), self.options.name, self.instance, force=self.options.force)
        await socket.send(encode(hello))
        async with asyncio.timeout(OPEN_S):
            first = decode(await _binary(socket))
        if isinstance(first, Fatal):
            raise _told(first)
        if not isinstance(first, Ready):
            raise ProtocolError(f"a {type(first).__name__} before READY")
        self._on_ready(first)

    async def _serve(self, socket: ClientConnection) -> None:
        wire = Wire(Link(Side.CLIENT), socket.send, Liveness.started(time.monotonic()), self._open)
        wire.on_frame = lambda frame: self._on_frame(frame, wire)
        try:
            await wire.run(lambda: _binary(socket))
        except asyncio.CancelledError:
            with suppress(ConnectionClosed):  # it was lost at the same moment
                await socket.send(encode(GoAway(wire.link.last_stream, Stop.GOING, "stopped by its user")))
            raise
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _open(self, exchange: Exchange, frame: Open) -> None:
        carry = carry_socket if frame.content.websocket else carry_page
        serving = serve(carry, exchange, frame, self._target, self.journal)
        task = asyncio.get_running_loop().create_task(serving)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_frame(self, frame: ConnectionFrame, wire: Wire) -> None:
        if isinstance(frame, Fatal):
            raise _told(frame)
        if not isinstance(frame, GoAway):
            raise ProtocolError(f"a {type(frame).__name__} of the relay")
        self.journal.say(f"the relay goes away ({frame.reason}); finishing {len(wire.link.streams)} requests")
        wire.leave_when_idle(frame.reason)


def _told(fatal: Fatal) -> Exception:
    return ConnectionEnded(fatal.reason) if fatal.retry else Rejected(fatal.reason or "unauthorized")


async def _binary(socket: ClientConnection) -> bytes:
    message = await socket.recv()
    if isinstance(message, str):
        raise ProtocolError("a text message")
    return message
