"""A recorded room as a scenario file: the room as it was, what happened to it since, what was seen of it.

The counterpart of ``debugger.scenario`` for what really happened. Files of live rooms are made in
``debugger.pseudonyms``; a file that is none is a `ScenarioError` with its line.
"""

from collections import Counter
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from debugger.places import line_of_byte, line_of_path
from debugger.replay import timeline_of
from debugger.scenario import LONGEST_MS, MOST_ACTIONS, Expected, Scenario, ScenarioError, parse
from debugger.timeline import Kind, Replayed, Row, Timeline
from rooms.conf import MOST_STEPS
from rooms.core.effects import Input
from rooms.core.room import Room

LONGEST_TITLE: Final = 200


class RecordedRoom(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """``steps`` are moments of the server's clock with an input each, null for a wake."""

    title: Annotated[str, Meta(max_length=LONGEST_TITLE)]
    began: float
    room: Room
    steps: Annotated[tuple[tuple[float, Input | None], ...], Meta(max_length=MOST_STEPS)]
    expect: Annotated[tuple[Expected, ...], Meta(max_length=MOST_ACTIONS)] = ()

    def play(self) -> Timeline:
        """The timeline; the file's own room is used up by it."""
        shown = Replayed(self.title, 0, self.expect)
        try:
            return timeline_of(self.room, self.began, self.steps, shown)
        except Exception as error:  # a file that somebody edited can hold any room, and any fault in it
            raise ScenarioError(f"the room can't do what its steps say: {error!r}") from error


class _Looks(Struct):
    """What tells the two kinds of files apart."""

    steps: msgspec.Raw = msgspec.Raw()


def parse_any(data: bytes) -> Scenario | RecordedRoom:
    """The scenario or the recorded room that ``data`` (JSON) holds."""
    try:
        if not bytes(msgspec.json.decode(data, type=_Looks).steps):
            return parse(data)
        recorded = msgspec.json.decode(data, type=RecordedRoom)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"line {line_of_path(data, str(error))}: {error}") from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ScenarioError(f"line {line_of_byte(data, str(error))}: this is no JSON: {error}") from error
    if (fault := _fault(recorded)) is not None:
        raise ScenarioError(f"line {line_of_path(data, fault)}: {fault}")
    return recorded


def _fault(recorded: RecordedRoom) -> str | None:
    before = recorded.began
    for index, (at, _) in enumerate(recorded.steps):
        if at < before:
            return f"{at} is before the moment ahead of it, {before} - at `$.steps[{index}][0]`"
        before = at
    return None


def expectations(timeline: Timeline) -> tuple[Expected, ...]:
    """How often each type was in the log, and what the last results of the players were."""
    rows = [row for row in timeline.rows if row.at < LONGEST_MS]
    seen: Counter[tuple[Kind, str]] = Counter((row.kind, row.type) for row in rows)
    counts = [Expected(kind=kind, type=type_, rows=number) for (kind, type_), number in seen.items()]
    results = {row.players[0]: row for row in rows if row.type == "YOUR_RESULT"}
    last = [_result(player, row) for player, row in results.items()]
    return tuple([*counts, *last][:MOST_ACTIONS])


def _result(player: str, row: Row) -> Expected:
    return Expected(row.at, row.at + 1, player=player, type=row.type, note=row.note)
