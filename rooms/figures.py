"""What the quiz counts of itself, for the metrics: rooms by phase, members by status, returns, stored games.

Read on the loop at each scrape; a label's values are phases, statuses and outcomes, never a room or a name.
"""

from collections import Counter
from collections.abc import Iterator

from gateway.contract import Figure
from rooms.archive import Archive
from rooms.core.lobby import Lobby
from rooms.core.phases import Phase
from rooms.core.seats import Standing
from rooms.keeping import Keeping


def of(lobby: Lobby, returned: int, keeping: Keeping) -> Iterator[Figure]:
    """All figures; ``returned`` counts the seats that came back within their grace."""
    rooms = list(lobby.rooms.values())
    phases = Counter(room.phase for room in rooms)
    standings = Counter(seat.standing for room in rooms for seat in room.seats.all())
    by_phase = {phase.value: phases[phase] for phase in Phase}
    by_status = {standing.value: standings[standing] for standing in Standing}
    yield Figure("rooms_rooms", "Live rooms, by phase.", "phase", by_phase)
    yield Figure("rooms_members", "Seats of live rooms, by status.", "status", by_status)
    yield Figure("rooms_returned", "Seats that came back within their grace.", "to", {"seat": returned}, True)
    if keeping.archive is not None:
        yield from _games(keeping.archive)
    if keeping.keeper is not None:
        counts = keeping.keeper.counts
        rounds = {"written": counts.written, "failed": counts.failures}
        yield Figure("rooms_snapshots", "Rounds of snapshots, by outcome.", "outcome", rounds, True)


def _games(archive: Archive) -> Iterator[Figure]:
    counts = archive.counts
    stored = {"stored": counts.stored, "failed_tries": counts.failures, "lost": counts.lost}
    yield Figure("rooms_games", "Finished games, by what became of them.", "outcome", stored, True)
    yield Figure("rooms_games_waiting", "Games not stored yet.", "for", {"store": len(archive.waiting())})
