"""Which rooms are due to be saved for the case of a crash (spec 2.3), and when a snapshot is worth writing.

Plain data and a rule; how a room becomes bytes is in ``rooms.core.snapshot``, who calls this every moment is
``rooms.snapshots.keeper``.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from rooms.core.room import Room

ROUND_S: Final = 1.5
"""Seconds between two rounds. No answer that was accepted more than 2 s before a crash may be lost: half a
second is for a busy loop and the disk.
"""
QUIET_S: Final = 10.0
"""Seconds between two savings of a room without a running game: nothing hurries there."""
STAMP_S: Final = 60.0
"""Seconds after which a snapshot is written although nothing changed: it must not look older than it is."""


class Kept(Struct, frozen=True):
    """When a room was saved last, and whether a game was on."""

    at: float
    active: bool


class Saving(Struct):
    """``changed`` are the rooms that something happened to since they were saved, ``kept`` all that were."""

    changed: set[str] = field(default_factory=set)
    kept: dict[str, Kept] = field(default_factory=dict)
    written_at: float | None = None

    def forget(self, room_id: str) -> None:
        """The room is over."""
        self.changed.discard(room_id)
        self.kept.pop(room_id, None)

    def due(self, rooms: Mapping[str, Room], now: float) -> list[Room]:
        """The rooms to save in this round."""
        return [room for room_id in self.changed if self._is_due(room := rooms[room_id], now)]

    def save(self, room: Room, now: float) -> None:
        """The room is saved as it is now."""
        self.changed.discard(room.id)
        self.kept[room.id] = Kept(now, room.active)

    def is_stale(self, now: float) -> bool:
        """Whether what was written last says too little by now, although no room is due.

        In a game time alone counts: what is left of a question.
        """
        if self.written_at is None or not self.kept:
            return False
        return now - self.written_at >= STAMP_S or any(kept.active for kept in self.kept.values())

    def _is_due(self, room: Room, now: float) -> bool:
        # The end of a game is saved in the round after it: else a crash would play its last question again.
        kept = self.kept.get(room.id)
        return kept is None or room.active or kept.active or now - kept.at >= QUIET_S
