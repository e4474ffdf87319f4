"""The phases of a room, the legal moves between them, and when a command makes sense (spec 2.2).

Tables only: nothing here knows a room. Durations are in ``rooms.core.rules``.
"""

from enum import Enum
from typing import Final

from msgspec import Struct

from rooms.core.messages import NextQuestion, RestartGame, StartGame, StopGame, UpdateRoomSettings


class Phase(Enum):
    LOBBY = "lobby"
    STARTING = "starting"
    QUESTION = "question"
    RESULTS = "results"
    FINISHED = "finished"


MOVES: Final[dict[Phase, frozenset[Phase]]] = {
    Phase.LOBBY: frozenset({Phase.STARTING}),
    Phase.STARTING: frozenset({Phase.QUESTION, Phase.STARTING, Phase.LOBBY}),
    Phase.QUESTION: frozenset({Phase.RESULTS, Phase.STARTING, Phase.LOBBY}),
    Phase.RESULTS: frozenset({Phase.QUESTION, Phase.FINISHED, Phase.STARTING, Phase.LOBBY}),
    Phase.FINISHED: frozenset({Phase.STARTING, Phase.LOBBY}),
}
"""Every move to STARTING from a game is a restart, every move to LOBBY a stop."""

ACTIVE: Final = frozenset({Phase.STARTING, Phase.QUESTION, Phase.RESULTS})
"""A game is on: seats get grace, late joiners are late, departed seats keep their places."""

_GAME: Final = ACTIVE | {Phase.FINISHED}

PHASES_OF: Final[dict[type[Struct], frozenset[Phase]]] = {
    StartGame: frozenset({Phase.LOBBY}),
    # From the podium too: a stopped game leads back to the lobby, where settings can be changed.
    StopGame: _GAME,
    RestartGame: _GAME,
    NextQuestion: frozenset({Phase.RESULTS}),
    UpdateRoomSettings: frozenset({Phase.LOBBY}),
}
"""The commands that are not allowed in every phase (answers have rules of their own)."""


def move(old: Phase, new: Phase) -> Phase:
    """``new``, if it may follow ``old``; our own fault otherwise."""
    if new not in MOVES[old]:
        raise ValueError(f"no move leads from {old.value} to {new.value}")
    return new
