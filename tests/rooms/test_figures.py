"""rooms.figures: what the quiz counts of itself, for the metrics."""

from rooms.core.phases import Phase
from rooms.core.seats import Standing
from tests.rooms.test_service import Site, ticket
from tests.rooms.test_snapshots_keeper import MemoryStore, Process


def figures(site: Site) -> dict[str, dict[str, float]]:
    return {figure.name: dict(figure.values) for figure in site.runtime.game.figures()}


def test_every_phase_and_status_is_there_before_anything_happens() -> None:
    """A graph that begins with its first value hides the zero before it."""
    seen = figures(Site())
    assert seen["rooms_rooms"] == {phase.value: 0 for phase in Phase}
    assert seen["rooms_members"] == {standing.value: 0 for standing in Standing}
    assert seen["rooms_returned"] == {"seat": 0}


def test_rooms_members_and_returns_are_counted() -> None:
    """A room in its lobby, and a seat that was claimed by a second socket."""
    site = Site()
    joined = site.opens("host").creates()
    site.opens("host", ticket(joined))
    seen = figures(site)
    assert seen["rooms_rooms"]["lobby"] == 1
    assert seen["rooms_members"]["connected"] == 1
    assert seen["rooms_returned"] == {"seat": 1}


def test_rounds_of_snapshots_are_counted_by_their_outcome() -> None:
    """A disk that is full shows before the restart that needs it."""
    store = MemoryStore()
    site = Process(store)
    site.opens("host").creates()
    site.passes(12)
    written = figures(site)["rooms_snapshots"]["written"]
    assert written >= 1
    store.trouble = OSError("no space left on device")
    site.opens("other").creates()
    site.passes(12)
    assert figures(site)["rooms_snapshots"]["failed"] >= 1
