"""The directory of all live rooms: by id, by code, and which room a connection is in (spec 2.1).

It passes inputs on to rooms and reads from their effects who is where, so it can't disagree with them. Rooms
know nothing of one another and nothing of this.
"""

from msgspec import Struct, field

from gateway.contract import Claim, ConnId, Ticket
from gateway.core.closing import Ending
from rooms.core import codes
from rooms.core.effects import Bind, Create, Effect, Input, Left, MoveAccount, RoomOver, Unbind
from rooms.core.room import Room
from rooms.core.rules import MAX_ROOMS, ROOM_MAX_PLAYERS, refusal


class Lobby(Struct):
    """``max_rooms`` and ``max_players`` are the site's limits."""

    max_rooms: int = MAX_ROOMS
    max_players: int = ROOM_MAX_PLAYERS
    rooms: dict[str, Room] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    conns: dict[ConnId, str] = field(default_factory=dict)

    # ---------- looking

    def room_of(self, conn_id: ConnId) -> Room:
        """The room that the connection is in, with a seat or watching."""
        room_id = self.conns.get(conn_id)
        if room_id is None:
            raise refusal("NOT_IN_ROOM", "you are not in a room")
        return self.rooms[room_id]

    def room_with(self, typed: str) -> Room:
        """The room with the code as somebody typed it."""
        room_id = self.codes.get(codes.normalise(typed))
        if room_id is None:
            raise refusal("ROOM_NOT_FOUND", f"there is no room with the code {typed!r}")
        return self.rooms[room_id]

    def check_free(self, conn_id: ConnId) -> None:
        """A connection is in one room at most."""
        if conn_id in self.conns:
            raise refusal("ALREADY_IN_ROOM", "you are in a room already: leave it first")

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        """The claim, if the ticket opens a live seat of the account; constant time in the token."""
        room = self.rooms.get(ticket.room_id)
        seat = room.check_claim(ticket, account) if room is not None else None
        return Claim(ticket.room_id, seat.id, seat.conn_id) if seat is not None else None

    # ---------- what happens

    def create(self, create: Create, now: float) -> tuple[Room, tuple[Effect, ...]]:
        """A new room; its id and code must be new (`codes` tells which codes are in use)."""
        self.check_free(create.conn_id)
        if len(self.rooms) >= self.max_rooms:
            raise refusal("SERVER_FULL", f"all {self.max_rooms} rooms of this server are in use")
        room, effects = Room.create(create, now, self.max_players)
        self.rooms[room.id] = room
        self.codes[room.code] = room.id
        self._note(room, effects)
        return room, effects

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

    def move_account(self, old: str, new: str, now: float) -> None:
        """A player signed in; nobody is told (spec 1.7, 4001)."""
        for room in self.rooms.values():
            room.apply(MoveAccount(old, new), now)

    def _note(self, room: Room, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, Bind):
                self.conns[effect.conn_id] = room.id
            elif isinstance(effect, Unbind):
                del self.conns[effect.conn_id]
            elif isinstance(effect, RoomOver):
                del self.rooms[room.id]
                del self.codes[room.code]
