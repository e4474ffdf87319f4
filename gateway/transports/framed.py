"""The port of every server that gives us its bytes: one socket's WebSocket life, from accept to its end.

An adapter does the handshake in its server's way, hands bytes in and a `Carrier` down, so closes, codes,
limits and flow are the same on each server. `Intake` makes messages of the bytes, `Delivery` brings them to
the application, `Watch` keeps the time. Applications that do not know the port use `send` and `receive` of
the same object.
"""

from collections.abc import Callable
from secrets import token_bytes
from typing import Any, Final

from gateway.alarm import Alarm, Clock, LoopClock, Timer
from gateway.core import closing
from gateway.core.closing import By, Ending
from gateway.transports.carriers import Carrier
from gateway.transports.delivery import ClientGone, Delivery, OnDrain, OnMessage
from gateway.transports.frames import text_frame
from gateway.transports.intake import Intake
from gateway.transports.phase import Phase
from gateway.transports.port import PeerClose
from gateway.transports.watch import Due, Watch, WireLimits
from gateway.transports.whole import short_text

TURN_PAUSE_S: Final = 0.005
"""Between two turns of one socket others find the loop free; 12,800 frames per second exceed any budget."""
PING_BYTES: Final = 4
"""Enough that a peer can't answer what it has not read."""

_LOOP_CLOCK: Final = LoopClock()
_OPEN: Final = Phase.OPEN
"""Bound once: a member of an enum is a slow thing to look up, and this one is asked for with every frame."""


class FramedPort:
    """One socket (`gateway.transports.port.Port`)."""

    on_stop: OnDrain | None = None  # of an application that ends its socket itself when the server stops
    buffered: Callable[[], int]
    """The carrier's own, as long as there is one: it is asked before each frame that goes out."""

    def __init__(
        self, carrier: Carrier, app: Delivery, limits: WireLimits, clock: Clock = _LOOP_CLOCK
    ) -> None:
        self.phase = Phase.HANDSHAKE
        self.buffered = carrier.buffered
        self._carrier = carrier
        self._app = app
        self._limits, self._clock = limits, clock
        self._intake = Intake(limits.fragments)
        self._watch = Watch.started(limits, clock.now())
        self._alarm = Alarm(clock, self._on_alarm)
        self._reading = True
        self._ping = b""
        self._turn_timer: Timer | None = None
        self._reset_timer: Timer | None = None

    # The port

    def write(self, payload: bytes) -> None:
        if self.phase is _OPEN:
            self._carrier.write(text_frame(payload))

    def close(self, code: int, reason: str) -> None:
        if self.phase is not _OPEN:
            return
        reason = closing.clip_reason(reason)
        self._intake.conn.send_close(code, reason)
        self._flush()
        self._end(PeerClose(code, reason, By.SERVER))
        self._read_on()  # the peer's answer ends the wait early
        self._reset_later()

    def abort(self) -> None:
        self._end(PeerClose(1006, "", By.SERVER))
        self._reset()

    async def run(self, on_message: OnMessage, on_drain: OnDrain) -> PeerClose:
        return await self._app.run(on_message, on_drain, self._take_turn)

    def close_with(self, ending: Ending) -> None:
        """`close` with one of the named endings."""
        self.close(ending.code, ending.reason)

    # Plain ASGI, after accept

    async def send(self, message: Any) -> None:
        """One ASGI message; `ClientGone` once the socket is over, but a close is never an error."""
        kind = message["type"]
        if kind == "websocket.close":
            self.close(message.get("code", 1000), message.get("reason") or "")
            return
        await self._app.room()
        if self.phase is not _OPEN:
            raise ClientGone("the socket is over")
        if kind != "websocket.send":
            raise RuntimeError(f"expected 'websocket.send' or 'websocket.close' after accept, not {kind!r}")
        if message.get("bytes") is not None:
            self._intake.conn.send_binary(message["bytes"])
        else:
            self._intake.conn.send_text(message["text"].encode())
        self._flush()

    async def receive(self) -> Any:
        """The next ASGI event. Reading goes on once the application has taken the last one."""
        message = await self._app.receive()
        if not self._reading:
            self._take_turn()
        return message

    # From the adapter

    def opened(self) -> None:
        """The 101 is written."""
        if self.phase is Phase.HANDSHAKE:
            self.phase = _OPEN
            self._watch = Watch.started(self._limits, self._clock.now())
            self._alarm.set(self._watch.deadline())
            self._take_turn()

    def refused(self) -> None:
        """The upgrade was answered by a response: this socket never opens."""
        self._end(PeerClose(1006, "", By.SERVER))
        self._reset_later()

    def received(self, data: bytes) -> None:
        """Bytes after the upgrade request, also those that came before its answer.

        Nearly every packet is one short message, with nothing left over from before it. That one goes
        straight to the application: there is nothing to keep, to time or to share out.
        """
        app, intake = self._app, self._intake
        if self.phase is not _OPEN or app.behind or intake.arrived or intake.fragments:
            intake.arrived += data
        elif (text := short_text(data)) is not None:
            app.message(text, True)
            if not app.behind:
                return
        elif intake.take_whole(data, self) and not app.behind:
            return
        self._take_turn()

    def full(self) -> None:
        """The carrier's write buffer is full."""
        self._app.full()

    def drained(self) -> None:
        """The carrier's write buffer has emptied after it was full."""
        self._app.drained()

    def ended_by_peer(self) -> None:
        """The peer has ended its side of the connection. Without a close frame before, that is a drop."""
        if self._app.ended is None:
            self._end(PeerClose(1006, "", By.NETWORK))
            self._reset()  # a mere close leaves what it has not read to the kernel, for minutes
        else:
            self._carrier.close()

    def lost(self) -> None:
        """The connection is gone."""
        self._end(PeerClose(1006, "", By.NETWORK))
        self._go()
        self._app.let_write()
        self._alarm.cancel()
        for timer in (self._turn_timer, self._reset_timer):
            if timer is not None:
                timer.cancel()

    def stop(self) -> None:
        """The server stops. A socket that is closing keeps the time it was given."""
        self.on_stop() if self.on_stop else self.close_with(closing.SERVICE_RESTART)

    # Inbound, and what `Intake` tells

    def _take_turn(self) -> None:
        if self.phase is Phase.HANDSHAKE:
            self._read(self._intake.may_wait)
            return
        if self.phase is Phase.GONE:
            self._intake.clear()
            return
        self._intake.take_turn(self)
        if self.phase is _OPEN:
            self._watch_message()
        self._read_on()

    def _read_on(self) -> None:
        """Read on, unless the application is behind or this turn was too short for what is here."""
        behind = self.behind()
        ready = self._intake.ready
        self._read(not behind and not ready)
        if ready and not behind and self._turn_timer is None:
            self._turn_timer = self._clock.call_later(TURN_PAUSE_S, self._next_turn)

    def _read(self, reading: bool) -> None:
        if reading is self._reading or self.phase is Phase.GONE:
            return
        self._reading = reading
        if reading:
            self._carrier.resume()
        else:
            self._carrier.pause()

    def _next_turn(self) -> None:
        self._turn_timer = None
        self._take_turn()

    def _watch_message(self) -> None:
        if self._intake.mid_message:
            self._watch.message_pending(self._clock.now())
            self._alarm.set(self._watch.deadline())
        else:
            self._watch.message_finished()

    def listening(self) -> bool:
        return self.phase is _OPEN

    def behind(self) -> bool:
        return self._app.behind and self.phase is _OPEN

    def on_message(self, data: bytes, is_text: bool) -> None:
        self._watch.message_finished()
        self._app.message(data, is_text)

    def on_ping(self) -> None:
        if self._watch.pinged(self._clock.now()):
            self._flush()
        else:
            self.close_with(closing.PING_RATE_EXCEEDED)

    def on_pong(self, payload: bytes) -> None:
        if payload == self._ping:
            self._watch.ponged(self._clock.now())

    def on_close(self) -> None:
        """The peer's close frame, or its answer to ours. It may still not have read what we wrote before.

        So we end our side and wait for it to end its own: a closed socket could not be reset any more.
        """
        close = self._intake.conn.close_rcvd
        if close is not None and self.phase is _OPEN:
            self._flush()
            self._end(PeerClose(int(close.code), close.reason, By.CLIENT))
        self._carrier.finish()
        self._reset_later()

    def on_fault(self, code: int, reason: str) -> None:
        self._flush()
        self._end(PeerClose(code, reason, By.SERVER))
        self._carrier.finish()
        self._reset_later()

    def on_unfinished(self) -> None:
        self.close_with(closing.UNFINISHED_MESSAGE)

    # Time and the end

    def _on_alarm(self) -> None:
        if self.phase is not _OPEN:
            return
        now = self._clock.now()
        if self.behind():
            self._watch.excuse(now)
        match self._watch.wake(now):
            case Due.PING:
                self._ping = token_bytes(PING_BYTES)
                self._intake.conn.send_ping(self._ping)
                self._flush()
            case Due.SILENT:
                self._end(PeerClose(1006, "", By.NETWORK))
                self._reset()
            case Due.UNFINISHED:
                self.on_unfinished()
        if self.phase is _OPEN:
            self._alarm.set(self._watch.deadline())

    def _end(self, close: PeerClose) -> None:
        if self._app.ended is None:
            self.phase = Phase.ENDED
            self._app.end(close)

    def _flush(self) -> None:
        self._carrier.write(b"".join(self._intake.conn.data_to_send()))

    def _reset_later(self) -> None:
        if self._reset_timer is None and self.phase is not Phase.GONE:
            self._reset_timer = self._clock.call_later(self._limits.close_timeout_s, self._reset)

    def _reset(self) -> None:
        if self.phase is not Phase.GONE:
            self._go()
            self._carrier.reset()

    def _go(self) -> None:
        self.phase = Phase.GONE
        self.buffered = int  # which always answers 0
        self._intake.clear()
