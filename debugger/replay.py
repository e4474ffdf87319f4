"""A recorded room played again: what really happened, as the timeline that the page shows.

The room's own code makes the frames anew, from a room restored for this purpose; no live room is touched. A
recording knows the room and not the sockets' guards: heartbeats, buffers and budgets are not in it.
"""

from collections.abc import Iterable
from typing import Any

from debugger.recorder import Recorder
from debugger.timeline import PlayerState, Replayed, SeatState, Snapshot, SocketState, Timeline
from debugger.watch import EDGES, limits_of, phase_change, seat_state
from gateway import conf
from gateway.contract import ClientError
from gateway.core.connection import error_event
from gateway.core.messages import wire_type
from gateway.wire import encode
from rooms.core import effects as fx
from rooms.core.phases import Phase
from rooms.core.recording import Step, replay
from rooms.core.room import Room
from rooms.core.seats import Seat

ROOM = "Room"


def timeline_of(room: Room, began: float, steps: tuple[Step, ...], shown: Replayed) -> Timeline:
    """Everything that happens to ``room`` in these steps; ``shown`` says whose recording it is."""
    player = _Player(room, began)
    for at, event, effects in replay(room, steps):
        player.step(at, event, effects)
    return player.timeline(shown)


class _Person:
    """One place in the room, by its number in the order of joining: that is all of it that never changes."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.seat: SeatState = "none"
        self.code: int | None = None
        self.shown: PlayerState | None = None


class _Player:
    """Follows the room from step to step; what is alike at one millisecond is one instant."""

    def __init__(self, room: Room, began: float) -> None:
        self._room = room
        self._began = began
        self._ms = 0
        self._recorder = Recorder(lambda: self._ms)
        self._people: dict[int, _Person] = {}
        self._labels: dict[str, str] = {}
        self._by_conn: dict[str, _Person] = {}
        self._watchers = 0
        self._phase = room.phase
        self._host = room.host
        self._snapshots: list[Snapshot] = []
        for conn_id in room.watchers:
            self._watches(conn_id)
        for seat in room.seats.all():
            person = self._person(seat)
            person.seat = seat_state(seat, "none")
        self._snapshots.append(self._snapshot(everybody=True))

    def step(self, at: float, event: fx.Input | None, effects: tuple[fx.Effect, ...]) -> None:
        """It has happened."""
        self._go_to(at)
        for effect in effects:
            if isinstance(effect, fx.Bind) and effect.seat_id is None:
                self._watches(effect.conn_id)
        for seat in self._room.seats.all():
            self._person(seat)
        self._tell_input(event)
        for effect in effects:
            self._tell_effect(effect)
        self._look()
        self._recorder.dirty = True

    def timeline(self, shown: Replayed) -> Timeline:
        """All of it; the last snapshot is whole."""
        self._snapshots.append(self._snapshot(everybody=True))
        return Timeline(shown, limits_of(conf.config()), self._ms, self._recorder.rows, self._snapshots)

    # ---------- time

    def _go_to(self, at: float) -> None:
        ms = max(self._ms, round((at - self._began) * 1000))
        if ms > self._ms and self._recorder.dirty:
            self._recorder.dirty = False
            self._snapshots.append(self._snapshot(everybody=False))
        self._ms = ms

    # ---------- who is who

    def _person(self, seat: Seat) -> _Person:
        person = self._people.get(seat.join_order)
        if person is None:
            taken = {other.label for other in self._people.values()}
            label = seat.name if seat.name not in taken else f"{seat.name} ({seat.join_order + 1})"
            person = self._people[seat.join_order] = _Person(label)
        self._recorder.names[seat.id] = person.label
        if seat.conn_id is not None:
            self._labels[seat.conn_id] = person.label
            self._by_conn[seat.conn_id] = person
        return person

    def _watches(self, conn_id: str) -> None:
        self._watchers += 1
        self._labels[conn_id] = f"Watcher {self._watchers}"

    def _who(self, conn_id: str) -> str:
        return self._labels.get(conn_id, "somebody")

    # ---------- what happened

    def _tell_input(self, event: fx.Input | None) -> None:
        match event:
            case fx.Join() | fx.Asked() | fx.Begin() | fx.Answer():
                size = len(encode(event.command))
                self._recorder.received(self._who(event.conn_id), wire_type(event.command), size)
            case fx.Left(conn_id, ending):
                self._closed(conn_id, ending.code, ending.reason, "")
            case fx.Reattach(conn_id):
                self._recorder.event(self._who(conn_id), "Opens a socket", "with the ticket of its seat")
            case fx.Watch(conn_id):
                self._recorder.event(self._who(conn_id), "Watches the room")
            case fx.Resync(conn_id):
                self._recorder.event(self._who(conn_id), "Reads again", "and is told how things stand")
            case fx.Lagged(conn_id, lagging):
                self._recorder.event(self._who(conn_id), "Lags" if lagging else "Lags no longer")
            case fx.Loaded(_, questions):
                self._recorder.event(ROOM, "Questions loaded", f"{len(questions)} of them")
            case fx.MoveAccount():
                self._recorder.event(ROOM, "Somebody signs in", "seats go with the account")
            case fx.Close():
                self._recorder.event(ROOM, "Closed by the staff")
            case fx.Restored():
                self._recorder.event(ROOM, "The server was restarted", "everybody is waited for")

    def _tell_effect(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Send(to, event):
                self._sent(to, encode(event))
            case fx.IssueSeat(conn_id, event):
                self._sent((conn_id,), encode(event))
            case fx.Refuse(conn_id, code, message, status, action):
                self._sent((conn_id,), encode(error_event(ClientError(code, message, status), action)))
            case fx.End(conn_id, ending):
                self._closed(conn_id, ending.code, ending.reason, "by the server")
            case fx.RoomOver(reason):
                self._recorder.event(ROOM, "The room is over", reason)

    def _sent(self, to: Iterable[str], payload: bytes) -> None:
        for conn_id in to:
            self._recorder.sent(self._who(conn_id), payload)

    def _closed(self, conn_id: str, code: int, reason: str, note: str) -> None:
        self._recorder.closed(self._who(conn_id), code, reason, note)
        if (person := self._by_conn.pop(conn_id, None)) is not None:
            person.code = code

    def _look(self) -> None:
        seats = self._seats()
        for number, person in self._people.items():
            state = seat_state(seats.get(number), person.seat)
            if state != person.seat:
                edge, title, note = EDGES[person.seat, state]
                self._recorder.event(person.label, title, note, edge)
                person.seat = state
        if self._room.phase is not self._phase:
            self._recorder.event(ROOM, phase_change(self._phase, self._room.phase))
            self._phase = self._room.phase
        if self._room.host != self._host:
            self._host = self._room.host
            if self._host is not None:
                self._recorder.event(self._recorder.names[self._host], "Is host now")

    # ---------- how everything stands

    def _seats(self) -> dict[int, Seat]:
        return {seat.join_order: seat for seat in self._room.seats.all()}

    def _snapshot(self, everybody: bool) -> Snapshot:
        room, seats = self._room, self._seats()
        expected = room.expected() if room.phase is Phase.QUESTION else []
        game = room.game
        return Snapshot(
            at=self._ms,
            phase=room.phase.value,
            until=self._instant(room.until),
            question=0 if game is None else game.index + 1,
            questions=0 if game is None else len(game.questions),
            waits_for=tuple(self._recorder.names[seat.id] for seat in expected if seat.given is None),
            players=tuple(self._states(seats, expected, everybody)),
        )

    def _states(self, seats: dict[int, Seat], expected: list[Seat], everybody: bool) -> Iterable[PlayerState]:
        asked = {seat.join_order for seat in expected}
        for number, person in self._people.items():
            state = self._state(person, number, seats.get(number), number in asked)
            if everybody or state != person.shown:
                person.shown = state
                yield state

    def _state(self, person: _Person, number: int, seat: Seat | None, asked: bool) -> PlayerState:
        given = seat is not None and seat.given is not None
        answer: Any = ("given" if given else "expected") if asked else ""
        return PlayerState(
            name=person.label,
            seat=person.seat,
            until=self._instant(seat.until) if seat is not None and person.seat == "grace" else None,
            join=number + 1,
            host=seat is not None and seat.id == self._room.host,
            socket=_socket(person, seat),
            code=None if seat is not None and seat.conn_id else person.code,
            client="open",
            misses=0,
            next_ping=None,
            buffered=0,
            frames=0.0,
            answers=0.0,
            dropped=0,
            score=0 if seat is None else seat.score,
            answer=answer,
        )

    def _instant(self, at: float | None) -> int | None:
        return None if at is None else round((at - self._began) * 1000)


def _socket(person: _Person, seat: Seat | None) -> SocketState:
    if seat is not None and seat.conn_id is not None:
        return "open"
    return "none" if person.code is None else "closed"
