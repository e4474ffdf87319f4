"""The machine around the rules: settings, avatars, deadlines, harmless wakes, state that can be saved."""

import msgspec
import pytest

from gateway.core.machine import to_state
from rooms.core.effects import MoveAccount
from rooms.core.messages import Members, RoomSettings
from rooms.core.room import Room
from rooms.core.shapes import Avatar, MemberPatch
from tests.rooms.core.kit import START, Table, questions, refused, settled


def started() -> Table:
    table = Table(questions(2))
    table.ana = table.hosted_by("Ana")
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.after(1)
    table.ana.starts()
    table.after(3)
    return table


# ---------- settings and avatars


def test_settings_are_changed_in_part_and_told_to_all() -> None:
    """UPDATE_ROOM_SETTINGS; a newer frame replaces one that still waits."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ana.sets(question_count=5)
    ana.sets(scoring="order")
    told = ben.last(RoomSettings).settings
    assert (told.question_count, told.scoring, told.seconds_per_question) == (5, "order", 15)
    assert table.room.settings == told
    assert settled(table)


def test_settings_out_of_range_change_nothing() -> None:
    """Not even those of the same update that are in range."""
    table = Table()
    ana = table.hosted_by("Ana")
    with refused(table, "SETTINGS_INVALID"):
        ana.sets(question_count=5, max_players=1)


def test_a_host_who_stops_playing_is_shown_so() -> None:
    """`plays` of the presenter's seat changes with hostPlays, nobody else's."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    table.after(1)
    ben.forgets()
    ana.sets(host_plays=False)
    table.after(0.25)
    assert ben.last(Members).updated == (MemberPatch(ana.seat_id, plays=False),)
    ben.forgets()
    ana.sets(host_plays=False, locked=True)
    table.after(0.25)
    assert ben.saw(Members) == []
    ana.sets(host_plays=True)
    assert settled(table)


def test_an_avatar_is_changed_in_any_phase() -> None:
    """One changed field for all (spec 3)."""
    table = started()
    table.ben.wears(Avatar("whale", 3))
    table.after(0.25)
    assert table.cleo.last(Members).updated == (MemberPatch(table.ben.seat_id, avatar=Avatar("whale", 3)),)
    assert settled(table)


# ---------- time


def test_the_deadline_is_the_first_moment_at_which_something_is_due() -> None:
    """News, phase, holds, the room's own end, in whatever order they come."""
    table = Table()
    ana = table.hosted_by("Ana")
    assert table.room.deadline() == START + 7200
    ben = table.player("Ben").joins()
    assert table.room.deadline() == START + 0.25
    table.after(1)
    ana.starts()
    assert table.room.deadline() == START + 1 + 3
    ben.drops()
    table.after(0.25)
    assert table.room.deadline() == START + 1 + 3
    table.after(3)
    assert table.room.deadline() == START + 1 + 10
    table.after(10)
    assert table.room.deadline() == START + 4 + 15


def test_early_and_double_wakes_do_nothing() -> None:
    """As gateway.core.machine promises for every machine."""
    table = started()
    table.ben.drops()
    table.after(1)
    before = to_state(table.room)
    for moment in (table.now, table.room.deadline() - 0.001):
        assert table.room.wake(moment) == ()
    assert to_state(table.room) == before
    due = table.room.deadline()
    table.room.wake(due)
    after = to_state(table.room)
    assert after != before
    assert table.room.wake(due) == ()
    assert to_state(table.room) == after


def test_a_late_wake_does_all_that_is_due() -> None:
    """News of before the stall and the end of the question, at once."""
    table = started()
    table.ben.answers("a")
    table.after_a_stall(30)
    assert table.phase == "results"
    assert table.room.until == table.now + 5
    assert settled(table)


def test_a_room_that_is_over_asks_for_no_wake() -> None:
    """And does nothing when an old alarm fires (a code may be in use again)."""
    table = Table()
    table.hosted_by("Ana").leaves()
    assert table.room.deadline() is None
    assert table.room.wake(table.now + 10000) == ()


def test_every_sign_of_life_puts_the_idle_end_off() -> None:
    """Joins, claims, commands, games and answers; a close or a drop is none."""
    table = started()
    for act, puts_off in (
        (lambda: table.ben.answers("a"), True),
        (lambda: table.ben.reacts(), True),
        (lambda: table.ben.drops(), False),
        (lambda: table.ben.claims(), True),
        (lambda: table.player("Dia").joins(), True),
        (lambda: table.ana.restarts(), True),
    ):
        table.after(0.5)
        before = table.room.idle_at
        act()
        assert table.room.idle_at == (table.now + 7200 if puts_off else before)


# ---------- accounts and state


def test_what_an_account_has_passes_to_the_user_who_signs_in() -> None:
    """Seats, the creator's role, watching, response times; sockets stay (spec 1.7, 4001)."""
    table = started()
    ana, ben = table.ana, table.ben
    screen = table.player("screen", account=ana.account).watches()
    table.after(2)
    for player in (ana, ben, screen):
        assert table.happens(MoveAccount(player.account, f"user:{player.name}")) == ()
    assert table.room.creator == "user:Ana"
    ben.account = "user:Ben"
    ben.answers("a")
    assert ben.seat.given.response_s == 2
    ben.drops()
    ben.claims()
    screen.stops()
    assert table.phase == "lobby"
    assert table.happens(MoveAccount("nobody", "user:x")) == ()
    ana.account = "user:Ana"
    ana.leaves()
    ana.comes_back()
    assert ana.is_host


def test_a_room_can_be_saved_and_restored_at_any_moment() -> None:
    """And plays on as if nothing had been (ARCHITECTURE: from_state(to_state()) changes nothing)."""
    logs = []
    for saves in (False, True):
        table = started()

        def save(table: Table = table, saves: bool = saves) -> None:
            if saves:
                table.save_and_restore()

        for act in (
            lambda t: t.player("Dia").joins(),
            lambda t: t.ben.answers("a"),
            lambda t: t.ben.drops(),
            lambda t: t.after(0.1),
            lambda t: t.cleo.reacts(),
            lambda t: t.ana.kicks(t.cleo),
            lambda t: t.after(12),
            lambda t: t.ben.comes_back(),
            lambda t: t.player("screen", account=t.ana.account).watches(),
            lambda t: t.after(60),
            lambda t: t.ana.restarts(),
            lambda t: t.after(60),
        ):
            save()
            act(table)
            save()
        logs.append(table.log)
    assert logs[0] == logs[1]


def test_a_saved_room_is_plain_data() -> None:
    """What JSON can hold."""
    table = started()
    table.ben.answers("a")
    state = to_state(table.room)
    again = msgspec.convert(msgspec.json.decode(msgspec.json.encode(state)), Room)
    assert to_state(again) == state


def test_an_unknown_input_is_our_own_fault() -> None:
    """The match over inputs is complete; something else raises."""
    with pytest.raises(AssertionError):
        started().room.apply("nonsense", 0.0)
