"""The log of a run: each frame as it passes the server's port, each end of a socket, each change of state.

What is alike at one instant becomes one row with a count; a broadcast is one row with its receivers. The rows
are in the order in which things happened.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from debugger.notes import note_of
from debugger.timeline import Edge, Kind, Row

TRAFFIC = "TRAFFIC"
"""The filler of a busy game: one row a second."""


class Recorder:
    """``ms`` tells the present instant; ``names`` fills itself: whose seat an id is."""

    def __init__(self, ms: Callable[[], int]) -> None:
        self.rows: list[Row] = []
        self.names: dict[str, str] = {}
        self.dirty = False
        self._ms = ms
        self._alike: dict[tuple[Any, ...], Row] = {}
        self._payload: bytes | None = None
        self._frame: dict[str, Any] = {}
        self._row: Row | None = None

    def sent(self, player: str, payload: bytes) -> dict[str, Any]:
        """A frame for a player; returns it decoded. A broadcast hands in the same object each time."""
        if payload is self._payload and self._row is not None and self._row.at == self._ms():
            if player not in self._row.players:
                self._row.players.append(player)
            return self._frame
        self._payload, self._frame = payload, msgspec.json.decode(payload)
        type_ = self._frame["type"]
        if type_ == "ROOM_JOINED":
            self.names[self._frame["seatId"]] = player
        if type_ == TRAFFIC:
            self._row = self._traffic(player, len(payload))
        else:
            self._row = self._add("out", player, type_, note_of(self._frame, self.names), len(payload))
        return self._frame

    def received(self, player: str, type_: str, size: int) -> None:
        """A frame from a player."""
        self._add("in", player, type_, "", size)

    def closed(self, player: str, code: int, reason: str, note: str) -> None:
        """The end of a player's socket."""
        self.rows.append(Row(self._ms(), "close", [player], reason or "Closed", note, code=code))
        self.dirty = True

    def event(self, player: str, type_: str, note: str = "", edge: Edge | None = None) -> None:
        """A change of state, or something that a person did."""
        self.rows.append(Row(self._ms(), "event", [player], type_, note, edge=edge))
        self.dirty = True

    def _add(self, kind: Kind, player: str, type_: str, note: str, size: int) -> Row:
        self.dirty = True
        key = (self._ms(), kind, player, type_, note)
        row = self._alike.get(key)
        if row is None:
            row = self._alike[key] = Row(key[0], kind, [player], type_, note, size)
            self.rows.append(row)
        else:
            row.count += 1
            row.bytes += size
        return row

    def _traffic(self, player: str, size: int) -> Row:
        key = (self._ms() // 1000, TRAFFIC)
        row = self._alike.get(key)
        if row is None:
            row = self._alike[key] = Row(self._ms(), "out", [player], TRAFFIC, "what makes a game busy", 0, 0)
            self.rows.append(row)
        row.count += 1
        row.bytes += size
        return row
