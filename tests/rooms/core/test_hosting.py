"""What only the host is told: whose line is slow, and who may not come back."""

import pytest

from gateway.contract import FrameClass
from rooms.core.effects import Send
from rooms.core.messages import Bans, HostChanged, Lagging
from rooms.core.rules import SLOT_S
from tests.rooms.core.kit import Player, Table, in_the_first_question, refused, settled
from tests.rooms.core.restarts import restart


@pytest.fixture
def table() -> Table:
    """A host and two players in the first question."""
    return in_the_first_question(Table())


def lagging(player: Player) -> list[list[str]]:
    """All that the player was told of it, by names."""
    names = {seat.id: seat.name for seat in player.table.room.seats.all()}
    return [[names[user_id] for user_id in told.user_ids] for told in player.saw(Lagging)]


def banned(player: Player) -> list[list[str]]:
    return [[person.name for person in told.banned] for told in player.saw(Bans)]


# ---------- lag


def test_the_host_alone_is_told_who_lags(table: Table) -> None:
    """Nobody is put on display for the line they have."""
    screen = table.player("screen", table.ana.account).watches()
    table.ben.lags()
    assert settled(table)
    assert lagging(table.ana) == [["Ben"]]
    for other in (table.ben, table.cleo, screen):
        assert lagging(other) == []


def test_all_changes_of_a_slot_are_told_at_once_and_none_twice(table: Table) -> None:
    """At most 4 frames a second, and none for a line that is as it was."""
    table.cleo.lags()
    table.ben.lags()
    table.ana.lags()
    table.ana.lags(lagging=False)
    assert lagging(table.ana) == []
    table.after(SLOT_S)
    assert lagging(table.ana) == [["Ben", "Cleo"]]
    table.ben.reacts()
    table.after(SLOT_S)
    table.ben.lags(lagging=False)
    table.after(SLOT_S)
    assert lagging(table.ana) == [["Ben", "Cleo"], ["Cleo"]]


def test_a_newer_list_may_replace_one_that_a_slow_host_has_not_read(table: Table) -> None:
    """Both are whole lists, so the newest is enough."""
    table.ben.lags()
    table.after(SLOT_S)
    table.ana.kicks(table.cleo)
    sent = [effect for effect in table.log if isinstance(effect, Send)]
    ways = {
        (type(one.event), one.frame_class, one.key) for one in sent if isinstance(one.event, Lagging | Bans)
    }
    assert ways == {
        (Lagging, FrameClass.COALESCABLE, "lagging"),
        (Bans, FrameClass.COALESCABLE, "bans"),
    }


def test_one_without_a_socket_does_not_lag_until_back(table: Table) -> None:
    """Away is another word; who comes back on the same line has the same lag until it is measured anew."""
    table.ben.lags()
    table.after(SLOT_S)
    table.ben.drops()
    table.after(SLOT_S)
    table.ben.claims()
    table.after(SLOT_S)
    assert lagging(table.ana) == [["Ben"], [], ["Ben"]]


@pytest.mark.parametrize("end", ["stops", "restarts"])
def test_with_its_game_lag_is_forgotten(table: Table, end: str) -> None:
    """It is measured in games only."""
    table.ben.lags()
    table.after(SLOT_S)
    getattr(table.ana, end)()
    assert settled(table)
    assert lagging(table.ana) == [["Ben"], []]


def test_at_the_end_of_the_game_nobody_lags(table: Table) -> None:
    """Nor is that said where nobody did."""
    table.ben.lags()
    table.after(3 * (15 + 5))
    assert table.phase == "finished"
    assert lagging(table.ana) == [["Ben"], []]


def test_an_empty_room_has_nobody_to_tell(table: Table) -> None:
    """Its last players lagged, and are gone."""
    table.ben.lags()
    table.after(SLOT_S)
    for player in (table.ana, table.cleo, table.ben):
        player.drops()
    table.after(30)
    assert (table.members, table.room.lagging) == ([], ())


# ---------- bans


def test_the_host_alone_is_told_who_is_banned(table: Table) -> None:
    """After each ban and each pardon the whole list; a kick without a ban is none."""
    table.ana.kicks(table.ben)
    table.ana.kicks(table.cleo, ban=False)
    table.ana.unbans(table.ben)
    assert banned(table.ana) == [["Ben"], []]
    table.cleo.comes_back()
    assert settled(table)
    assert table.cleo.saw(Bans) == []


# ---------- whoever is host, whenever


def test_a_host_who_reloads_is_told_again(table: Table) -> None:
    """By ticket, by JOIN_ROOM, and after frames were lost; a page starts from nothing each time."""
    table.ana.kicks(table.cleo)
    table.ben.lags()
    table.after(SLOT_S)
    for again in (table.ana.claims, lambda: table.ana.comes_back(take_over=True), table.ana.resyncs):
        table.ana.forgets()
        again()
        assert (lagging(table.ana), banned(table.ana)) == ([["Ben"]], [["Cleo"]])
    table.ben.resyncs()
    assert settled(table)


def test_a_new_host_is_told_after_it_heard_that_it_is_host(table: Table) -> None:
    """And may pardon whom the old one banned; the old one knows no more."""
    table.ana.kicks(table.cleo)
    table.ana.leaves()
    assert table.ben.is_host
    kinds = [type(event) for event in table.ben.seen if isinstance(event, HostChanged | Bans)]
    assert kinds == [HostChanged, Bans]
    table.ben.unbans(table.cleo)
    assert table.cleo.comes_back().is_in
    table.ana.comes_back()
    assert table.ana.is_host
    assert settled(table)


def test_after_a_restart_the_host_may_pardon_whom_it_banned_before(table: Table) -> None:
    """The names too are in the snapshot; whose line was slow is known until it is measured anew."""
    table.ana.kicks(table.cleo)
    table.ben.lags()
    table.after(SLOT_S)
    restart(table)
    table.ana.forgets()
    table.ana.claims()
    assert (lagging(table.ana), banned(table.ana)) == ([], [["Cleo"]])
    table.ben.claims()
    assert settled(table)
    assert lagging(table.ana)[-1] == ["Ben"]
    (person,) = table.ana.last(Bans).banned
    assert person.user_id == table.cleo.seat_id
    table.ana.unbans(table.cleo)
    assert table.cleo.comes_back().is_in


def test_nobody_else_may_pardon(table: Table) -> None:
    """Knowing the id is not enough."""
    table.ana.kicks(table.cleo)
    with refused(table, "NOT_HOST"):
        table.ben.unbans(table.cleo)
