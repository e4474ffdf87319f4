"""A table to play at: one room, its people and a virtual clock, in the words of the game.

`Table` does what the shell does (it performs effects, wakes the room at its deadlines, tells it of closed
sockets) and what the gateway does (a socket that is ended is gone). Everybody's screen is a `Screen` of
``model.py``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from gateway.contract import ClientError, Ticket
from gateway.core.closing import DROPPED, USER_DISCONNECTED, Ending
from gateway.core.machine import from_state, to_state
from rooms.core import view
from rooms.core.effects import (
    Answer,
    Asked,
    AskedCommand,
    Begin,
    Bind,
    Create,
    Effect,
    End,
    GameOver,
    Input,
    IssueSeat,
    Join,
    Lagged,
    Left,
    Loaded,
    LoadQuestions,
    Reattach,
    Refuse,
    Resync,
    RoomOver,
    Send,
    Unbind,
    Watch,
)
from rooms.core.messages import (
    CreateRoom,
    Event,
    JoinRoom,
    KickUser,
    LeaveRoom,
    NextQuestion,
    RestartGame,
    SendReaction,
    StartGame,
    StopGame,
    SubmitAnswer,
    UnbanUser,
    UpdateAvatar,
    UpdateRoomSettings,
)
from rooms.core.questions import Choice, Question
from rooms.core.room import Room
from rooms.core.rules import SLOT_S, STATUS, ErrorCode
from rooms.core.seats import Seat
from rooms.core.shapes import Avatar, Member, SettingsPatch
from tests.rooms.core.model import Screen, on_the_wire, timeless

E = TypeVar("E", bound=Event)

CODE = "QUIZ42"
START = 1000.0
"""When tables are set: no rule may depend on a clock that starts at zero."""


def question(number: int, **more: Any) -> Question:
    """Question ``number`` with the choices a to d; a is right unless ``correct`` says otherwise."""
    choices = tuple(Choice(f"{number}{letter}", f"Option {letter}") for letter in "abcd")
    given = {"correct": frozenset({f"{number}a"}), **more}
    return Question(f"q{number}", f"Question {number}?", choices, **given)


def questions(count: int) -> tuple[Question, ...]:
    return tuple(question(number) for number in range(1, count + 1))


class Player:
    """Somebody in a browser tab: ``conn_id`` is its socket, ``seat_id`` and ``token`` are its ticket."""

    def __init__(self, table: "Table", name: str, account: str, client_id: str | None) -> None:
        self.table, self.name, self.account, self.client_id = table, name, account, client_id
        self.conn_id = table.draw("conn")
        self.seat_id = ""
        self.token = ""
        self.screen = Screen()
        self.seen: list[Event] = []

    def __repr__(self) -> str:
        return f"<{self.name}>"

    # ---------- what a player does

    def creates(self, **settings: Any) -> "Player":
        patch = SettingsPatch(**settings) if settings else None
        command = CreateRoom(self.name, settings=patch)
        self.table.create(
            Create(self.conn_id, self.account, self.client_id, "room", CODE, *self._ticket(), command)
        )
        return self

    def joins(self, avatar: Avatar | None = None, **more: Any) -> "Player":
        command = JoinRoom(CODE, self.name, avatar, **more)
        self.tell(Join(self.conn_id, self.account, self.client_id, *self._ticket(), command))
        return self

    def comes_back(self, **more: Any) -> "Player":
        """JOIN_ROOM on a fresh socket, as a page does whose ticket was refused."""
        self.opens_a_socket()
        return self.joins(resume=self.seat_id, **more)

    def claims(self) -> "Player":
        """A fresh socket with the seat's ticket."""
        old = self.conn_id
        self.opens_a_socket()
        assert self.ticket_is_good, "the ticket was refused"
        try:
            self.tell(Reattach(self.conn_id, self.account, self.client_id, self.seat_id))
        except Exception:
            self.conn_id = old
            raise
        return self

    def opens_a_socket(self) -> None:
        self.conn_id = self.table.draw("conn")
        self.screen = Screen()

    def watches(self) -> "Player":
        self.tell(Watch(self.conn_id, self.account))
        return self

    def drops(self, ending: Ending = DROPPED) -> None:
        """The socket is gone without a word, unless ``ending`` says otherwise."""
        self.table.gone(self.conn_id, ending)

    def leaves(self) -> None:
        self.asks(LeaveRoom())

    def closes(self) -> None:
        """The web client's own leave: a close with 1000."""
        self.drops(USER_DISCONNECTED)

    def starts(self) -> None:
        self._begins(StartGame())

    def restarts(self) -> None:
        self._begins(RestartGame())

    def stops(self) -> None:
        self.asks(StopGame())

    def goes_on(self) -> None:
        self.asks(NextQuestion())

    def sets(self, **settings: Any) -> None:
        self.asks(UpdateRoomSettings(SettingsPatch(**settings)))

    def kicks(self, other: "Player", ban: bool = True) -> None:
        self.asks(KickUser(other.seat_id, ban))

    def unbans(self, other: "Player") -> None:
        self.asks(UnbanUser(other.seat_id))

    def reacts(self, reaction: Any = "heart") -> None:
        self.asks(SendReaction(reaction))

    def wears(self, avatar: Avatar) -> None:
        self.asks(UpdateAvatar(avatar))

    def answers(self, *letters: str, rtt_s: float | None = None, question_id: str | None = None) -> None:
        """Takes the choices with these letters of the running (or the named) question."""
        question_id = question_id or self.table.question_id
        choices = tuple(question_id.removeprefix("q") + letter for letter in letters)
        self.tell(Answer(self.conn_id, SubmitAnswer(question_id, choices), rtt_s))

    def lags(self, lagging: bool = True) -> None:
        """The line became slow, or quick again."""
        self.tell(Lagged(self.conn_id, lagging))

    def resyncs(self) -> None:
        self.tell(Resync(self.conn_id))

    def asks(self, command: AskedCommand) -> None:
        self.tell(Asked(self.conn_id, command))

    def tell(self, event: Input) -> None:
        self.table.happens(event)

    def _begins(self, command: StartGame | RestartGame) -> None:
        self.tell(Begin(self.conn_id, command, self.table.draw("game"), 7))

    def _ticket(self) -> tuple[str, str]:
        return self.table.draw("seat"), self.table.draw("hash")

    # ---------- what a player sees and is

    @property
    def ticket_is_good(self) -> bool:
        return self.table.room.check_claim(self.ticket, self.account) is not None

    @property
    def ticket(self) -> Ticket:
        return Ticket("room", self.seat_id, self.token)

    @property
    def seat(self) -> Seat:
        """The seat that this tab's socket holds."""
        seat = self.table.room.seats.held_by(self.conn_id)
        assert seat is not None, f"{self.name} has no seat"
        return seat

    @property
    def place(self) -> Seat:
        """The seat of the ticket, held or not."""
        seat = self.table.room.seats.find(self.seat_id)
        assert seat is not None, f"{self.name}'s seat is gone"
        return seat

    @property
    def is_in(self) -> bool:
        return self.seat_id in self.table.room.seats.here

    @property
    def is_host(self) -> bool:
        return self.table.room.host == self.seat_id

    def saw(self, kind: type[E]) -> list[E]:
        return [event for event in self.seen if isinstance(event, kind)]

    def last(self, kind: type[E]) -> E:
        return self.saw(kind)[-1]

    def forgets(self) -> None:
        self.seen.clear()


class Table:
    """The room, the clock, and all who ever sat here. ``ana``, ``ben`` and ``cleo`` are for tests to fill."""

    def __init__(self, asked: tuple[Question, ...] = (), loads: bool = True, max_players: int = 50) -> None:
        self.room: Any = None
        self.ana: Any = None
        self.ben: Any = None
        self.cleo: Any = None
        self.now = START
        self.asked = asked or questions(3)
        self.loads, self.max_players = loads, max_players
        self.players: list[Player] = []
        self.dead: set[str] = set()
        self.inside: dict[str, str | None] = {}
        self.ends: dict[str, Ending] = {}
        self.reports: list[Any] = []
        self.refusals: list[Refuse] = []
        self.requests: list[LoadQuestions] = []
        self.over: str | None = None
        self.log: list[Effect] = []
        self._drawn = 0

    def draw(self, what: str) -> str:
        self._drawn += 1
        return f"{what}{self._drawn}"

    def player(self, name: str, account: str | None = None, client_id: str | None = "") -> Player:
        """Somebody new; the account and the tab are their own unless named."""
        account = account or f"session:{name}"
        player = Player(self, name, account, f"tab-{name}" if client_id == "" else client_id)
        self.players.append(player)
        return player

    def hosted_by(self, name: str, **settings: Any) -> Player:
        return self.player(name).creates(**settings)

    def joined_by(self, *names: str) -> list[Player]:
        return [self.player(name).joins() for name in names]

    # ---------- what happens

    def create(self, create: Create) -> None:
        self.room, effects = Room.create(create, self.now, self.max_players)
        self._perform(effects)

    def happens(self, event: Input) -> tuple[Effect, ...]:
        if isinstance(event, Left):
            self.dead.add(event.conn_id)
            self.inside.pop(event.conn_id, None)
        effects: tuple[Effect, ...] = self.room.apply(event, self.now)
        self._perform(effects)
        return effects

    def gone(self, conn_id: str, ending: Ending) -> None:
        if conn_id not in self.dead:
            self.happens(Left(conn_id, ending))

    def after(self, seconds: float) -> None:
        """Time passes; the room is woken whenever it asked for it."""
        end = self.now + seconds
        while (due := self.room.deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self._perform(self.room.wake(self.now))
            again = self.room.deadline()
            assert again is None or again > self.now, "wake left something undone"
        self.now = end

    def after_a_stall(self, seconds: float) -> None:
        """The process stood still: one late wake."""
        self.now += seconds
        self._perform(self.room.wake(self.now))

    def save_and_restore(self) -> None:
        restored = from_state(to_state(self.room), Room)
        assert restored == self.room
        self.room = restored

    def _perform(self, effects: tuple[Effect, ...]) -> None:
        self.log.extend(effects)
        ended = [effect for effect in effects if isinstance(effect, End)]
        for effect in effects:
            self._perform_one(effect)
        for end in ended:
            self.gone(end.conn_id, end.ending)

    def _perform_one(self, effect: Effect) -> None:
        match effect:
            case Send(to, event):
                assert to, "a frame to nobody"
                assert len(set(to)) == len(to), "a frame twice to one connection"
                for conn_id in to:
                    self._deliver(conn_id, event)
            case IssueSeat(conn_id, event):
                player = self._deliver(conn_id, event)
                player.seat_id, player.token = (
                    event.seat_id,
                    player.table.room.seats.find(event.seat_id).token_hash,
                )
            case Bind(conn_id, seat_id):
                assert conn_id not in self.dead
                self.inside[conn_id] = seat_id
            case Unbind(conn_id):
                assert conn_id not in self.dead
                del self.inside[conn_id]
            case End(conn_id, ending):
                assert conn_id not in self.dead
                self.ends[conn_id] = ending
            case GameOver(report):
                self.reports.append(report)
            case RoomOver(reason):
                self.over = reason
            case Refuse():
                assert effect.conn_id not in self.dead
                self.refusals.append(effect)
            case LoadQuestions():
                self.requests.append(effect)
                if self.loads:
                    self.happens(Loaded(effect.request_id, self.asked[: effect.count]))

    def _deliver(self, conn_id: str, event: Event) -> Player:
        assert conn_id not in self.dead, f"{event} to a dead connection"
        assert conn_id in self.inside, f"{event} to a connection outside the room"
        player = next(player for player in self.players if player.conn_id == conn_id)
        player.seen.append(event)
        player.screen.receive(event)
        return player

    # ---------- looking

    @property
    def phase(self) -> str:
        return self.room.phase.value  # type: ignore[no-any-return]

    def room_member(self, player: Player) -> Member:
        return view.member(self.room, player.place)

    @property
    def question_id(self) -> str:
        return self.room.game.question.id  # type: ignore[no-any-return]

    @property
    def members(self) -> list[str]:
        return [seat.name for seat in self.room.seats.here.values()]

    def is_seen_alike(self) -> bool:
        """Everybody's screen, built from frames, shows what a fresh snapshot would."""
        fresh = timeless(on_the_wire(view.snapshot(self.room, self.now)))
        inside = [player for player in self.players if player.conn_id in self.inside]
        return all(player.screen.room == fresh and self._knows_its_part(player) for player in inside)

    def _knows_its_part(self, player: Player) -> bool:
        """Who lags and who is banned is known to the host, and to nobody who never was."""
        screen = player.screen
        if self.inside[player.conn_id] in (None, *(self.room.seats.here.keys() - {self.room.host})):
            return screen.lagging == screen.banned == []
        banned = [banned.user_id for banned in self.room.seats.banned()]
        return screen.lagging == list(view.lagging(self.room)) and screen.banned == banned


AnyTable = TypeVar("AnyTable", bound=Table)


def in_the_first_question(table: AnyTable) -> AnyTable:
    """With Ana as the host, Ben and Cleo."""
    table.ana = table.hosted_by("Ana")
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.ana.starts()
    table.after(4)
    return table


def settled(table: Table) -> bool:
    """All news is told, and then all screens agree with the room."""
    table.after(SLOT_S)
    return table.is_seen_alike()


def is_a_sentence(text: str) -> bool:
    """What a player may read: one voice, a capital first and a full stop last."""
    return text[:1].isupper() and text.endswith(".")


@contextmanager
def refused(table: Table, code: ErrorCode) -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """What happens inside is answered with this error, and changes nothing."""
    before, performed = to_state(table.room), len(table.log)
    with pytest.raises(ClientError) as caught:
        yield caught
    assert (caught.value.code, caught.value.status) == (code, STATUS[code]), caught.value.message
    assert is_a_sentence(caught.value.message), caught.value.message
    assert to_state(table.room) == before, "an error changed the room"
    assert len(table.log) == performed, "an error had effects"
