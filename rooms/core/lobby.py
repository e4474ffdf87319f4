"""The directory of all live rooms: by id, by code, and which room a connection is in (spec 2.1).

It passes inputs on to rooms and reads from their effects who is where, so it can't disagree with them. Rooms
know nothing of one another and nothing of this.
"""

from msgspec import Struct, field

from gateway.contract import Claim, ConnId, Ticket
from gateway.core.closing import Ending
from rooms.core import codes
from rooms.core.effects import (
    Bind,
    Create,
    Effect,
    Input,
    Lagged,
    Left,
    MoveAccount,
    Restored,
    RoomOver,
    Unbind,
)
from rooms.core.lags import Lags
from rooms.core.room import Room
from rooms.core.rules import MAX_ROOMS, ROOM_MAX_PLAYERS, refusal
from rooms.core.seats import Seat


class Lobby(Struct):
    """``max_rooms`` and ``max_players`` are the site's limits; ``lags`` are by room id."""

    max_rooms: int = MAX_ROOMS
    max_players: int = ROOM_MAX_PLAYERS
    rooms: dict[str, Room] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    conns: dict[ConnId, str] = field(default_factory=dict)
    lags: dict[str, Lags] = field(default_factory=dict)

    # ---------- looking

    def room_of(self, conn_id: ConnId) -> Room:
        """The room that the connection is in, with a seat or watching."""
        room_id = self.conns.get(conn_id)
        if room_id is None:
            raise refusal("NOT_IN_ROOM", "You are not in a room.")
        return self.rooms[room_id]

    def room_with(self, typed: str) -> Room:
        """The room with the code as somebody typed it."""
        room_id = self.codes.get(codes.normalise(typed))
        if room_id is None:
            raise refusal("ROOM_NOT_FOUND", f"There is no room with the code {typed!r}.")
        return self.rooms[room_id]

    def check_free(self, conn_id: ConnId) -> None:
        """A connection is in one room at most."""
        if conn_id in self.conns:
            raise refusal("ALREADY_IN_ROOM", "You are in a room already: leave it first.")

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        """The claim, if the ticket opens a live seat of the account; constant time in the token."""
        room = self.rooms.get(ticket.room_id)
        seat = room.check_claim(ticket, account) if room is not None else None
        return Claim(ticket.room_id, seat.id, seat.conn_id) if seat is not None else None

    def rtt_s(self, conn_id: ConnId) -> float | None:
        """The median round trip of a player in the game that is on; None before a heartbeat of it."""
        room, seat = self._at_play(conn_id)
        if room is None or seat is None or room.id not in self.lags:
            return None
        return self.lags[room.id].of(room.running.id, seat.join_order)

    def forged(self, ticket: Ticket) -> str | None:
        """The account whose seat the ticket names with a wrong token; constant time in the token."""
        room = self.rooms.get(ticket.room_id)
        seat = room.seats.forged(ticket.seat_id, ticket.token_hash) if room is not None else None
        return seat.account if seat is not None else None

    # ---------- what happens

    def create(self, create: Create, now: float) -> tuple[Room, tuple[Effect, ...]]:
        """A new room; its id and code must be new (`codes` tells which codes are in use)."""
        self.check_free(create.conn_id)
        if len(self.rooms) >= self.max_rooms:
            raise refusal("SERVER_FULL", f"All {self.max_rooms} rooms of this server are in use.")
        room, effects = Room.create(create, now, self.max_players)
        self.rooms[room.id] = room
        self.codes[room.code] = room.id
        self._note(room, effects)
        return room, effects

    def restore(self, room: Room, now: float) -> tuple[Effect, ...]:
        """A room of the process before this one goes on; the site's limit may have become lower meanwhile."""
        effects = room.apply(Restored(), now)
        self.rooms[room.id] = room
        self.codes[room.code] = room.id
        self._note(room, effects)
        return effects

    def apply(self, room: Room, event: Input, now: float) -> tuple[Effect, ...]:
        effects = room.apply(event, now)
        self._note(room, effects)
        return effects

    def wake(self, room: Room, now: float) -> tuple[Effect, ...]:
        effects = room.wake(now)
        self._note(room, effects)
        return effects

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> tuple[Effect, ...]:
        """A socket is gone; nothing happens if it is in no room."""
        room_id = self.conns.pop(conn_id, None)
        return self.apply(self.rooms[room_id], Left(conn_id, ending), now) if room_id is not None else ()

    def measured(self, conn_id: ConnId, rtt_s: float) -> Lagged | None:
        """A heartbeat of the connection was answered; outside a game it counts for nothing.

        Returns what its room must hear: that the player lags from now on, or no longer does.
        """
        room, seat = self._at_play(conn_id)
        if room is None or seat is None:
            return None
        lags = self.lags.setdefault(room.id, Lags())
        lags.note(room.running.id, seat.join_order, rtt_s)
        lagging = lags.is_lagging(seat.join_order)
        return Lagged(conn_id, lagging) if lagging not in (None, seat.lags) else None

    def move_account(self, old: str, new: str, now: float) -> list[Room]:
        """A player signed in; nobody is told (spec 1.7, 4001). Returns the rooms in which they were known."""
        known = [room for room in self.rooms.values() if room.knows(old)]
        for room in known:
            room.apply(MoveAccount(old, new), now)
        return known

    def _at_play(self, conn_id: ConnId) -> tuple[Room, Seat] | tuple[None, None]:
        """The room and the seat of a connection, while a game is on there."""
        room = self.rooms.get(self.conns.get(conn_id, ""))
        seat = room.seats.held_by(conn_id) if room is not None and room.active else None
        return (room, seat) if room is not None and seat is not None else (None, None)

    def _note(self, room: Room, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, Bind):
                self.conns[effect.conn_id] = room.id
            elif isinstance(effect, Unbind):
                del self.conns[effect.conn_id]
            elif isinstance(effect, RoomOver):
                del self.rooms[room.id]
                self.lags.pop(room.id, None)
                del self.codes[room.code]
