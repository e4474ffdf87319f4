"""The gateway of one process: its sockets, its counters, its game.

Everything runs on one loop and nothing here waits: no locks. The consumer and the middleware call in, the
game sends out through `LiveSockets`. No asyncio: time comes from a `Clock`, so the same object runs on a
virtual one.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.utils.module_loading import import_string
from msgspec import Struct

from gateway.admission import Attempt, address_cap
from gateway.alarm import Clock
from gateway.conf import Config
from gateway.contract import Claim, ClientError, ConnId, Game, Peer, Sockets, Ticket
from gateway.core import closing
from gateway.core.actions import Actions, Keys
from gateway.core.address import bucket
from gateway.core.admission import LateFacts, Refusal, Seat, charges_shield, late_refusal
from gateway.core.closing import Ending
from gateway.core.connection import Connection, command_type, error_event
from gateway.core.hub import Admit, EndSocket, Gone, Hub, Open, Violated
from gateway.core.messages import PROTOCOL_VERSION, Connected, Error, HeartbeatTimes, SessionTrustContext
from gateway.core.shield import Denial
from gateway.core.slots import Stage
from gateway.crowds import Crowds
from gateway.draw import SYSTEM, Draw
from gateway.shield import ShieldBackend
from gateway.socket import Socket
from gateway.sockets import LiveSockets
from gateway.transports.port import Port
from gateway.trust import verify
from gateway.wire import GATEWAY_LIMITS, decoder_for, limits_shown

log = logging.getLogger("gateway")

GameFactory = Callable[[Sockets, Clock], Game]


class Admission(Struct):
    """An admitted attempt: a slot that is given back exactly once. ``ending`` is set when its socket has
    ended.
    """

    peer: Peer
    ticket: Ticket | None
    ending: Ending | None = None


class Runtime:
    """Implements `gateway.socket.Exchange` for its sockets."""

    def __init__(self, make_game: GameFactory, config: Config, clock: Clock, draw: Draw = SYSTEM) -> None:
        self.config = config
        self.clock = clock
        self.draw = draw
        self.draining = False
        self.hub = Hub()
        self.shield: ShieldBackend = import_string(config.keys.shield)()
        self.sockets = LiveSockets(self.hub)
        self.game = make_game(self.sockets, clock)
        limits = {**self.game.limits, **GATEWAY_LIMITS}
        self.actions = Actions.fresh(limits)
        self._decoder = decoder_for(self.game.commands)
        self._limits_shown = limits_shown(config.connection.inbound, limits)
        self._crowds = Crowds()

    # ---------- admission

    def judge(self, attempt: Attempt) -> tuple[Refusal | None, Claim | None]:
        """What the late rules say of an attempt, and the claim it makes. Touches nothing."""
        now = self.clock.now()
        claim = self._claim(attempt.query.ticket, attempt.account)
        refusal = late_refusal(self._facts(attempt, claim, now), self.config.caps)
        return refusal, claim

    def admit(self, attempt: Attempt) -> Admission | Refusal:
        """Reserve a slot, or say why not."""
        refusal, claim = self.judge(attempt)
        now = self.clock.now()
        if charges_shield(refusal):
            self._tell_dry_run(self._shield_says(attempt, claim, now), attempt)
            self.shield.charge(attempt.session, None if claim else bucket(attempt.address), now)
        if refusal is not None:
            return refusal
        peer = Peer(self.draw.text(12), attempt.account, attempt.query.client_id)
        holder = claim.holder if claim else None
        address = bucket(attempt.address)
        admit = Admit(peer.conn_id, attempt.session, address, peer.account, peer.client_id, holder)
        self._perform(self.hub.apply(admit, now))
        self._crowds.notice(attempt.address, self.hub.by_address.get(address, 0))
        return Admission(peer, attempt.query.ticket)

    def release(self, admission: Admission) -> None:
        """Give the slot back: the last step of every end."""
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
        claim = self._claim(admission.ticket, peer.account)
        socket.tell(self._greeting(peer, claim, now))
        if admission.ticket is not None and claim is None:
            socket.end(closing.INVALID_SEAT_CREDENTIALS)
            return
        socket.attached = True
        self.game.attach(peer, claim, now)
        self._perform(self.hub.apply(Open(peer.conn_id), now))

    def close(self, admission: Admission, socket: Socket, ending: Ending) -> None:
        """The transport is gone. Out of the tables first, so that nothing the game now sends can reach it."""
        admission.ending = socket.over(ending)
        self.sockets.live.pop(socket.peer.conn_id, None)
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
            self.game.leave(socket.peer.conn_id, admission.ending, self.clock.now())

    def drain(self) -> None:
        """Admit nobody any more, let the game say goodbye, end every socket with 1012."""
        self.draining = True
        self.game.drain(self.clock.now())
        for socket in list(self.sockets.live.values()):
            socket.end(closing.SERVICE_RESTART)

    def spent(self, conn_id: ConnId, action: str) -> float:
        """What a live connection has spent of an action's budget, to be shown; changes nothing."""
        return self.actions.spent_on(action, self._keys(conn_id), self.clock.now())

    # ---------- what sockets ask for

    def deliver(self, socket: Socket, command: Any, now: float) -> None:
        """Steps 6 and 7 of the inbound pipeline: the action's limit, then the handler."""
        action = command_type(command)
        keys = self._keys(socket.peer.conn_id)
        try:
            self.actions.spend(action, keys, now)
            self._handle(socket, command, now)
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

    def violated(self, socket: Socket, now: float) -> None:
        """A frame was dropped over budget; sustained abuse ends the socket."""
        self._perform(self.hub.apply(Violated(socket.peer.conn_id), now))

    def resync(self, socket: Socket, now: float) -> None:
        """A slow client reads again."""
        if socket.ending is None:
            self.game.resync(socket.peer.conn_id, now)

    def soon(self, call: Callable[[], None]) -> None:
        """In the loop's next turn."""
        self.clock.call_later(0.0, call)

    # ---------- details

    def _handle(self, socket: Socket, command: Any, now: float) -> None:
        if isinstance(command, SessionTrustContext):
            socket.trust = verify(command.token, socket.peer.account)
        else:
            self.game.receive(socket.peer.conn_id, command, now)

    def _perform(self, effects: tuple[EndSocket, ...]) -> None:
        for effect in effects:
            self.sockets.close(effect.conn_id, effect.ending)

    def _keys(self, conn_id: ConnId) -> Keys:
        return Keys(self.hub.budget_key(conn_id), conn_id, self.hub.slots[conn_id].address)

    def _claim(self, ticket: Ticket | None, account: str) -> Claim | None:
        return None if ticket is None else self.game.check_claim(ticket, account)

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

    def _shield_says(self, attempt: Attempt, claim: Claim | None, now: float) -> Denial | None:
        address = None if claim else bucket(attempt.address)
        return self.shield.look(attempt.session, address, attempt.user_agent, now)

    def _tell_dry_run(self, denial: Denial | None, attempt: Attempt) -> None:
        """What came as far as the shield and would have been refused there, were it live."""
        if denial is not None:
            log.info("shield would refuse", extra={"reason": denial.reason, "ip": attempt.address})

    def _facts(self, attempt: Attempt, claim: Claim | None, now: float) -> LateFacts:
        address = bucket(attempt.address)
        predecessor = self.hub.predecessor_of(
            attempt.session, attempt.query.client_id, claim.holder if claim else None
        )
        by_session, by_address = self.hub.sockets_of(attempt.session, address, predecessor)
        denial = self._shield_says(attempt, claim, now)
        return LateFacts(
            has_session=bool(attempt.session),
            session_sockets=by_session,
            address_sockets=by_address,
            address_cap=address_cap(attempt.address, self.config),
            shield_denies=denial is not None and self.config.keys.shield_mode == "live",
            shield_retry=denial.retry_after if denial else None,
            seat=_seat(attempt, claim),
        )


def _seat(attempt: Attempt, claim: Claim | None) -> Seat:
    if claim is not None:
        return Seat.GOOD
    return Seat.BAD if attempt.query.ticket is not None or attempt.query.broken_claim else Seat.NONE
