"""One socket, first frame to last: the inbound guard, the heartbeat and the outbox as one machine.

Knows nothing of other sockets (``gateway.core.hub``), of rooms or of servers. The shell feeds it what
happened and performs the effects; every outbound frame, the machine's own included, passes through
`Outgoing`: the one send helper of spec 1.5.
"""

from typing import Any, assert_never

from msgspec import Struct

from gateway.contract import ClientError, FrameClass
from gateway.core import closing
from gateway.core.closing import Ending
from gateway.core.decoding import Decoder
from gateway.core.heartbeat import Beat, Heartbeat, HeartbeatPolicy, stamp
from gateway.core.inbound import PASSED, Dropped, Inbound, InboundPolicy, Passed, Refused, Verdict
from gateway.core.machine import earliest, from_state, to_state
from gateway.core.messages import Error, HeartbeatResponse, RateLimit
from gateway.core.messages import Heartbeat as Ping
from gateway.core.outbox import Flushed, OutboundPolicy, Outbox, Waiting


class ConnectionPolicy(Struct, frozen=True):
    """All numbers of one connection."""

    heartbeat: HeartbeatPolicy = HeartbeatPolicy()
    inbound: InboundPolicy = InboundPolicy()
    outbound: OutboundPolicy = OutboundPolicy()


Command = Struct
"""What a client asks for: one of the game's types, or one of the gateway's own."""

# ---------- what happens to a connection


class Outgoing(Struct, frozen=True):
    """A frame for the client, while ``buffered`` bytes wait in the transport."""

    payload: bytes
    frame_class: FrameClass
    key: str | None
    buffered: int


class Drained(Struct, frozen=True):
    """The transport's write buffer has emptied."""


Event = Outgoing | Drained


# ---------- what a connection wishes of its shell


class Write(Struct, frozen=True):
    """Hand to the transport."""

    payload: bytes


class Reply(Struct, frozen=True):
    """Say to this client (through `Outgoing`)."""

    event: Ping | Error | RateLimit


class Measured(Struct, frozen=True):
    """A heartbeat was answered; its round trip in seconds."""

    rtt_s: float


class Overrun(Struct, frozen=True):
    """A frame was dropped over budget: a violation, counted for the whole account."""


class End(Struct, frozen=True):
    """End the socket."""

    ending: Ending


class Resync(Struct, frozen=True):
    """The client lost frames while it was slow, and reads again."""


Effect = Write | Reply | Measured | Overrun | End | Resync


class Parts(Struct):
    """A connection's state: plain data. ``ended`` is set once; after it nothing is heard and no time passes.

    What is still said goes out: the error that explains an ending is performed just before it.
    """

    inbound: Inbound
    heartbeat: Heartbeat
    outbox: Outbox
    ended: bool = False


class Connection:
    """The machine. ``decoder`` is configuration, not state: every connection of a process has the same."""

    __slots__ = ("_decoder", "parts")

    def __init__(self, decoder: Decoder, parts: Parts) -> None:
        self._decoder = decoder
        self.parts = parts

    @classmethod
    def opened(
        cls, decoder: Decoder, policy: ConnectionPolicy, first_ping_in: float, now: float
    ) -> "Connection":
        """A connection that was just accepted.

        ``first_ping_in``, at random in [0, interval), spreads the pings after a reconnect storm.
        """
        parts = Parts(
            Inbound.fresh(policy.inbound, now),
            Heartbeat(policy.heartbeat, now + first_ping_in),
            Outbox.fresh(policy.outbound, now),
        )
        return cls(decoder, parts)

    @classmethod
    def from_state(cls, decoder: Decoder, state: Any) -> "Connection":
        """The connection that `to_state` was asked of."""
        return cls(decoder, from_state(state, Parts))

    def to_state(self) -> Any:
        """All of it as builtin values."""
        return to_state(self.parts)

    def hear(self, data: bytes, now: float) -> Command | tuple[Effect, ...]:
        """One whole message at ``now``, text or binary alike: the valid command in it, whose action limit and
        handler are next, or what else comes of it.
        """
        if self.parts.ended:
            return ()
        verdict = self.parts.inbound.judge(data, now)
        return self._parse(data, False, now) if verdict is PASSED else self._judged(verdict, data, now)

    def apply(self, event: Event, now: float) -> tuple[Effect, ...]:
        """Something else happened at ``now``."""
        match event:
            case Outgoing(payload, frame_class, key, buffered):
                flushed = self.parts.outbox.push(Waiting(payload, frame_class, key), buffered, now)
                return self._end(closing.BACKPRESSURE) if flushed is None else _effects_of(flushed)
            case Drained():
                return () if self.parts.ended else _effects_of(self.parts.outbox.drained())
            case _ as unreachable:
                assert_never(unreachable)

    def wake(self, now: float) -> tuple[Effect, ...]:
        """Time passed."""
        if self.parts.ended:
            return ()
        flushed = _effects_of(self.parts.outbox.wake(now))
        beat = self.parts.heartbeat.wake(now)
        if beat is Beat.DEAD:
            return flushed + self._end(closing.HEARTBEAT_TIMEOUT)
        return (*flushed, Reply(Ping(stamp(now)))) if beat is Beat.PING else flushed

    def deadline(self) -> float | None:
        """The next ping, judgement or paced frame; None after the end."""
        if self.parts.ended:
            return None
        return earliest((self.parts.heartbeat.deadline(), self.parts.outbox.deadline()))

    def rtt(self) -> float | None:
        """Median round trip in seconds; None before the first sample."""
        return self.parts.heartbeat.rtt()

    def _judged(self, verdict: Verdict, data: bytes, now: float) -> Command | tuple[Effect, ...]:
        match verdict:
            case Passed(heartbeat_only):
                return self._parse(data, heartbeat_only, now)
            case Dropped(reply):
                return _overrun(reply)
            case Refused(reply, fatal):
                ending = self._end(closing.MESSAGE_TOO_LARGE) if fatal else ()
                return (Reply(reply), *ending)
            case _ as unreachable:
                assert_never(unreachable)

    def _parse(self, data: bytes, heartbeat_only: bool, now: float) -> Command | tuple[Effect, ...]:
        try:
            command = self._decoder.decode(data)
        except ClientError as error:
            return self._mistaken(now) if heartbeat_only else (Reply(error_event(error)),)
        if isinstance(command, HeartbeatResponse):
            return self._answered(command, now)
        return self._mistaken(now) if heartbeat_only else command

    def _answered(self, response: HeartbeatResponse, now: float) -> tuple[Effect, ...]:
        if self.parts.inbound.heartbeat_allowed(now):
            rtt_s = self.parts.heartbeat.answer(response.timestamp, now)
            return () if rtt_s is None else (Measured(rtt_s),)
        return self._end(closing.HEARTBEAT_RATE_EXCEEDED) if self.parts.inbound.heartbeat_abuse else ()

    def _mistaken(self, now: float) -> tuple[Effect, ...]:
        """Let through uncharged for its looks, and no heartbeat after all: dropped and counted (spec 1.3)."""
        return _overrun(self.parts.inbound.drop(now).reply)

    def _end(self, ending: Ending) -> tuple[Effect, ...]:
        if self.parts.ended:
            return ()
        self.parts.ended = True
        return (End(ending),)


def error_event(error: ClientError, action: str | None = None) -> Error:
    """The ``ERROR`` frame of a client's fault; ``action`` names the command that caused it."""
    details = {**({} if action is None else {"action": action}), **error.details}
    return Error(error.code, error.message, error.status, details or None)


def _overrun(reply: Error | RateLimit | None) -> tuple[Effect, ...]:
    return (Overrun(),) if reply is None else (Overrun(), Reply(reply))


def _effects_of(flushed: Flushed) -> tuple[Effect, ...]:
    if not flushed.payloads:
        return (Resync(),) if flushed.resync else ()
    writes = tuple([Write(payload) for payload in flushed.payloads])
    return (*writes, Resync()) if flushed.resync else writes
