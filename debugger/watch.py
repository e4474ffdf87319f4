"""Looks at the server's own machines: what has changed since the last look, and how everything stands.

Reads the room, the connections and the budgets, changes nothing and decides nothing: what a seat's state is
called here is read from ``rooms.core.seats``.
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from debugger.browser import Browser, World
from debugger.line import Flow
from debugger.phases import IN_SERIES
from debugger.timeline import Edge, Limits, PlayerState, SeatState, Snapshot, SocketState
from gateway.conf import Config
from gateway.core.connection import Connection
from gateway.core.messages import HeartbeatResponse
from rooms.core.lobby import Lobby
from rooms.core.messages import SubmitAnswer
from rooms.core.phases import Phase
from rooms.core.room import Room
from rooms.core.rules import GRACE_S
from rooms.core.seats import Seat, Standing
from rooms.wire import LIMITS

ANSWER: Final = str(SubmitAnswer.__struct_config__.tag)
PONG: Final = str(HeartbeatResponse.__struct_config__.tag)

EDGES: Final[dict[tuple[SeatState, SeatState], tuple[Edge, str, str]]] = {
    ("none", "connected"): ("join", "Takes a seat", ""),
    ("connected", "grace"): ("drop", "Seat in grace", "a game is on, so the seat is held"),
    ("grace", "connected"): ("claim", "Back on its seat", ""),
    ("grace", "removed"): ("expire", "Seat removed", "the grace is over; the score is kept for a while"),
    ("connected", "removed"): ("evict", "Seat removed at once", "left, or dropped while no game was on"),
    ("removed", "connected"): ("rejoin", "On a seat again", "a new seat with the old score"),
}
"""What a change of a seat's state is called; the page draws the same edges."""

SOCKETS: Final[dict[Flow, SocketState]] = {Flow.OPEN: "open", Flow.SILENT: "silent", Flow.STALLED: "stalled"}


class Seen(Struct):
    """A player as of the last look."""

    seat: SeatState = "none"
    misses: int = 0


class Watch:
    """``look`` after every turn, ``snapshot`` after every instant."""

    def __init__(self, world: World, lobby: Lobby, browsers: Sequence[Browser]) -> None:
        self._runtime = world.runtime
        self._clock = world.clock
        self._recorder = world.recorder
        self._lobby = lobby
        self._browsers = browsers
        self._seen = {browser.name: Seen() for browser in browsers}
        self._phase: Phase | None = None
        self._host: str | None = None

    @property
    def room(self) -> Room | None:
        """The one room, while it lives."""
        return next(iter(self._lobby.rooms.values()), None)

    def host(self) -> Browser:
        """Who is host now; the first player while there is none."""
        room = self.room
        account = None if room is None else room.host_account
        return next((browser for browser in self._browsers if browser.account == account), self._browsers[0])

    # ---------- what changed

    def look(self) -> None:
        """Write down what is different from the last look."""
        room = self.room
        for browser in self._browsers:
            self._look_at(browser, room)
        if room is not None:
            self._look_at_room(room)

    def _look_at(self, browser: Browser, room: Room | None) -> None:
        seen = self._seen[browser.name]
        seat = _seat_of(browser, room)
        state = self._seat_state(browser, seat)
        misses = 0 if (connection := _connection(browser)) is None else connection.parts.heartbeat.misses
        if misses > seen.misses:
            heartbeat = self._runtime.config.connection.heartbeat
            text = f"Miss {misses} of {heartbeat.max_missed}"
            self._recorder.event(browser.name, text, f"no {PONG} within {heartbeat.timeout_s:g} s")
        if state != seen.seat:
            edge, title, note = EDGES[seen.seat, state]
            self._recorder.event(browser.name, title, note, edge)
        seen.misses, seen.seat = misses, state

    def _look_at_room(self, room: Room) -> None:
        if room.phase is not self._phase:
            if self._phase is not None:
                self._recorder.event("Room", phase_change(self._phase, room.phase))
            self._phase = room.phase
        host = self.host().name if room.host is not None else None
        if host != self._host:
            if self._host is not None and host is not None:
                self._recorder.event(host, "Is host now", f"instead of {self._host}")
            self._host = host

    def _seat_state(self, browser: Browser, seat: Seat | None) -> SeatState:
        return seat_state(seat, self._seen[browser.name].seat)

    # ---------- how everything stands

    def snapshot(self) -> Snapshot:
        """This instant."""
        room = self.room
        expected = _expected(room)
        game = room.game if room is not None else None
        return Snapshot(
            at=self._clock.ms,
            phase=room.phase.value if room is not None else "",
            until=self._instant(room.until if room is not None else None),
            question=0 if game is None else game.index + 1,
            questions=0 if game is None else len(game.questions),
            waits_for=tuple(self._recorder.names[seat.id] for seat in expected if seat.given is None),
            players=tuple(self._player(browser, room, expected) for browser in self._browsers),
        )

    def _player(self, browser: Browser, room: Room | None, expected: list[Seat]) -> PlayerState:
        seat = _seat_of(browser, room)
        line, connection = browser.line, _connection(browser)
        live = connection is not None and not connection.parts.ended and line is not None and not line.ended
        conn_id = line.socket.peer.conn_id if live and line is not None and line.socket is not None else None
        return PlayerState(
            name=browser.name,
            seat=self._seat_state(browser, seat),
            until=self._instant(seat.until) if seat is not None and seat.standing is Standing.GRACE else None,
            join=seat.join_order + 1 if seat is not None else None,
            host=room is not None and seat is not None and seat.id == room.host,
            socket=_socket(browser),
            code=line.ended.code if line is not None and line.ended is not None else None,
            client=_client(browser),
            misses=0 if connection is None else connection.parts.heartbeat.misses,
            next_ping=self._instant(connection.parts.heartbeat.next_ping) if live and connection else None,
            buffered=_buffered(browser) if live else 0,
            frames=_frames(connection, self._clock.now()) if live and connection else 0.0,
            answers=round(self._runtime.spent(conn_id, ANSWER), 1) if conn_id is not None else 0.0,
            dropped=0 if connection is None else connection.parts.inbound.dropped,
            score=0 if seat is None else seat.score,
            answer=_answer(seat, expected),
        )

    def _instant(self, at: float | None) -> int | None:
        return None if at is None else self._clock.instant(at)


def phase_change(before: Phase, after: Phase) -> str:
    """What the log says of it."""
    return f"{before.value.capitalize()} → {after.value.capitalize()}"


def seat_state(seat: Seat | None, before: SeatState) -> SeatState:
    """What a seat's state is called here, after the state ``before``."""
    if seat is None or seat.standing is Standing.DEPARTED:
        return "none" if before == "none" else "removed"
    return "grace" if seat.standing is Standing.GRACE else "connected"


def limits_of(config: Config) -> Limits:
    """The server's own numbers."""
    heartbeat, inbound, outbound = (
        config.connection.heartbeat,
        config.connection.inbound,
        config.connection.outbound,
    )
    counts = inbound.limiter == "sliding_window"
    return Limits(
        max_missed=heartbeat.max_missed,
        timeout_ms=round(heartbeat.timeout_s * 1000),
        grace_ms=round(GRACE_S * 1000),
        frames=inbound.frames if counts else inbound.token_capacity,
        answers=LIMITS[ANSWER][0].limit,
        pressure_bytes=outbound.pressure_bytes,
        buffer_bytes=outbound.max_buffered_bytes,
    )


def _seat_of(browser: Browser, room: Room | None) -> Seat | None:
    """The player's seat, departed ones included."""
    seats = () if room is None else room.seats.all()
    return next((seat for seat in seats if seat.account == browser.account), None)


def _connection(browser: Browser) -> Connection | None:
    socket = None if browser.line is None else browser.line.socket
    return None if socket is None else socket.connection


def _expected(room: Room | None) -> list[Seat]:
    return room.expected() if room is not None and room.phase is Phase.QUESTION else []


def _answer(seat: Seat | None, expected: list[Seat]) -> Literal["", "expected", "given"]:
    if seat is None or seat not in expected:
        return ""
    return "expected" if seat.given is None else "given"


def _socket(browser: Browser) -> SocketState:
    if browser.line is None:
        return "none"
    return "closed" if browser.line.ended is not None else SOCKETS[browser.line.flow]


def _client(browser: Browser) -> str:
    """What the player's own page is doing about its connection."""
    policy = browser.policy
    tries = f" {policy.attempt}/{policy.limit}" if policy.phase in IN_SERIES else ""
    return "frozen" if browser.stands_still else f"{policy.phase.value}{tries}"


def _buffered(browser: Browser) -> int:
    """All bytes that the process holds for the socket: its outbox and the transport's buffer."""
    connection = _connection(browser)
    waiting = 0 if connection is None else connection.parts.outbox.waiting_bytes
    return waiting + (0 if browser.line is None else browser.line.buffered())


def _frames(connection: Connection, now: float) -> float:
    """What is spent of the budget of all frames, whichever limiter counts."""
    inbound = connection.parts.inbound
    if inbound.policy.limiter == "sliding_window":
        return round(inbound.window.estimate(now), 1)
    return round(inbound.policy.token_capacity - inbound.bucket.level(now), 1)
