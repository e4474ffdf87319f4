"""A room's data, the questions that can be asked of it, and the ways to address its people.

No rule is decided here: seats come and go in ``rooms.core.entering``, games run in ``rooms.core.playing``,
what is shown is made in ``rooms.core.view``; ``rooms.core.room`` is the machine around it all.
"""

from collections.abc import Iterator

from msgspec import Struct, field

from gateway.contract import ConnId, FrameClass
from gateway.core.machine import earliest
from rooms.core.effects import Effect, Send
from rooms.core.game import Game
from rooms.core.messages import Event
from rooms.core.phases import ACTIVE, Phase, move
from rooms.core.roster import News
from rooms.core.rules import refusal
from rooms.core.seats import Seat, Seats, Standing
from rooms.core.shapes import Settings

Effects = Iterator[Effect]
"""What the engine's functions yield. They check first and change after: an error leaves all as it was."""


class Pause(Struct, frozen=True):
    """A restored room waits for its people: its game's clock stands at ``since``, at most until ``until``."""

    since: float
    until: float


class RoomData(Struct, kw_only=True):
    """All that a room is, as plain data.

    ``creator`` is an account, ``host`` a seat's id (None in a room without members), ``watchers`` are the
    accounts behind the connections that follow without a seat, ``lagging`` the seats that the host was told
    lag. ``until`` is when the phase ends by itself (None: it doesn't); ``empty_at`` and ``idle_at`` are when
    the room does (``idle_at``: None once it has).
    """

    id: str
    code: str
    creator: str
    max_players: int
    settings: Settings
    idle_at: float | None
    empty_at: float | None = None
    host: str | None = None
    seats: Seats = field(default_factory=Seats)
    watchers: dict[ConnId, str] = field(default_factory=dict)
    phase: Phase = Phase.LOBBY
    until: float | None = None
    game: Game | None = None
    news: News = field(default_factory=News)
    pause: Pause | None = None
    lagging: tuple[str, ...] = ()

    # ---------- people

    @property
    def everyone(self) -> tuple[ConnId, ...]:
        """All live connections: members and watchers."""
        return (*self.seats.holders, *self.watchers)

    @property
    def present_accounts(self) -> list[str]:
        """The accounts behind all live connections."""
        seated = [self.seats.here[seat_id].account for seat_id in self.seats.holders.values()]
        return [*seated, *self.watchers.values()]

    def member(self, conn_id: ConnId) -> Seat:
        """The seat that the connection holds; a watcher holds none."""
        seat = self.seats.held_by(conn_id)
        if seat is None:
            raise refusal("NOT_IN_ROOM", "You have no seat in this room.")
        return seat

    @property
    def host_account(self) -> str | None:
        return self.seats.here[self.host].account if self.host is not None else None

    def knows(self, account: str) -> bool:
        """Whether anything here is the account's: a seat, a ban, a role, a moment of the game."""
        seats = (seat.account for seat in self.seats.all())
        banned = (ban.account for ban in self.seats.bans.values())
        people = (self.creator, *seats, *banned, *self.watchers.values())
        return account in people or (self.game is not None and account in self.game.sent)

    def plays(self, seat: Seat) -> bool:
        return self.settings.host_plays or not seat.presents

    def players(self) -> list[Seat]:
        """The members who play, in the order in which they joined."""
        return [seat for seat in self.seats.here.values() if self.plays(seat)]

    # ---------- the game

    @property
    def active(self) -> bool:
        return self.phase in ACTIVE

    @property
    def running(self) -> Game:
        """The game; there is one in every phase but the lobby."""
        assert self.game is not None, f"no game in {self.phase.value}"
        return self.game

    def enter(self, phase: Phase, until: float | None) -> None:
        self.phase, self.until = move(self.phase, phase), until

    def takes_part(self, seat: Seat) -> bool:
        """Whether the present question counts for the seat; a late joiner waits for the next (spec 2.4)."""
        return self.plays(seat) and seat.first_question <= self.running.index

    def expected(self) -> list[Seat]:
        """The members whom the question waits for, those in grace too: it can't end early on them."""
        return [seat for seat in self.seats.here.values() if self.takes_part(seat)]

    # ---------- time

    def clock(self, now: float) -> float:
        """The game's own time: it stands still while people come back after a restart (spec 2.3)."""
        return now if self.pause is None else self.pause.since

    def deadline(self) -> float | None:
        phase_over = self.until if self.pause is None else self.pause.until
        return earliest((phase_over, self.news.due, self.seats.due(self.active), self.empty_at, self.idle_at))


def tell(
    room: RoomData, event: Event, frame_class: FrameClass = FrameClass.CRITICAL, key: str | None = None
) -> Effects:
    """``event`` for everyone in the room, watchers included."""
    if room.everyone:
        yield Send(room.everyone, event, frame_class, key)


def is_connected(seat: Seat) -> bool:
    return seat.standing is Standing.CONNECTED
