"""One live socket: a `Connection` with the transport, the alarm and the way to the game that it needs to act.

Performs effects, decides nothing. Every outbound frame passes `say`; nothing here waits, so a broadcast is a
plain loop.
"""

from collections.abc import Callable
from typing import Any, Protocol, assert_never

from msgspec import Struct

from gateway.alarm import Alarm, Clock
from gateway.contract import FrameClass, Peer, TrustContext
from gateway.core import closing
from gateway.core.closing import Ending
from gateway.core.connection import (
    Connection,
    Drained,
    Effect,
    End,
    Measured,
    Outgoing,
    Overrun,
    Reply,
    Resync,
    Write,
)
from gateway.core.counts import Counts
from gateway.transports.port import Port
from gateway.wire import encode


class Exchange(Protocol):
    """What a socket asks of the process it lives in."""

    clock: Clock
    counts: Counts

    def deliver(self, socket: "Socket", command: Any, now: float) -> None:
        """Put a command through its limits and into the game."""

    def measured(self, socket: "Socket", rtt_s: float) -> None:
        """Tell the game of a heartbeat's round trip."""

    def violated(self, socket: "Socket", now: float) -> None:
        """Count a violation of the socket's account."""

    def resync(self, socket: "Socket", now: float) -> None:
        """Have the game make the client whole again."""

    def soon(self, call: Callable[[], None]) -> None:
        """Make a call in the loop's next turn: a send must never re-enter the game."""


class Socket:
    """An accepted socket until its end.

    ``attached``: the game knows of it and must hear of its end. ``ending`` is set once, by whoever ends it
    first.
    """

    __slots__ = ("_alarm", "_exchange", "attached", "connection", "ending", "peer", "port", "trust")

    def __init__(self, peer: Peer, port: Port, connection: Connection, exchange: Exchange) -> None:
        self.peer = peer
        self.port = port
        self.connection = connection
        self.attached = False
        self.ending: Ending | None = None
        self.trust: TrustContext | None = None
        self._exchange = exchange
        self._alarm = Alarm(exchange.clock, self._wake)
        self._alarm.set(connection.deadline())

    def received(self, data: bytes) -> None:
        """The client sent a whole message."""
        exchange = self._exchange
        exchange.counts.frames += 1
        now = exchange.clock.now()
        heard = self.connection.hear(data, now)
        if isinstance(heard, tuple):
            self._perform(heard, now)
        else:
            exchange.deliver(self, heard, now)

    def drained(self) -> None:
        """The transport has emptied its write buffer."""
        now = self._exchange.clock.now()
        self._perform(self.connection.apply(Drained(), now), now)

    def say(self, payload: bytes, frame_class: FrameClass, key: str | None = None) -> None:
        """The one send helper: whatever goes to this client goes through here."""
        if self.ending is None:
            port, outbox = self.port, self.connection.parts.outbox
            buffered = port.buffered()
            if outbox.lets_through(frame_class, buffered):
                port.write(payload)
                return
            now = self._exchange.clock.now()
            effects = self.connection.apply(Outgoing(payload, frame_class, key, buffered), now)
            if effects:
                self._perform(effects, now)
            else:
                self._alarm.set(self.connection.deadline())

    def tell(self, event: Struct) -> None:
        """Send one critical event to this client alone."""
        if self.ending is None:
            self._exchange.counts.send(event, 1)
            self.say(encode(event), FrameClass.CRITICAL)

    def unread(self) -> int:
        """Bytes that the client has not taken: those that wait here and those in the transport."""
        return self.port.buffered() + self.connection.parts.outbox.waiting_bytes

    def end(self, ending: Ending) -> None:
        """End the socket: the close frame is queued now, everything else follows when the transport reports
        the end.
        """
        if self.ending is not None:
            return
        self.ending = ending
        self._alarm.cancel()
        self.port.close(ending.code, ending.reason)
        if ending is closing.HEARTBEAT_TIMEOUT:
            # Nobody is there to shake hands: free the buffers, the descriptor and both slots now (spec 1.4).
            self.port.abort()

    def over(self, ending: Ending) -> Ending:
        """The transport is gone. Returns what really ended the socket: our own ending if we were first."""
        self._alarm.cancel()
        self.ending = self.ending or ending
        return self.ending

    def _wake(self) -> None:
        now = self._exchange.clock.now()
        self._perform(self.connection.wake(now), now)
        if self.ending is None:
            self._alarm.set(self.connection.deadline())

    def _perform(self, effects: tuple[Effect, ...], now: float) -> None:
        for effect in effects:
            match effect:
                case Write():
                    self.port.write(effect.payload)
                case Reply():
                    self.tell(effect.event)
                case Measured():
                    self._exchange.measured(self, effect.rtt_s)
                case Overrun():
                    self._exchange.violated(self, now)
                case Resync():
                    self._exchange.soon(lambda: self._exchange.resync(self, self._exchange.clock.now()))
                case End():
                    self.end(effect.ending)
                case _ as unreachable:
                    assert_never(unreachable)
