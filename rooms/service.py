"""The quiz on the gateway: the shell of `Lobby` and its rooms (implements `gateway.contract.Game`).

Draws what is random, hands commands to the room they belong to, performs what the room wishes, keeps one
alarm a room. Decides nothing: every rule is in ``rooms.core``. Nothing here waits: what asks the database is
done aside (``rooms.aside``, ``rooms.permits``).
"""

import logging
from collections.abc import Callable, Iterable
from typing import Any, assert_never

import msgspec
from django.utils.module_loading import import_string

from gateway.alarm import Alarm, Clock
from gateway.contract import Claim, ClientError, ConnId, Figure, FrameClass, Peer, Sockets, Ticket
from gateway.core.closing import Ending
from gateway.core.connection import error_event
from gateway.core.messages import wire_type
from gateway.draw import SYSTEM, Draw
from rooms import conf, figures, wire
from rooms.archive import Archive
from rooms.aside import Aside, Threads
from rooms.core import effects as fx
from rooms.core.lobby import Lobby
from rooms.core.messages import (
    CreateRoom,
    JoinRoom,
    ServerRestarting,
    WatchRoom,
)
from rooms.core.names import clean_name
from rooms.core.questions import Question
from rooms.core.recording import Recorder
from rooms.core.room import Room
from rooms.core.rules import refusal
from rooms.inputs import Inputs
from rooms.keeping import Keeping
from rooms.permits import Permits
from rooms.questions import sources
from rooms.snapshots.keeper import Keeper

log = logging.getLogger("rooms")

RESTART_RETRY_MS = 1000
"""A restarting server is back within seconds; spread over as much again, so that not everybody knocks at
once.
"""


class QuizGame:
    """All rooms of this process."""

    commands = wire.COMMANDS
    limits = wire.LIMITS

    def __init__(
        self,
        sockets: Sockets,
        clock: Clock,
        archive: Archive | None = None,
        draw: Draw = SYSTEM,
        aside: Aside | None = None,
        recorder: Recorder | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        """What of the rooms is kept, and by whom, is for the last arguments (see `Keeping`)."""
        config = conf.config()
        self._keeping = Keeping(archive, recorder, keeper)
        self._stopped = False
        self._sockets = sockets
        self._clock = clock
        self._draw = draw
        self._aside = aside or Threads()
        self._lobby = Lobby(config.max_rooms, config.room_max_players)
        self._inputs = Inputs(draw, self._lobby)
        self._peers: dict[ConnId, Peer] = {}
        self._alarms: dict[str, Alarm] = {}
        self.since: dict[str, float] = {}
        """When each live room came into this process."""
        self._welcomes = import_string(config.name_filter) if config.name_filter else None
        self._returned = 0
        self._permits = Permits(self._aside, self._obey_now, self._tell)

    @property
    def recorder(self) -> Recorder | None:
        """What happened last in each room, for the debugger."""
        return self._keeping.recorder

    @property
    def lobby(self) -> Lobby:
        """All live rooms, to be looked at: whoever changes them goes through the calls below."""
        return self._lobby

    # ---------- the gateway's calls

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        """The claim if the ticket opens a live seat of the account."""
        return self._lobby.check_claim(ticket, account)

    def forged(self, ticket: Ticket) -> str | None:
        """The account whose live seat the ticket names with a wrong token."""
        return self._lobby.forged(ticket)

    def attach(self, peer: Peer, claim: Claim | None, now: float) -> None:
        """A socket opened; with a claim it goes back to its seat."""
        self._peers[peer.conn_id] = peer
        if claim is not None:
            self._returned += 1
            back = fx.Reattach(peer.conn_id, peer.account, peer.client_id, claim.seat_id)
            self._apply(self._lobby.rooms[claim.room_id], back, now)

    def receive(self, conn_id: ConnId, command: Any, now: float) -> None:
        """A command of a client."""
        match command:
            case JoinRoom() | WatchRoom():
                self._obey(conn_id, command, now)  # never held: failed tries are counted as they come
            case _ if not self._permits.holds(conn_id, self._peers[conn_id].account, command):
                self._obey(conn_id, command, now)

    def measured(self, conn_id: ConnId, rtt_s: float) -> None:
        """A heartbeat was answered."""
        lagged = self._lobby.measured(conn_id, rtt_s)
        if lagged is not None:
            self._apply(self._lobby.room_of(conn_id), lagged, self._clock.now())

    def resync(self, conn_id: ConnId, now: float) -> None:
        """A slow client reads again: if it is in a room, tell it how things stand."""
        if conn_id in self._lobby.conns:
            self._apply(self._lobby.room_of(conn_id), fx.Resync(conn_id), now)

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        """A socket is gone."""
        del self._peers[conn_id]
        self._permits.forget(conn_id)
        if self._stopped:
            return  # the next process has the seat
        room = self._lobby.rooms.get(self._lobby.conns.get(conn_id, ""))
        effects = self._lobby.leave(conn_id, ending, now)
        if room is not None:
            self._keeping.note(room, fx.Left(conn_id, ending), now)
            self._perform(room, effects)

    def move_account(self, old: str, new: str, now: float) -> None:
        """A player signed in: what they had is the user's."""
        for conn_id, peer in self._peers.items():
            if peer.account == old:
                self._peers[conn_id] = msgspec.structs.replace(peer, account=new)
        for room in self._lobby.move_account(old, new, now):
            self._keeping.note(room, fx.MoveAccount(old, new), now)

    def start(self, now: float) -> None:
        """Go on with the rooms of the process before, and keep all rooms from now on."""
        for room in self._keeping.restored(now):
            try:
                effects = self._lobby.restore(room, now)
            except Exception:
                log.exception("a saved room is lost", extra={"room": room.id})
                continue
            self._keeping.note(room, fx.Restored(), now)
            self._perform(room, effects)
        self._keeping.start(self._lobby.rooms)

    def drain(self, now: float) -> None:
        """Tell everybody in a room when to come back."""
        for conn_id in self._lobby.conns:
            retry_after_ms = RESTART_RETRY_MS + self._draw.below(RESTART_RETRY_MS)
            self._sockets.send([conn_id], ServerRestarting(retry_after_ms), FrameClass.CRITICAL)
        self._keeping.hurry()

    def stop(self, done: Callable[[], None]) -> None:
        """All rooms stand still from now on, as the next process will find them."""
        self._stopped = True
        for alarm in self._alarms.values():
            alarm.cancel()
        self._keeping.stop(done)

    def figures(self) -> Iterable[Figure]:
        """Rooms, members and games, counted."""
        return figures.of(self._lobby, self._returned, self._keeping)

    def close_room(self, room_id: str) -> bool:
        """The site's staff close the room, and its people are told; False if there is none to close."""
        room = self._lobby.rooms.get(room_id)
        if room is None or self._stopped:
            return False
        self._apply(room, fx.Close(), self._clock.now())
        return True

    # ---------- inputs

    def _obey(self, conn_id: ConnId, command: Any, now: float) -> None:
        peer = self._peers[conn_id]
        match command:
            case CreateRoom():
                self._create(peer, command, now)
            case JoinRoom(room_code):
                self._join(peer, self._lobby.room_with(room_code), command, now)
            case WatchRoom(room_code):
                self._lobby.check_free(conn_id)
                self._apply(self._lobby.room_with(room_code), fx.Watch(conn_id, peer.account), now)
            case _:
                self._apply(self._lobby.room_of(conn_id), self._inputs.of(conn_id, command), now)

    def _obey_now(self, conn_id: ConnId, command: Any) -> None:
        self._obey(conn_id, command, self._clock.now())

    def _tell(self, conn_id: ConnId, command: Any, error: ClientError) -> None:
        self._sockets.send([conn_id], error_event(error, wire_type(command)), FrameClass.CRITICAL)

    def _check_welcome(self, raw_name: str) -> None:
        """The site's own word about a name that is a good one otherwise (spec 2.1)."""
        if self._welcomes is not None and not self._welcomes(clean_name(raw_name)):
            raise refusal("NAME_INVALID", "This name is not welcome here. Please choose another.")

    def _create(self, peer: Peer, command: CreateRoom, now: float) -> None:
        self._check_welcome(command.name)
        create, token = self._inputs.create(peer, command)
        room, effects = self._lobby.create(create, now)
        self._keeping.note(room, None, now)
        self._perform(room, effects, token)

    def _join(self, peer: Peer, room: Room, command: JoinRoom, now: float) -> None:
        self._lobby.check_free(peer.conn_id)
        self._check_welcome(command.name)
        join, token = self._inputs.join(peer, command)
        self._apply(room, join, now, token)

    # ---------- rooms

    def _apply(self, room: Room, event: fx.Input, now: float, token: str | None = None) -> None:
        effects = self._lobby.apply(room, event, now)
        self._keeping.note(room, event, now)
        self._perform(room, effects, token)

    def _wake(self, room: Room) -> None:
        now = self._clock.now()
        effects = self._lobby.wake(room, now)
        self._keeping.note(room, None, now)
        self._perform(room, effects)

    def _perform(self, room: Room, effects: tuple[fx.Effect, ...], token: str | None = None) -> None:
        for effect in effects:
            self._do(room, effect, token)
        if room.id in self._lobby.rooms:
            alarm = self._alarms.get(room.id)
            if alarm is None:
                alarm = self._alarms[room.id] = Alarm(self._clock, lambda: self._wake(room))
                self.since[room.id] = self._clock.now()
            alarm.set(room.deadline())

    def _do(self, room: Room, effect: fx.Effect, token: str | None) -> None:
        match effect:
            case fx.Send(to, event, frame_class, key):
                self._sockets.send(to, event, frame_class, key)
            case fx.IssueSeat(conn_id, event):
                told = msgspec.structs.replace(event, reconnect_token=token)
                self._sockets.send([conn_id], told, FrameClass.CRITICAL)
            case fx.Bind(conn_id, seat_id):
                if seat_id is not None:
                    self._sockets.bind(conn_id, seat_id)
            case fx.Unbind(conn_id):
                self._sockets.unbind(conn_id)
            case fx.End(conn_id, ending):
                self._sockets.close(conn_id, ending)
            case fx.Refuse(conn_id, code, message, status, action):
                error = error_event(ClientError(code, message, status), action)
                self._sockets.send([conn_id], error, FrameClass.CRITICAL)
            case fx.LoadQuestions():
                self._load(room, effect)
            case fx.GameOver(report):
                log.info("game over", extra={"room": room.id, "game": report.game_id})
                self._keeping.store(report)
            case fx.RoomOver(reason):
                self._alarms.pop(room.id).cancel()
                del self.since[room.id]
                self._keeping.forget(room.id)
                log.info("room over", extra={"room": room.id, "reason": reason})
            case _ as unreachable:
                assert_never(unreachable)

    def _load(self, room: Room, wanted: fx.LoadQuestions) -> None:
        """Later in any case: the answer is an input like any other, and inputs do not nest."""

        def drawn() -> tuple[Question, ...]:
            return sources.draw(wanted.source, wanted.count, wanted.seed)

        def loaded(questions: tuple[Question, ...] | None) -> None:
            if room.id in self._lobby.rooms:
                self._apply(room, fx.Loaded(wanted.request_id, questions or ()), self._clock.now())

        if sources.waits(wanted.source):
            self._aside(drawn, loaded)
        else:
            self._clock.call_later(0.0, lambda: loaded(drawn()))
