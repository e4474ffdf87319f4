"""The flight recorder: what happened last in each live room, in bounded memory, and how it is played again.

A tape is a short ring of chunks: a room as it was, and what happened to it since. Room and inputs are kept
apart from the live room, which nothing here touches: a replay restores a room of its own. Who looks at
recordings, and under which names, is for ``debugger``.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct, field

from rooms.core.effects import Effect, Input, Loaded
from rooms.core.questions import Question
from rooms.core.room import Room

CHUNKS: Final = 5
"""Parts of a tape: the oldest fifth goes at once, and as often the room is encoded."""
STEP_BYTES: Final = 500
"""What an input with its command and ids takes, measured over those of a game."""
QUESTION_BYTES: Final = 1000
"""What a question takes beside its texts. Its drawing is not counted: all games share those of the flags."""

Step = tuple[float, Input | None]
"""When, and what: an input that was not refused, or None for a wake."""

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Room).decode


class Bounds(Struct, frozen=True):
    """How much is kept: steps and seconds of one room, bytes of one room and of all."""

    steps: int
    span_s: float
    room_bytes: int
    total_bytes: int


class Recorded(Struct, frozen=True):
    """A stretch of a room's life: the room at ``began`` (its questions aside), and all that came after."""

    began: float
    room: bytes
    questions: tuple[Question, ...]
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, room: Room, began: float, steps: tuple[Step, ...]) -> "Recorded":
        """What happened to ``room``, which is copied, from ``began`` on."""
        encoded, questions = _apart(room)
        return cls(began, encoded, questions, steps)

    def restore(self) -> Room:
        """The room at the beginning, made anew with each call."""
        room = _decode(self.room)
        if room.game is not None:
            room.game.questions = self.questions
        return room


def replay(room: Room, steps: tuple[Step, ...]) -> Iterator[tuple[float, Input | None, tuple[Effect, ...]]]:
    """Let it all happen again to ``room``; after each step its moment, its input and its effects."""
    for at, event in steps:
        yield at, event, room.wake(at) if event is None else room.apply(event, at)


class Chunk(Struct):
    """A part of a tape; its questions are those of the live room, which never change.

    With ``most`` steps, or at ``until``, it is full.
    """

    began: float
    room: bytes
    questions: tuple[Question, ...]
    most: int
    until: float
    weight: int = 0
    moments: list[float] = field(default_factory=list)
    events: list[Input | None] = field(default_factory=list)


class Tape(Struct):
    """One room's chunks, oldest first, and what the closed parts of them weigh."""

    chunks: deque[Chunk] = field(default_factory=deque)
    weight: int = 0


class Recorder(Struct):
    """The tapes of all rooms, those that began a chunk longest ago first."""

    bounds: Bounds
    tapes: dict[str, Tape] = field(default_factory=dict)
    weight: int = 0

    def note(self, room: Room, event: Input | None, now: float) -> None:
        """This has just happened to the room. A room without a tape gets one that begins after it."""
        tape = self.tapes.get(room.id)
        if tape is None:
            self.begin(room, now)
            return
        # On the way of every frame: no more than this is done for most of them.
        chunk = tape.chunks[-1]
        events = chunk.events
        events.append(event)
        chunk.moments.append(now)
        if type(event) is Loaded:
            self._weigh(tape, chunk, _weight(event.questions))
            if (chunk.weight - len(chunk.room)) * CHUNKS > self.bounds.room_bytes:
                chunk.until = now
        if len(events) >= chunk.most or now >= chunk.until:
            self._turn(room, tape, now)

    def begin(self, room: Room, now: float) -> None:
        """A tape of the room, from here on; none while all the memory is in use."""
        if self.weight < self.bounds.total_bytes:
            tape = self.tapes[room.id] = Tape()
            self._add_chunk(room, tape, now)

    def go_on(self, room: Room, recorded: Recorded) -> None:
        """The tape of a room that comes from another process; if there is no memory for it, none."""
        bounds = self.bounds
        weight = len(recorded.room) + _weight(recorded.questions)
        weight += sum(_weight(event.questions) for _, event in recorded.steps if type(event) is Loaded)
        whole = weight + len(recorded.steps) * STEP_BYTES
        if whole > bounds.room_bytes or self.weight + whole > bounds.total_bytes:
            return
        until = recorded.began + bounds.span_s
        chunk = Chunk(recorded.began, recorded.room, recorded.questions, bounds.steps, until)
        chunk.moments = [at for at, _ in recorded.steps]
        chunk.events = [event for _, event in recorded.steps]
        tape = self.tapes[room.id] = Tape(deque([chunk]))
        self._weigh(tape, chunk, weight)

    def forget(self, room_id: str) -> None:
        """The room is over, or there is no memory for it."""
        tape = self.tapes.pop(room_id, None)
        self.weight -= tape.weight if tape is not None else 0

    def take(self, room_id: str) -> Recorded | None:
        """All that is known of the room; nothing that happens later changes it."""
        tape = self.tapes.get(room_id)
        if tape is None:
            return None
        first = tape.chunks[0]
        steps = tuple(step for chunk in tape.chunks for step in zip(chunk.moments, chunk.events, strict=True))
        return Recorded(first.began, first.room, first.questions, steps)

    # ---------- chunks

    def _turn(self, room: Room, tape: Tape, now: float) -> None:
        """A new chunk begins, and what is too much by now goes, of this room first."""
        chunks, bounds = tape.chunks, self.bounds
        self._weigh(tape, chunks[-1], len(chunks[-1].events) * STEP_BYTES)
        self._add_chunk(room, tape, now)
        while len(chunks) > 1 and (
            len(chunks) > CHUNKS or chunks[1].began <= now - bounds.span_s or tape.weight > bounds.room_bytes
        ):
            self._drop_oldest(tape)
        self.tapes[room.id] = self.tapes.pop(room.id)
        if self.weight > bounds.total_bytes:
            self._make_space(room)

    def _make_space(self, room: Room) -> None:
        """Of the rooms in which least happens the oldest chunks go; if that is not enough, this tape."""
        for tape in self.tapes.values():
            while self.weight > self.bounds.total_bytes and len(tape.chunks) > 1:
                self._drop_oldest(tape)
        if self.weight > self.bounds.total_bytes:
            self.forget(room.id)

    def _add_chunk(self, room: Room, tape: Tape, now: float) -> None:
        encoded, questions = _apart(room)
        bounds = self.bounds
        # All but the one that has just begun hold the whole span, if it has not too many steps.
        most, until = max(1, bounds.steps // CHUNKS), now + bounds.span_s / (CHUNKS - 1)
        chunk = Chunk(now, encoded, questions, most, until)
        tape.chunks.append(chunk)
        self._weigh(tape, chunk, len(encoded) + _weight(questions))

    def _drop_oldest(self, tape: Tape) -> None:
        gone = tape.chunks.popleft()
        tape.weight -= gone.weight
        self.weight -= gone.weight

    def _weigh(self, tape: Tape, chunk: Chunk, more: int) -> None:
        chunk.weight += more
        tape.weight += more
        self.weight += more


def _apart(room: Room) -> tuple[bytes, tuple[Question, ...]]:
    """The room without its questions: by far the most of it, and frozen, so that they need no copy."""
    game = room.game
    if game is None:
        return _encode(room), ()
    without = msgspec.structs.replace(game, questions=())
    return _encode(msgspec.structs.replace(room, game=without)), game.questions


def _weight(questions: tuple[Question, ...]) -> int:
    return sum(
        QUESTION_BYTES
        + len(question.prompt)
        + len(question.explanation or "")
        + sum(len(choice.text) for choice in question.choices)
        for question in questions
    )
