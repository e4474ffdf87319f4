"""The gateway of one process: its sockets, its counters, its game.

Everything runs on one loop and nothing here waits: no locks. The consumer and the middleware call in, the
game sends out through `LiveSockets`. No asyncio: time comes from a `Clock`, so the same object runs on a
virtual one.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.utils.module_loading import import_string

from gateway.admission import Attempt
from gateway.alarm import Clock
from gateway.conf import Config
from gateway.contract import Claim, ClientError, ConnId, Game, Peer, Sockets, Ticket
from gateway.core import closing
from gateway.core.actions import Actions
from gateway.core.address import bucket
from gateway.core.admission import FORBIDDEN, UNAVAILABLE, Refusal, charges_shield
from gateway.core.closing import Ending
from gateway.core.connection import Connection, error_event
from gateway.core.counts import Counts, count
from gateway.core.guard import Guard
from gateway.core.hub import Admit, EndSocket, Gone, Hub, Open, Violated
from gateway.core.messages import (
    PROTOCOL_VERSION,
    Connected,
    Error,
    HeartbeatTimes,
    SessionTrustContext,
    wire_type,
)
from gateway.core.shield import Denial
from gateway.core.slots import Stage
from gateway.crowds import Crowds
from gateway.draining import end_all
from gateway.draw import SYSTEM, Draw
from gateway.judging import Verdict, judge
from gateway.logins import Admission, Login, Passed
from gateway.shield import ShieldBackend
from gateway.socket import Socket
from gateway.sockets import LiveSockets
from gateway.transports.port import Port
from gateway.trust import verify
from gateway.wire import GATEWAY_LIMITS, decoder_for, limits_shown

log = logging.getLogger("gateway")

GameFactory = Callable[[Sockets, Clock], Game]


class Runtime:
    """Implements `gateway.socket.Exchange` for its sockets."""

    def __init__(self, make_game: GameFactory, config: Config, clock: Clock, draw: Draw = SYSTEM) -> None:
        self.config = config
        self.clock = clock
        self.draw = draw
        self.draining = False
        self.hub = Hub()
        self.admitted: dict[ConnId, Admission] = {}
        self.passed = Passed()
        self.guard = Guard.beside(config.trusted, (network for network, _ in config.ip_caps))
        self.shield: ShieldBackend = import_string(config.keys.shield)()
        self.counts = Counts()
        self.sockets = LiveSockets(self.hub, self.counts, clock)
        self.game = make_game(self.sockets, clock)
        limits = {**self.game.limits, **GATEWAY_LIMITS}
        self.actions = Actions.fresh(limits)
        self._decoder = decoder_for(self.game.commands)
        self._limits_shown = limits_shown(config.connection.inbound, limits)
        self._crowds = Crowds()

    # ---------- admission

    def judge(self, attempt: Attempt) -> Verdict:
        """What the late rules say of an attempt (``gateway.judging``). Takes nothing."""
        return judge(self, attempt)

    def admit(self, attempt: Attempt, login: Login | None = None) -> Admission | Refusal:
        """Reserve a slot, or say why not."""
        if self.draining:  # since this attempt passed the entrance
            return UNAVAILABLE
        verdict = self.judge(attempt)
        refusal, claim = verdict.refusal, verdict.claim
        now = self.clock.now()
        if charges_shield(refusal):
            self._tell_dry_run(verdict.denial, attempt)
            self.shield.charge(attempt.session, None if claim else bucket(attempt.address), now)
        if refusal is not None:
            self._note_forgery(attempt, refusal, now)
            return refusal
        peer = Peer(self.draw.text(12), attempt.account, attempt.query.client_id)
        holder = claim.holder if claim else None
        address = bucket(attempt.address)
        admit = Admit(peer.conn_id, attempt.session, address, peer.account, peer.client_id, holder)
        self._perform(self.hub.apply(admit, now))
        self._crowds.notice(attempt.address, self.hub.by_address.get(address, 0))
        admission = Admission(peer, attempt.query.ticket, attempt.address, now, login)
        self.admitted[peer.conn_id] = admission
        return admission

    def release(self, admission: Admission) -> None:
        """Give the slot back: the last step of every end."""
        del self.admitted[admission.peer.conn_id]
        self._perform(self.hub.apply(Gone(admission.peer.conn_id, admission.ending), self.clock.now()))

    # ---------- the life of a socket

    def accept(self, admission: Admission, port: Port) -> Socket:
        """A live socket for an accepted handshake; nobody knows of it before `open`."""
        now = self.clock.now()
        first_ping_in = self.config.connection.heartbeat.interval_s * self.draw.share()
        connection = Connection.opened(self._decoder, self.config.connection, first_ping_in, now)
        return Socket(admission.peer, port, connection, self)

    def open(self, admission: Admission, socket: Socket) -> None:
        """Greet, hand to the game, and only then take the place of the socket it replaces.

        The order keeps a failed claim from touching anything: the old socket goes when the new one sits. The
        ticket is looked at again, because the seat may have gone, or changed hands, during the handshake.
        """
        now = self.clock.now()
        peer = admission.peer
        self.sockets.live[peer.conn_id] = socket
        if self.hub.slots[peer.conn_id].stage is Stage.CANCELLED:
            socket.end(closing.NEW_SESSION_OPENED)
            return
        if admission.doomed is not None:
            socket.end(admission.doomed)
            return
        claim = self.claim_of(admission.ticket, peer.account)
        socket.tell(self._greeting(peer, claim, now))
        if admission.ticket is not None and claim is None:
            socket.end(closing.INVALID_SEAT_CREDENTIALS)
            return
        socket.attached = True
        self.counts.open(now)
        self.guard.came(peer.conn_id, peer.account, admission.address, now)
        self.game.attach(peer, claim, now)
        self._perform(self.hub.apply(Open(peer.conn_id), now))

    def close(self, admission: Admission, socket: Socket, ending: Ending) -> None:
        """The transport is gone. Out of the tables first, so that nothing the game now sends can reach it."""
        admission.ending = socket.over(ending)
        self.sockets.live.pop(socket.peer.conn_id, None)
        self.counts.close(admission.ending, self.clock.now())
        self.counts.drop_outbound(socket.connection.parts.outbox)
        log.info(
            "socket closed",
            extra={
                "conn": socket.peer.conn_id,
                "account": socket.peer.account,
                "code": admission.ending.code,
                "reason": admission.ending.reason,
                "by": admission.ending.by.value,
            },
        )
        if socket.attached:
            peer, now = socket.peer, self.clock.now()
            self.guard.went(peer.conn_id, peer.account, admission.address, admission.ending, now)
            self.game.leave(peer.conn_id, admission.ending, now)

    def end(self, admission: Admission, ending: Ending) -> None:
        """End its socket: now, or as soon as the handshake that is in progress is complete."""
        admission.doomed = ending
        self.sockets.close(admission.peer.conn_id, ending)

    def start(self) -> None:
        """Let the game take over what the process before this one left; then listen."""
        self.game.start(self.clock.now())

    def drain(self, done: Callable[[], None]) -> None:
        """Admit nobody any more, let the game say goodbye, end every socket with 1012; then stop the game."""
        self.draining = True
        self.game.drain(self.clock.now())
        end_all(self, lambda: self.game.stop(done))

    def forget(self) -> None:
        """Drop what nobody will ask for any more. Whoever comes does so too, but after a crowd nobody may."""
        now = self.clock.now()
        self.hub.forget(now)
        self.actions.spent.forget(now)

    def spent(self, conn_id: ConnId, action: str) -> float:
        """What a live connection has spent of an action's budget, to be shown; changes nothing."""
        return self.actions.spent_on(action, self.hub.keys(conn_id), self.clock.now())

    # ---------- what sockets ask for

    def deliver(self, socket: Socket, command: Any, now: float) -> None:
        """Steps 6 and 7 of the inbound pipeline: the action's limit, then the handler."""
        action = wire_type(command)
        keys = self.hub.keys(socket.peer.conn_id)
        count(self.counts.received, action)
        try:
            self.actions.spend(action, keys, now)
            if isinstance(command, SessionTrustContext):
                socket.trust = verify(command.token, socket.peer.account)
            else:
                self.game.receive(socket.peer.conn_id, command, now)
        except ClientError as error:
            self.actions.failed(action, error.code, keys, now)
            socket.tell(error_event(error, action))
        except Exception:
            reference = f"{self.draw.below(2**32):08x}"
            log.exception(
                "handler failed", extra={"conn": socket.peer.conn_id, "action": action, "ref": reference}
            )
            text = f"Something broke on our side (reference {reference})."
            socket.tell(Error("INTERNAL_ERROR", text, 500, {"action": action, "reference": reference}))

    def measured(self, socket: Socket, rtt_s: float) -> None:
        """A heartbeat was answered."""
        count(self.counts.received, "HEARTBEAT_RESPONSE")
        self.counts.rtt.add(rtt_s)
        if socket.attached:
            self.game.measured(socket.peer.conn_id, rtt_s)

    def violated(self, socket: Socket, now: float) -> None:
        """A frame was dropped over budget; sustained abuse ends the socket."""
        count(self.counts.dropped, "over_budget")
        self._perform(self.hub.apply(Violated(socket.peer.conn_id), now))

    def resync(self, socket: Socket, now: float) -> None:
        """A slow client reads again."""
        if socket.ending is None:
            self.game.resync(socket.peer.conn_id, now)

    def soon(self, call: Callable[[], None]) -> None:
        """In the loop's next turn."""
        self.clock.call_later(0.0, call)

    # ---------- details

    def _perform(self, effects: tuple[EndSocket, ...]) -> None:
        for effect in effects:
            self.sockets.close(effect.conn_id, effect.ending)

    def claim_of(self, ticket: Ticket | None, account: str) -> Claim | None:
        """The claim that a ticket makes, if it is good."""
        return None if ticket is None else self.game.check_claim(ticket, account)

    def _note_forgery(self, attempt: Attempt, refusal: Refusal, now: float) -> None:
        """A wrong token for a seat that exists is a strike; that a seat is gone is no offence (spec 4.3)."""
        ticket = attempt.query.ticket
        owner = self.game.forged(ticket) if ticket is not None and refusal == FORBIDDEN else None
        if owner is not None:
            self.guard.forged(attempt.account, attempt.address, owner, now)

    def _greeting(self, peer: Peer, claim: Claim | None, now: float) -> Connected:
        heartbeat = self.config.connection.heartbeat
        return Connected(
            peer.conn_id,
            claim.seat_id if claim else peer.conn_id,
            PROTOCOL_VERSION,
            HeartbeatTimes(round(heartbeat.interval_s * 1000), round(heartbeat.timeout_s * 1000)),
            self._limits_shown,
            self.hub.last_close(peer.account, peer.client_id, now),
        )

    def _tell_dry_run(self, denial: Denial | None, attempt: Attempt) -> None:
        """What came as far as the shield and would have been refused there, were it live."""
        if denial is not None:
            count(self.counts.shield, denial.reason)
            log.info("shield would refuse", extra={"reason": denial.reason, "ip": attempt.address})
