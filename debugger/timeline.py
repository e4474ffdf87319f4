"""What comes out of a simulation: rows for the log, a snapshot for each instant. Plain values, no behaviour.

Times are whole virtual milliseconds. Moments that lie ahead (the next ping, the end of a phase or of a hold)
are absolute, so that a page can count down between two snapshots by itself.
"""

from typing import Literal

import msgspec
from msgspec import Struct

from debugger.scenario import Expected, Scenario

Kind = Literal["in", "out", "close", "event"]
Edge = Literal["join", "drop", "claim", "expire", "evict", "rejoin"]
SeatState = Literal["none", "connected", "grace", "removed"]
SocketState = Literal["none", "open", "silent", "stalled", "closed"]


class Row(Struct, rename="camel", omit_defaults=True):
    """One line of the log: frames of one kind at one instant, the end of a socket, or a change of state.

    ``players`` are those whom it went to or came from; ``count`` frames of it were alike and have ``bytes``
    in all (a broadcast counts once). ``edge`` names the edge of the seat diagram that was taken.
    """

    at: int
    kind: Kind
    players: list[str]
    type: str
    note: str = ""
    bytes: int = 0
    count: int = 1
    code: int | None = None
    edge: Edge | None = None


class PlayerState(Struct, frozen=True, rename="camel"):
    """One player at one instant, as the server has it; ``client`` is what its own page is doing.

    ``join`` counts from 1, None without a seat. ``frames`` and ``answers`` are what the limiters have
    counted, ``dropped`` what they threw away.
    """

    name: str
    seat: SeatState
    until: int | None
    join: int | None
    host: bool
    socket: SocketState
    code: int | None
    client: str
    misses: int
    next_ping: int | None
    buffered: int
    frames: float
    answers: float
    dropped: int
    score: int
    answer: Literal["", "expected", "given"]


class Snapshot(Struct, frozen=True, rename="camel"):
    """The room at one instant, after all that happened at it.

    Of a recorded room all snapshots but the first and the last name only the players who have changed.
    """

    at: int
    phase: str
    until: int | None
    question: int
    questions: int
    waits_for: tuple[str, ...]
    players: tuple[PlayerState, ...]


class Limits(Struct, frozen=True, rename="camel"):
    """The server's own numbers, for whoever shows bars and counts."""

    max_missed: int
    timeout_ms: int
    grace_ms: int
    frames: int
    answers: int
    pressure_bytes: int
    buffer_bytes: int


class Replayed(Struct, frozen=True, omit_defaults=True):
    """Stands for the scenario where a recorded room is played again; ``players`` 0 is: as many as came."""

    title: str
    players: int
    expect: tuple[Expected, ...] = ()


class Timeline(Struct, frozen=True, rename="camel"):
    """A whole run."""

    scenario: Scenario | Replayed
    limits: Limits
    end: int
    rows: list[Row]
    snapshots: list[Snapshot]


def encode(timeline: Timeline) -> bytes:
    """The timeline as JSON; the same run gives the same bytes."""
    return msgspec.json.encode(timeline)
