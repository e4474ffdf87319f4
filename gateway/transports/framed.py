"""The port of every server that gives us its bytes: one socket's WebSocket life, from accept to its end.

An adapter does the handshake in its server's way, hands bytes in and a `Carrier` down, so closes, codes, limits and flow
are the same on each server. `Intake` makes messages of the bytes, `Watch` keeps the time. Applications that do not know
the port use `send` and `receive` of the same object.
"""

import asyncio
from collections.abc import Callable
from enum import Enum
from secrets import token_bytes
from typing import Any, Final

from websockets.protocol import State
from websockets.server import ServerProtocol

from gateway.core import closing
from gateway.core.closing import By, Ending
from gateway.transports.carriers import Carrier
from gateway.transports.frames import text_frame
from gateway.transports.intake import Intake
from gateway.transports.port import MAX_MESSAGE_BYTES, PeerClose
from gateway.transports.watch import Due, Watch, WireLimits

TURN_PAUSE_S: Final = 0.005
"""A socket that sent more than a turn's worth waits this long for its next turn: at most 12,800 frames per second, far
above any budget, and others find the loop free."""
EARLY_BYTES: Final = 16_384
"""What a client may send before it has been let in; from then on it is not read until it is."""


class Phase(Enum):
    """Where a socket is. It only moves down this list."""

    HANDSHAKE = "handshake"
    OPEN = "open"
    ENDED = "ended"
    """How it ends is known; the connection has still to go."""
    GONE = "gone"


_OPEN: Final = Phase.OPEN


class ClientGone(ConnectionError):
    """The application writes to a socket that is over (ASGI asks for an `OSError`)."""


class FramedPort:
    """One socket (`gateway.transports.port.Port`). ``events`` is the queue that the application receives from."""

    def __init__(
        self, carrier: Carrier, events: "asyncio.Queue[Any]", conn: ServerProtocol, limits: WireLimits
    ) -> None:
        self.phase = Phase.HANDSHAKE
        self._loop = asyncio.get_running_loop()
        self._carrier = carrier
        self.events = events
        self._limits = limits
        self._watch = Watch.started(limits, self._loop.time())
        self._conn = conn
        # Whatever the command line said: no message above 1 MiB, and no request or frame in a debug log.
        conn.max_message_size = min(conn.max_message_size or MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES)
        conn.debug = False
        self._intake = Intake(conn, limits.fragments)
        self._writable = asyncio.Event()
        self._writable.set()
        self._ended: PeerClose | None = None
        self._over: asyncio.Future[PeerClose] | None = None
        self._on_message: Callable[[bytes], None] | None = None
        self._on_drain: Callable[[], None] | None = None
        self._app_behind = False
        self._ping = b""
        self._turn_timer: asyncio.TimerHandle | None = None
        self._watch_timer: asyncio.TimerHandle | None = None
        self._reset_timer: asyncio.TimerHandle | None = None

    # The port

    def buffered(self) -> int:
        return 0 if self.phase is Phase.GONE else self._carrier.buffered()

    def write(self, payload: bytes) -> None:
        if self.phase is _OPEN:
            self._carrier.write(text_frame(payload))

    def close(self, code: int, reason: str) -> None:
        if self.phase is not _OPEN:
            return
        reason = closing.clip_reason(reason)
        if self._conn.state is State.OPEN:  # else the peer's own close has been parsed, and is handled next
            self._conn.send_close(code, reason)
        self._flush()
        self._end(PeerClose(code, reason, By.SERVER))
        self._read_on()  # the peer's answer ends the wait early
        self._reset_later()

    def abort(self) -> None:
        self._end(PeerClose(1006, "", By.SERVER))
        if self.phase is not Phase.GONE:
            self._carrier.reset()

    async def run(self, on_message: Callable[[bytes], None], on_drain: Callable[[], None]) -> PeerClose:
        over: asyncio.Future[PeerClose] = self._loop.create_future()
        self._over = over
        self._deliver_queued(on_message)
        self._on_message, self._on_drain = on_message, on_drain
        self._app_behind = False
        self._take_turn()
        if self._ended is not None and not over.done():
            over.set_result(self._ended)
        try:
            return await over
        finally:
            self._on_message = self._on_drain = None

    def close_with(self, ending: Ending) -> None:
        """`close` with one of the named endings."""
        self.close(ending.code, ending.reason)

    # The application's plain ASGI, after accept

    async def send(self, message: dict[str, Any]) -> None:
        """One ASGI message after accept; `ClientGone` once the socket is over, but a close is never an error."""
        kind = message["type"]
        if kind == "websocket.close":
            self.close(message.get("code", 1000), message.get("reason") or "")
            return
        await self._writable.wait()
        if self.phase is not _OPEN:
            raise ClientGone("the socket is over")
        if kind != "websocket.send":
            raise RuntimeError(f"expected 'websocket.send' or 'websocket.close' after accept, not {kind!r}")
        self._send_data(message.get("bytes"), message.get("text"))

    async def receive(self) -> Any:
        """The next ASGI event. Reading goes on once the application has taken the last one."""
        message = await self.events.get()
        if self._app_behind and self.events.empty():
            self._app_behind = False
            self._take_turn()
        return message

    # From the adapter

    def opened(self) -> None:
        """The 101 is written."""
        if self.phase is Phase.HANDSHAKE:
            self.phase = _OPEN
            self._watch = Watch.started(self._limits, self._loop.time())
            self._take_turn()
            self._set_alarm()

    def refused(self) -> None:
        """The upgrade was answered by a response: this socket never opens."""
        self._end(PeerClose(1006, "", By.SERVER))
        self._reset_later()

    def received(self, data: bytes) -> None:
        """Bytes after the upgrade request, also those that came before its answer."""
        self._intake.arrived += data
        self._take_turn()

    def full(self) -> None:
        """The carrier's write buffer is full."""
        self._writable.clear()

    def drained(self) -> None:
        """The carrier's write buffer has emptied after it was full."""
        self._writable.set()
        if self._on_drain is not None:
            self._call(self._on_drain)

    def ended_by_peer(self) -> None:
        """The peer has ended its side without a close frame; what waits for it is not delivered for ever."""
        self._end(PeerClose(1006, "", By.NETWORK))
        self._reset_later()

    def lost(self) -> None:
        """The connection is gone."""
        self._end(PeerClose(1006, "", By.NETWORK))
        self.phase = Phase.GONE
        self._intake.arrived.clear()
        self._writable.set()
        for timer in (self._turn_timer, self._watch_timer, self._reset_timer):
            if timer is not None:
                timer.cancel()

    def stop(self) -> None:
        """The server stops. A socket that is closing keeps the time it was given."""
        self.close_with(closing.SERVICE_RESTART)

    # Inbound, and what `Intake` tells

    def _take_turn(self) -> None:
        if self.phase is Phase.HANDSHAKE:
            if len(self._intake.arrived) > EARLY_BYTES:
                self._carrier.pause()
            return
        self._intake.take_turn(self)
        if self.phase is _OPEN:
            self._watch_message()
        if self.phase is not Phase.GONE:
            self._read_on()

    def _read_on(self) -> None:
        """Read on, unless the application is behind or this turn was too short for what is here."""
        if not self.behind() and not self._intake.arrived:
            self._carrier.resume()
            return
        self._carrier.pause()
        if not self.behind() and self._turn_timer is None:
            self._turn_timer = self._loop.call_later(TURN_PAUSE_S, self._next_turn)

    def _next_turn(self) -> None:
        self._turn_timer = None
        self._take_turn()

    def listening(self) -> bool:
        return self.phase is _OPEN

    def behind(self) -> bool:
        return self._app_behind and self.phase is _OPEN

    def on_message(self, data: bytes, is_text: bool) -> None:
        self._watch.message_finished()
        if self._on_message is not None:
            self._call(self._on_message, data)
            return
        content = {"text": data.decode()} if is_text else {"bytes": data}
        self.events.put_nowait({"type": "websocket.receive", **content})
        self._app_behind = True

    def on_ping(self) -> None:
        if self._watch.pinged(self._loop.time()):
            self._flush()
        else:
            self.close_with(closing.PING_RATE_EXCEEDED)

    def on_pong(self, payload: bytes) -> None:
        if payload == self._ping:
            self._watch.ponged(self._loop.time())

    def on_close(self) -> None:
        """The peer's close frame, or its answer to ours. It may still not have read what we wrote before."""
        close = self._conn.close_rcvd
        if close is not None and self.phase is _OPEN:
            self._flush()
            self._end(PeerClose(int(close.code), close.reason, By.CLIENT))
        self._carrier.close()
        self._reset_later()

    def on_fault(self) -> None:
        close = self._conn.close_sent
        assert close is not None
        self._flush()
        self._end(PeerClose(int(close.code), close.reason, By.SERVER))
        self._carrier.finish()
        self._reset_later()

    def on_unfinished(self) -> None:
        self.close_with(closing.UNFINISHED_MESSAGE)

    def _deliver_queued(self, on_message: Callable[[bytes], None]) -> None:
        """What came between accept and `run`, also if the peer has left since; not past a close of our own."""
        phase = self.phase
        while not self.events.empty() and self.phase is phase:
            message = self.events.get_nowait()
            if message["type"] == "websocket.receive":
                text = message.get("text")
                on_message(message["bytes"] if text is None else text.encode())

    # Time

    def _watch_message(self) -> None:
        if self._intake.mid_message:
            self._watch.message_pending(self._loop.time())
            self._set_alarm()
        else:
            self._watch.message_finished()

    def _set_alarm(self) -> None:
        """An alarm that is too early is left alone: waking for nothing is harmless."""
        deadline = self._watch.deadline()
        if deadline is None or (self._watch_timer is not None and self._watch_timer.when() <= deadline):
            return
        if self._watch_timer is not None:
            self._watch_timer.cancel()
        self._watch_timer = self._loop.call_at(deadline, self._on_alarm)

    def _on_alarm(self) -> None:
        self._watch_timer = None
        if self.phase is not _OPEN:
            return
        now = self._loop.time()
        if self._app_behind:
            self._watch.excuse(now)
        match self._watch.wake(now):
            case Due.PING:
                self._ping = token_bytes(4)
                self._conn.send_ping(self._ping)
                self._flush()
            case Due.SILENT:
                self._end(PeerClose(1006, "", By.NETWORK))
                self._carrier.reset()
                return
            case Due.UNFINISHED:
                self.close_with(closing.UNFINISHED_MESSAGE)
                return
        self._set_alarm()

    # The end

    def _end(self, close: PeerClose) -> None:
        """The first end counts: what comes after it is only how the connection goes."""
        if self._ended is not None:
            return
        self.phase = Phase.ENDED
        self._ended = close
        self.events.put_nowait({"type": "websocket.disconnect", "code": close.code, "reason": close.reason})
        if self._over is not None and not self._over.done():
            self._over.set_result(close)

    def _call(self, callback: Callable[..., None], *args: bytes) -> None:
        try:
            callback(*args)
        except Exception as exc:
            self._on_message = self._on_drain = None
            if self._over is None or self._over.done():
                raise
            self._over.set_exception(exc)

    def _send_data(self, data: bytes | None, text: str | None) -> None:
        if data is not None:
            self._conn.send_binary(data)
        elif text is not None:
            self._conn.send_text(text.encode())
        self._flush()

    def _flush(self) -> None:
        self._carrier.write(b"".join(self._conn.data_to_send()))

    def _reset_later(self) -> None:
        if self._reset_timer is None and self.phase is not Phase.GONE:
            self._reset_timer = self._loop.call_later(self._limits.close_timeout_s, self._carrier.reset)
