"""The quiz on the gateway: the shell of `Lobby` and its rooms (implements `gateway.contract.Game`).

Draws what is random, hands commands to the room they belong to, performs what the room wishes, keeps one
alarm a room. Decides nothing: every rule is in ``rooms.core``. Nothing here waits: what asks the database is
done aside (``rooms.aside``, ``rooms.permits``).
"""

import logging
from typing import Any, assert_never

import msgspec
from django.utils.module_loading import import_string

from gateway.admission import hash_token
from gateway.alarm import Alarm, Clock
from gateway.contract import Claim, ClientError, ConnId, FrameClass, Peer, Sockets, Ticket
from gateway.core.closing import Ending
from gateway.core.connection import command_type, error_event
from gateway.draw import SYSTEM, Draw
from rooms import conf, wire
from rooms.archive import Archive
from rooms.aside import Aside, Threads
from rooms.core import codes
from rooms.core import effects as fx
from rooms.core.lobby import Lobby
from rooms.core.messages import (
    CreateRoom,
    JoinRoom,
    RestartGame,
    ServerRestarting,
    StartGame,
    SubmitAnswer,
    WatchRoom,
)
from rooms.core.names import clean_name
from rooms.core.questions import Question
from rooms.core.recording import Recorder
from rooms.core.room import Room
from rooms.core.rules import refusal
from rooms.permits import Permits
from rooms.questions import sources

log = logging.getLogger("rooms")

RESTART_RETRY_MS = 1000
"""A restarting server is back within seconds; spread over as much again, so that not everybody knocks at
once.
"""
TOKEN_BYTES = 32
"""A reconnect token holds 256 random bits (spec 1.1): nobody guesses one, however fast the server answers."""
ID_BYTES = 9
"""72 random bits: no two ids are ever the same, and twelve characters stay short in every frame."""


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
    ) -> None:
        """Without an archive games are played and forgotten, without a recorder nobody can replay them."""
        config = conf.config()
        self._archive = archive
        self.recorder = recorder
        self._sockets = sockets
        self._clock = clock
        self._draw = draw
        self._aside = aside or Threads()
        self._lobby = Lobby(config.max_rooms, config.room_max_players)
        self._peers: dict[ConnId, Peer] = {}
        self._alarms: dict[str, Alarm] = {}
        self._welcomes = import_string(config.name_filter) if config.name_filter else None
        self._permits = Permits(self._aside, self._obey_now, self._tell)

    @property
    def lobby(self) -> Lobby:
        """All live rooms, to be looked at: whoever changes them goes through the calls below."""
        return self._lobby

    # ---------- the gateway's calls

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        """The claim if the ticket opens a live seat of the account."""
        return self._lobby.check_claim(ticket, account)

    def attach(self, peer: Peer, claim: Claim | None, now: float) -> None:
        """A socket opened; with a claim it goes back to its seat."""
        self._peers[peer.conn_id] = peer
        if claim is not None:
            back = fx.Reattach(peer.conn_id, peer.account, peer.client_id, claim.seat_id)
            self._apply(self._lobby.rooms[claim.room_id], back, now)

    def receive(self, conn_id: ConnId, command: Any, now: float) -> None:
        """A command of a client."""
        match command:
            case JoinRoom() | WatchRoom():
                self._obey(conn_id, command, now)  # never held: failed tries are counted as they come
            case _ if not self._permits.holds(conn_id, self._peers[conn_id].account, command):
                self._obey(conn_id, command, now)

    def resync(self, conn_id: ConnId, now: float) -> None:
        """A slow client reads again: if it is in a room, tell it how things stand."""
        if conn_id in self._lobby.conns:
            self._apply(self._lobby.room_of(conn_id), fx.Resync(conn_id), now)

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        """A socket is gone."""
        del self._peers[conn_id]
        self._permits.forget(conn_id)
        room = self._lobby.rooms.get(self._lobby.conns.get(conn_id, ""))
        effects = self._lobby.leave(conn_id, ending, now)
        if room is not None:
            self._note(room, fx.Left(conn_id, ending), now)
            self._perform(room, effects)

    def drain(self, now: float) -> None:
        """Tell everybody in a room when to come back."""
        for conn_id in self._lobby.conns:
            retry_after_ms = RESTART_RETRY_MS + self._draw.below(RESTART_RETRY_MS)
            self._sockets.send([conn_id], ServerRestarting(retry_after_ms), FrameClass.CRITICAL)
        if self._archive is not None:
            self._archive.hurry()

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
                self._apply(self._lobby.room_of(conn_id), self._input(conn_id, command), now)

    def _obey_now(self, conn_id: ConnId, command: Any) -> None:
        self._obey(conn_id, command, self._clock.now())

    def _tell(self, conn_id: ConnId, command: Any, error: ClientError) -> None:
        self._sockets.send([conn_id], error_event(error, command_type(command)), FrameClass.CRITICAL)

    def _check_welcome(self, raw_name: str) -> None:
        """The site's own word about a name that is a good one otherwise (spec 2.1)."""
        if self._welcomes is not None and not self._welcomes(clean_name(raw_name)):
            raise refusal("NAME_INVALID", "This name is not welcome here. Please choose another.")

    def _create(self, peer: Peer, command: CreateRoom, now: float) -> None:
        self._check_welcome(command.name)
        token = self._draw.text(TOKEN_BYTES)
        create = fx.Create(
            peer.conn_id,
            peer.account,
            peer.client_id,
            room_id=self._new_id(),
            room_code=self._free_code(),
            seat_id=self._new_id(),
            token_hash=hash_token(token),
            command=command,
        )
        room, effects = self._lobby.create(create, now)
        self._note(room, None, now)
        self._perform(room, effects, token)

    def _join(self, peer: Peer, room: Room, command: JoinRoom, now: float) -> None:
        self._lobby.check_free(peer.conn_id)
        self._check_welcome(command.name)
        token = self._draw.text(TOKEN_BYTES)
        join = fx.Join(peer.conn_id, peer.account, peer.client_id, self._new_id(), hash_token(token), command)
        self._apply(room, join, now, token)

    def _input(self, conn_id: ConnId, command: Any) -> fx.Input:
        """The room's input for a command, with what it needs drawn or measured."""
        match command:
            case StartGame() | RestartGame():
                return fx.Begin(conn_id, command, game_id=self._new_id(), seed=self._draw.below(2**63))
            case SubmitAnswer():
                return fx.Answer(conn_id, command, self._sockets.rtt(conn_id))
            case _:
                return fx.Asked(conn_id, command)

    def _new_id(self) -> str:
        """An id of a room, a seat or a game: random, never reused."""
        return self._draw.text(ID_BYTES)

    def _free_code(self) -> str:
        while (code := codes.from_int(self._draw.below(codes.COUNT))) in self._lobby.codes:
            pass
        return code

    # ---------- rooms

    def _apply(self, room: Room, event: fx.Input, now: float, token: str | None = None) -> None:
        effects = self._lobby.apply(room, event, now)
        self._note(room, event, now)
        self._perform(room, effects, token)

    def _wake(self, room: Room) -> None:
        now = self._clock.now()
        effects = self._lobby.wake(room, now)
        self._note(room, None, now)
        self._perform(room, effects)

    def _note(self, room: Room, event: fx.Input | None, now: float) -> None:
        if self.recorder is not None:
            self.recorder.note(room, event, now)

    def _perform(self, room: Room, effects: tuple[fx.Effect, ...], token: str | None = None) -> None:
        for effect in effects:
            self._do(room, effect, token)
        if room.id in self._lobby.rooms:
            alarm = self._alarms.get(room.id)
            if alarm is None:
                alarm = self._alarms[room.id] = Alarm(self._clock, lambda: self._wake(room))
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
                if self._archive is not None:
                    self._archive.keep(report)
            case fx.RoomOver(reason):
                self._alarms.pop(room.id).cancel()
                if self.recorder is not None:
                    self.recorder.forget(room.id)
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
