"""What a room has to tell that can wait a moment: roster changes, reactions, progress of a question.

All three are collected for one slot of 250 ms, so each is at most 4 frames per second and socket, in a
reconnect storm too (spec 3). Only what changed is noted here; values are read when the slot ends, so a delta
is right whatever snapshot its receiver started from.
"""

from typing import Literal

from msgspec import Struct, field

from rooms.core.rules import SLOT_S
from rooms.core.shapes import Departure, ReactionId, ReactionSeen

MemberField = Literal["avatar", "status", "score", "plays"]
LeftReason = Literal["left", "lost", "kicked"]


class News(Struct):
    """One slot's collection; ``due`` is when it is told, None while there is nothing to tell."""

    joined: list[str] = field(default_factory=list)
    changed: dict[str, list[MemberField]] = field(default_factory=dict)
    left: list[Departure] = field(default_factory=list)
    reactions: list[ReactionSeen] = field(default_factory=list)
    progress: bool = False
    due: float | None = None

    def add_joined(self, seat_id: str, now: float) -> None:
        self._open(now)
        self.joined.append(seat_id)

    def add_changed(self, seat_id: str, name: MemberField, now: float) -> None:
        self._open(now)
        fields = self.changed.setdefault(seat_id, [])
        if name not in fields:
            fields.append(name)

    def add_left(self, seat_id: str, reason: LeftReason, now: float) -> None:
        """Told even of one who joined in this very slot: a snapshot may have shown it to somebody."""
        self._open(now)
        self.left.append(Departure(seat_id, reason))

    def add_reaction(self, seat_id: str, reaction: ReactionId, now: float) -> None:
        self._open(now)
        self.reactions.append(ReactionSeen(seat_id, reaction))

    def add_progress(self, now: float) -> None:
        self._open(now)
        self.progress = True

    def add_lag(self, now: float) -> None:
        """Who lags is read when the slot ends, as after each change of the roster."""
        self._open(now)

    def _open(self, now: float) -> None:
        if self.due is None:
            self.due = now + SLOT_S
