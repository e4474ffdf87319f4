"""How far away the players of a running game are: the round trips of their heartbeats (spec 2.4).

Kept beside the rooms and in none of them: seven heartbeats a second of a full room would crowd everything
else out of its recording, so an answer brings along what they came to. What that is worth is in
``rooms.core.scoring``.
"""

from typing import Final

from msgspec import Struct, field

from rooms.core.scoring import MAX_LAG_CREDIT_S, median

SAMPLES_KEPT: Final = 400
"""Round trips of one player: 46 minutes of one in 7 s, longer than 50 questions of 30 s take. It bounds the
memory of a game that nobody moves on."""

LATELY: Final = 3
"""The newest round trips that say how a line is now: one slow one of three is an accident, and with one in
7 s a line that changes is noticed after 14 s.
"""
LAGGING_S: Final = MAX_LAG_CREDIT_S
"""Seconds of a round trip beyond which a player lags: from here on a slow line costs points."""


class Lags(Struct):
    """Those of one room's game. ``player`` is a seat's join order: a new seat id does not change it."""

    game_id: str = ""
    round_trips: dict[int, list[float]] = field(default_factory=dict)

    def note(self, game_id: str, player: int, rtt_s: float) -> None:
        """A heartbeat of the player was answered; with the first of a new game the old one's are gone."""
        if game_id != self.game_id:
            self.game_id, self.round_trips = game_id, {}
        samples = self.round_trips.setdefault(player, [])
        samples.append(rtt_s)
        del samples[:-SAMPLES_KEPT]

    def of(self, game_id: str, player: int) -> float | None:
        """The median over the whole game and all sockets of the player; None before its first heartbeat."""
        return median(self.round_trips.get(player, ())) if game_id == self.game_id else None

    def is_lagging(self, player: int) -> bool | None:
        """Whether the player's line is slow now; None while there is too little to tell by."""
        lately = self.round_trips[player][-LATELY:]
        middle = median(lately) if len(lately) == LATELY else None
        return middle > LAGGING_S if middle is not None else None
