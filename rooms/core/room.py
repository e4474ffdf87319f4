"""The machine of one room: what happens to it, when it acts by itself, who may claim a seat of it (spec 2).

Only the way to the rules is here: the data is in ``rooms.core.state``, the rules are in ``entering``,
``leaving``, ``playing`` and ``restoring``. An input that is not allowed raises `ClientError` and changes
nothing.
"""

from typing import assert_never

from gateway.contract import ConnId, FrameClass, Ticket
from rooms.core import entering, hosting, leaving, playing, restoring, view
from rooms.core.effects import (
    Answer,
    Asked,
    Begin,
    Close,
    Create,
    Effect,
    Input,
    Join,
    Lagged,
    Left,
    Loaded,
    MoveAccount,
    Reattach,
    Restored,
    Resync,
    Send,
    Watch,
)
from rooms.core.messages import (
    KickUser,
    LeaveRoom,
    NextQuestion,
    Reactions,
    RoomSettings,
    SendReaction,
    StopGame,
    UnbanUser,
    UpdateAvatar,
    UpdateRoomSettings,
)
from rooms.core.roster import News
from rooms.core.rules import IDLE_S, ROOM_MAX_PLAYERS, STALL_HOLD_S, STALL_S, changed_settings
from rooms.core.seats import Seat
from rooms.core.shapes import Settings
from rooms.core.state import Effects, RoomData, tell

BY_PEOPLE = (Join, Reattach, Asked, Begin, Answer)
"""Inputs that show that somebody is still there; watching keeps no room alive (spec 2.1)."""


class Room(RoomData):
    @classmethod
    def create(
        cls, create: Create, now: float, max_players: int = ROOM_MAX_PLAYERS
    ) -> tuple["Room", tuple[Effect, ...]]:
        """A new room with its creator in it; ``max_players`` is the site's limit."""
        settings = Settings(max_players=max_players)
        if create.command.settings is not None:
            settings = changed_settings(settings, create.command.settings, max_players)
        room = cls(
            id=create.room_id,
            code=create.room_code,
            creator=create.account,
            max_players=max_players,
            settings=settings,
            idle_at=now + IDLE_S,
        )
        return room, tuple(entering.found(room, create, now))

    def apply(self, event: Input, now: float) -> tuple[Effect, ...]:
        """Something happened. Raises `ClientError`, and then nothing has changed."""
        effects = tuple(self._handle(event, now))
        if self.pause is not None and self.seats.next_hold is None:
            effects += tuple(restoring.go_on(self, now))
        if isinstance(event, BY_PEOPLE) and self.idle_at is not None:
            self.idle_at = now + IDLE_S
        return effects

    def wake(self, now: float) -> tuple[Effect, ...]:
        """Time passed: do all that is due."""
        due = self.deadline()
        if due is None or due > now:
            return ()
        if now - due > STALL_S:
            # We stood still, and with us everybody who tried to come back (spec 1.4). When that began is not
            # known, and the frames that waited are read after this: nobody is evicted before they are.
            self.seats.give_back(now - due, now + STALL_HOLD_S)
        return tuple(self._act(now))

    def check_claim(self, ticket: Ticket, account: str) -> Seat | None:
        """The seat that the ticket opens for this account. Changes nothing, constant time in the token."""
        return self.seats.opens(ticket.seat_id, ticket.token_hash, account)

    # ---------- what happens

    def _handle(self, event: Input, now: float) -> Effects:
        match event:
            case Join():
                return entering.join(self, event, now)
            case Reattach():
                return entering.reattach(self, event, now)
            case Watch():
                return entering.watch(self, event, now)
            case Asked():
                return self._obey(event, now)
            case Begin():
                return playing.begin(self, event, now)
            case Answer():
                return playing.answer(self, event, now)
            case Left():
                return leaving.leave(self, event, now)
            case Loaded():
                return playing.loaded(self, event, now)
            case Resync():
                return self._resync(event.conn_id, now)
            case Lagged():
                return hosting.note_lag(self, event, now)
            case MoveAccount():
                return self._move_account(event.old, event.new)
            case Close():
                return leaving.close(self, "closed", now)
            case Restored():
                return restoring.restored(self, now)
            case _:
                assert_never(event)

    def _obey(self, asked: Asked, now: float) -> Effects:
        conn_id, command = asked.conn_id, asked.command
        match command:
            case LeaveRoom():
                return leaving.leave_room(self, conn_id, now)
            case KickUser():
                return leaving.kick(self, conn_id, command, now)
            case UnbanUser():
                return leaving.unban(self, conn_id, command)
            case StopGame():
                return playing.stop(self, conn_id, command, now)
            case NextQuestion():
                return playing.next_question(self, conn_id, command, now)
            case UpdateRoomSettings():
                return self._change_settings(conn_id, command, now)
            case UpdateAvatar():
                return self._change_avatar(conn_id, command, now)
            case SendReaction():
                return self._react(conn_id, command, now)
            case _:
                assert_never(command)

    def _change_settings(self, conn_id: ConnId, command: UpdateRoomSettings, now: float) -> Effects:
        playing.check_host(self, conn_id, command)
        playing.check_phase(self, command)
        settings = changed_settings(self.settings, command.settings, self.max_players)
        presents_anew = settings.host_plays != self.settings.host_plays
        self.settings = settings
        for seat in self.seats.here.values():
            if seat.presents and presents_anew:
                self.news.add_changed(seat.id, "plays", now)
        yield from tell(self, RoomSettings(settings), FrameClass.COALESCABLE, "settings")

    def _change_avatar(self, conn_id: ConnId, command: UpdateAvatar, now: float) -> Effects:
        seat = self.member(conn_id)
        seat.avatar = command.avatar
        self.news.add_changed(seat.id, "avatar", now)
        yield from ()

    def _react(self, conn_id: ConnId, command: SendReaction, now: float) -> Effects:
        seat = self.member(conn_id)
        self.news.add_reaction(seat.id, command.reaction, now)
        yield from ()

    def _resync(self, conn_id: ConnId, now: float) -> Effects:
        if conn_id in self.everyone:
            seat = self.seats.held_by(conn_id)
            yield Send((conn_id,), entering.state_for(self, seat, now))
            if seat is not None and seat.id == self.host:
                yield from hosting.brief(self)

    def _move_account(self, old: str, new: str) -> Effects:
        self.seats.move_account(old, new)
        self.creator = new if self.creator == old else self.creator
        self.watchers = {conn: new if account == old else account for conn, account in self.watchers.items()}
        if self.game is not None:
            self.game.move_account(old, new)
        yield from ()

    # ---------- time

    def _act(self, now: float) -> Effects:
        if self.idle_at is not None and self.idle_at <= now:
            yield from leaving.close(self, "idle", now)
        if self.empty_at is not None and self.empty_at <= now:
            yield from leaving.close(self, "empty", now)
        if overdue := self.seats.overdue(now):
            yield from leaving.evict(self, overdue, "lost", now)
        if self.pause is not None and self.pause.until <= now:
            yield from restoring.go_on(self, now)
        if self.pause is None and self.until is not None and self.until <= now:
            yield from playing.phase_over(self, now)
        if not self.active:
            self.seats.forget(now)
        if self.news.due is not None and self.news.due <= now:
            yield from self._tell_news()

    def _tell_news(self) -> Effects:
        news, self.news = self.news, News()
        if news.joined or news.changed or news.left:
            yield from tell(self, view.roster_change(self, news), FrameClass.COALESCABLE, "members")
        yield from hosting.tell_lagging(self)
        if news.progress:
            yield from tell(self, playing.progress(self), FrameClass.COALESCABLE, "progress")
        if news.reactions:
            yield from tell(self, Reactions(tuple(news.reactions)), FrameClass.DROPPABLE)
