"""Which rooms are saved when: with a game every round, the others seldom, none for nothing (spec 2.3)."""

import pytest

from rooms.core.room import Room
from rooms.core.saving import QUIET_S, ROUND_S, STAMP_S, Saving
from tests.rooms.core.kit import Table


@pytest.fixture
def table() -> Table:
    """A lobby."""
    made = Table()
    made.ana = made.hosted_by("Ana")
    return made


def due(saving: Saving, table: Table) -> list[Room]:
    return saving.due({table.room.id: table.room}, table.now)


def saved(table: Table) -> Saving:
    saving = Saving({table.room.id})
    saving.save(table.room, table.now)
    saving.written_at = table.now
    return saving


def test_a_new_room_is_due_at_once(table: Table) -> None:
    """A crash in its first seconds must not lose it."""
    assert due(Saving({table.room.id}), table) == [table.room]


def test_a_room_is_due_only_when_something_happened(table: Table) -> None:
    """Whatever its phase."""
    saving = saved(table)
    table.after(QUIET_S * 2)
    assert due(saving, table) == []
    saving.changed.add(table.room.id)
    assert due(saving, table) == [table.room]


def test_a_lobby_is_saved_every_10_seconds_at_most(table: Table) -> None:
    """People come and go, and nothing hurries."""
    saving = saved(table)
    saving.changed.add(table.room.id)
    table.after(QUIET_S - 0.1)
    assert due(saving, table) == []
    table.after(0.1)
    assert due(saving, table) == [table.room]


def test_a_running_game_is_due_in_every_round(table: Table) -> None:
    """With the start of a game at the latest."""
    saving = saved(table)
    table.ana.starts()
    saving.changed.add(table.room.id)
    assert due(saving, table) == [table.room]


def test_the_end_of_a_game_is_saved_in_the_next_round(table: Table) -> None:
    """Else a crash on the podium would bring back the last question."""
    table.ana.starts()
    saving = saved(table)
    table.ana.stops()
    saving.changed.add(table.room.id)
    assert due(saving, table) == [table.room]
    saving.save(table.room, table.now)
    saving.changed.add(table.room.id)
    assert due(saving, table) == []


def test_a_game_in_which_nothing_happens_is_still_written(table: Table) -> None:
    """Not its room, but until when it is good: what is left of the question goes on."""
    table.ana.starts()
    saving = saved(table)
    table.after(ROUND_S)
    assert saving.is_stale(table.now)


def test_a_quiet_site_is_written_once_a_minute(table: Table) -> None:
    """So that its rooms do not look older than they are."""
    saving = saved(table)
    table.after(STAMP_S - 1)
    assert not saving.is_stale(table.now)
    table.after(1)
    assert saving.is_stale(table.now)


def test_without_rooms_nothing_is_stale(table: Table) -> None:
    """A site on which nobody plays writes nothing, however long."""
    saving = saved(table)
    saving.forget(table.room.id)
    table.after(STAMP_S * 2)
    assert not saving.is_stale(table.now)
    assert not Saving().is_stale(table.now)


def test_no_accepted_answer_older_than_2_seconds_waits_for_its_round() -> None:
    """The arithmetic of the promise: a round, and half a second for a busy loop and the disk."""
    assert ROUND_S + 0.5 <= 2.0
