"""Rooms as they are kept for the next process: plain bytes with a version, times as what is left (spec 2.3).

Every moment of a room is counted from when it was packed; of a token there is its hash, of a session what the
gateway calls its account. Which rooms are due is in ``rooms.core.saving``, where the bytes go in
``rooms.snapshots``, what the room makes of it in ``rooms.core.restoring``.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rooms.core.game import Game
from rooms.core.questions import Question
from rooms.core.recording import Recorded
from rooms.core.room import Room
from rooms.core.seats import Graded, Seat
from rooms.core.state import Pause

VERSION: Final = 2
"""Of everything in here. A test keeps the digest of the shapes: who changes one counts this up."""


class UnknownVersionError(ValueError):
    """The snapshot is of another version of the program."""

    def __init__(self, version: object) -> None:
        super().__init__(f"it has version {version!r}, and this program reads version {VERSION}")
        self.version = version


class UnreadableError(ValueError):
    """The bytes are no snapshot."""


class Saved(Struct, frozen=True):
    """One room, with its recording if that goes along.

    ``at`` is on the clock of the process that saved it, and means something only beside `Head.clock`.
    """

    at: float
    room: Room
    tape: Recorded | None = None


class Played(Struct, frozen=True):
    """What grows from question to question and stays the same within one: by far the most of a room.

    ``graded`` is by the seats' order of joining: a new seat id does not change it.
    """

    questions: tuple[Question, ...] = ()
    graded: dict[int, list[Graded]] = {}


class Packed(Struct, frozen=True):
    """A room on its way: ``room`` is without what is in ``played``, which may be encoded already."""

    at: float
    room: Room
    played: msgspec.Raw
    tape: Recorded | None = None


class Head(Struct, frozen=True, kw_only=True):
    """What holds for all rooms of a snapshot: they were as saved until ``clock``, which was ``wall``.

    ``wall`` is in seconds since 1970, ``clock`` on the monotonic clock of the process that saved it.
    """

    version: int = VERSION
    wall: float
    clock: float


class _Version(Struct, frozen=True):
    version: int


_encode: Final = msgspec.msgpack.Encoder().encode
_decode_head: Final = msgspec.msgpack.Decoder(Head).decode
_decode_version: Final = msgspec.msgpack.Decoder(_Version).decode
_decode_packed: Final = msgspec.msgpack.Decoder(Packed).decode
_decode_played: Final = msgspec.msgpack.Decoder(Played).decode
_NOTHING_PLAYED: Final = msgspec.Raw(_encode(Played()))


class Packer(Struct):
    """Packs one room again and again. What was played is encoded once a question: the most of it."""

    progress: tuple[str, int, int] | None = None
    played: msgspec.Raw = _NOTHING_PLAYED

    def pack(self, room: Room, now: float, tape: Recorded | None = None) -> bytes:
        """The room as it is now. Changes nothing in it."""
        game = room.game
        progress = (game.id, game.closed, len(game.questions)) if game is not None else None
        if progress != self.progress:
            self.progress, self.played = progress, msgspec.Raw(_encode(_played(room)))
        moved = _moved_tape(tape, -now) if tape is not None else None
        return _encode(Packed(now, _bare(room, -now), self.played, moved))


def pack_head(now: float, wall: float) -> bytes:
    """All rooms that were packed are up to date now."""
    return _encode(Head(wall=wall, clock=now))


def unpack_head(data: bytes) -> Head:
    """Raises `UnknownVersionError` or `UnreadableError`."""
    try:
        version = _decode_version(data).version
        if version != VERSION:
            raise UnknownVersionError(version)
        return _decode_head(data)
    except msgspec.MsgspecError as error:
        raise UnreadableError(f"it is damaged ({error})") from error


def unpack(data: bytes, head: Head, now: float) -> Saved:
    """The room as it was at `Head.clock`, as if that were now. Raises `UnreadableError`."""
    try:
        packed = _decode_packed(data)
        room = _dressed(packed.room, _decode_played(packed.played))
    except msgspec.MsgspecError as error:
        raise UnreadableError(f"it is damaged ({error})") from error
    # Nothing has happened to the room since it was packed, but that time passed.
    began = now - (head.clock - packed.at)
    tape = _moved_tape(packed.tape, began) if packed.tape is not None else None
    return Saved(began, moved_room(room, began), tape)


# ---------- what was played


def _played(room: Room) -> Played:
    if room.game is None:
        return Played()
    graded = {seat.join_order: seat.graded for seat in room.seats.all() if seat.graded}
    return Played(room.game.questions, graded)


def _bare(room: Room, seconds: float) -> Room:
    """A copy of the room without what was played, all its moments so much later."""
    game = replace(room.game, questions=()) if room.game is not None else None
    return moved_room(replace(room, game=game), seconds, _bare_seats)


def _dressed(room: Room, played: Played) -> Room:
    """The decoded room with what was played."""
    for seat in room.seats.all():
        seat.graded = played.graded.get(seat.join_order, [])
    if room.game is not None:
        room.game.questions = played.questions
    return room


# ---------- moments


MovedSeats = Callable[[dict[str, Seat], float], dict[str, Seat]]


def _moved_seats(seats: dict[str, Seat], seconds: float) -> dict[str, Seat]:
    return {
        seat_id: seat if seat.until is None else replace(seat, until=seat.until + seconds)
        for seat_id, seat in seats.items()
    }


def _bare_seats(seats: dict[str, Seat], seconds: float) -> dict[str, Seat]:
    return {
        seat_id: replace(seat, graded=[], until=_moved(seat.until, seconds))
        for seat_id, seat in seats.items()
    }


def moved_room(room: Room, seconds: float, moved_seats: MovedSeats = _moved_seats) -> Room:
    """A copy of the room with all its moments so much later; what has none is shared."""
    return replace(
        room,
        until=_moved(room.until, seconds),
        idle_at=_moved(room.idle_at, seconds),
        empty_at=_moved(room.empty_at, seconds),
        pause=_moved_pause(room.pause, seconds),
        news=replace(room.news, due=_moved(room.news.due, seconds)),
        game=_moved_game(room.game, seconds) if room.game is not None else None,
        seats=replace(
            room.seats,
            here=moved_seats(room.seats.here, seconds),
            departed=moved_seats(room.seats.departed, seconds),
            next_hold=_moved(room.seats.next_hold, seconds),
        ),
    )


def _moved_pause(pause: Pause | None, seconds: float) -> Pause | None:
    return Pause(pause.since + seconds, pause.until + seconds) if pause is not None else None


def _moved_game(game: Game, seconds: float) -> Game:
    moved = replace(game)
    moved.shift(seconds)
    return moved


def _moved_tape(tape: Recorded, seconds: float) -> Recorded:
    room = moved_room(tape.restore(), seconds)
    steps = tuple((at + seconds, event) for at, event in tape.steps)
    return Recorded.of(room, tape.began + seconds, steps)


def _moved(moment: float | None, seconds: float) -> float | None:
    return moment + seconds if moment is not None else None
