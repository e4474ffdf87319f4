"""Rooms after a restart: seats are held for all, and the game's clock stands still meanwhile (spec 2.3)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from gateway.core.closing import SERVICE_RESTART
from rooms.core import snapshot
from rooms.core.effects import Left, LoadQuestions
from rooms.core.messages import Members, NewQuestion, QuestionResults, RoomState, YourResult
from rooms.core.rules import RESTART_HOLD_S, RESTART_PAUSE_S
from tests.rooms.core.kit import Table, questions, refused, settled
from tests.rooms.core.restarts import restart
from tests.rooms.core.test_machine import Rooms


@pytest.fixture
def table() -> Table:
    """A host and two players."""
    made = Table()
    made.ana = made.hosted_by("Ana", seconds_per_question=15)
    made.ben, made.cleo = made.joined_by("Ben", "Cleo")
    return made


@pytest.fixture
def asked(table: Table) -> Table:
    """The first question, four seconds old."""
    table.ana.starts()
    table.after(3 + 4)
    return table


def everybody(table: Table) -> list[Any]:
    return [table.ana, table.ben, table.cleo]


def left_ms(state: RoomState) -> int:
    assert state.room.question is not None
    return state.room.question.remaining_ms


# ---------- seats


@pytest.mark.parametrize("active", [False, True])
def test_every_member_is_held_for_30_seconds_from_the_restart(table: Table, active: bool) -> None:
    """In the lobby too, where a drop would cost the seat at once."""
    if active:
        table.ana.starts()
        table.after(4)
    restart(table)
    assert [seat.standing.value for seat in table.room.seats.here.values()] == ["grace"] * 3
    table.after(RESTART_HOLD_S - 0.5)
    assert table.members == ["Ana", "Ben", "Cleo"]
    table.after(1)
    assert table.members == []


def test_a_seat_that_was_in_grace_is_held_anew(asked: Table) -> None:
    """Its owner could not come back while there was no server."""
    asked.ben.drops()
    asked.after(9)
    restart(asked)
    asked.after(20)
    assert asked.ben.is_in
    assert asked.ben.claims().is_in


def test_a_ticket_from_before_opens_its_seat(table: Table) -> None:
    """And nobody else's."""
    restart(table)
    for player in everybody(table):
        assert player.claims().last(RoomState).you.user_id == player.seat_id
    assert table.ana.is_host
    assert settled(table)


def test_a_departed_seat_and_a_ban_are_remembered(table: Table) -> None:
    """One who went before the restart still finds the score, one who was banned still does not come in."""
    table.ana.kicks(table.cleo)
    table.ana.starts()
    table.after(4)
    table.ben.answers("a")
    table.ben.drops()
    table.after(10)
    assert not table.ben.is_in
    restart(table)
    table.ana.claims()
    assert table.ben.comes_back().seat.given is not None
    table.cleo.opens_a_socket()
    with refused(table, "BANNED"):
        table.cleo.joins()


def test_a_room_without_members_goes_on_as_it_was(table: Table) -> None:
    """It waits for its people, no longer than it would have."""
    for player in everybody(table):
        player.drops()
    table.after(100)
    restart(table)
    table.after(19)
    assert table.over is None
    table.after(2)
    assert table.over == "empty"


def test_a_game_without_members_does_not_stand_still(asked: Table) -> None:
    """Nobody is waited for."""
    for player in everybody(asked):
        player.drops()
    asked.after(10)
    assert asked.members == []
    until = asked.room.until - asked.now
    restart(asked)
    assert asked.room.pause is None
    assert asked.room.until - asked.now == pytest.approx(until)


def test_who_watched_has_to_watch_again(table: Table) -> None:
    """A watcher has no seat that could be held; it keeps the right to watch."""
    screen = table.player("screen", table.ana.account).watches()
    restart(table)
    assert table.room.watchers == {}
    screen.opens_a_socket()
    assert screen.watches().last(RoomState).you is None


# ---------- the clock


def test_the_clock_stands_still_until_the_last_one_is_back(asked: Table) -> None:
    """All have as much time as they had, whoever comes first."""
    restart(asked)
    asked.after(2)
    assert left_ms(asked.ana.claims().last(RoomState)) == 11_000
    asked.after(3)
    assert left_ms(asked.ben.claims().last(RoomState)) == 11_000
    asked.after(1)
    asked.cleo.claims()
    asked.after(10.9)
    assert asked.phase == "question"
    asked.after(0.2)
    assert asked.phase == "results"


def test_when_the_clock_runs_again_everybody_is_told_what_is_left(asked: Table) -> None:
    """Those who came first have counted down on their own since."""
    restart(asked)
    asked.ana.claims()
    asked.ben.claims()
    asked.after(5)
    asked.ana.forgets()
    asked.cleo.claims()
    assert [left_ms(state) for state in asked.ana.saw(RoomState)] == [11_000]
    assert asked.ana.last(RoomState).you.user_id == asked.ana.seat_id


def test_nobody_is_waited_for_longer_than_10_seconds(asked: Table) -> None:
    """One phone that is off must not stop a class."""
    restart(asked)
    asked.ana.claims()
    asked.after(RESTART_PAUSE_S)
    assert left_ms(asked.ana.last(RoomState)) == 11_000
    asked.after(10.9)
    assert asked.phase == "question"
    asked.after(0.2)
    assert asked.phase == "results"


def test_one_who_is_kicked_or_leaves_is_not_waited_for(asked: Table) -> None:
    """The last missing one is gone: the others go on."""
    restart(asked)
    asked.ana.claims()
    asked.ben.claims()
    assert asked.room.pause is not None
    asked.ana.kicks(asked.cleo)
    assert asked.room.pause is None


def test_the_standstill_is_no_part_of_a_response_time(asked: Table) -> None:
    """Four seconds before, none while it stood, three after: seven, for who answers after the last came back;
    four for who answers while it stands.
    """
    restart(asked)
    asked.ana.claims()
    asked.after(6)
    asked.ana.answers("a")
    asked.ben.claims()
    asked.cleo.claims()
    asked.after(3)
    asked.ben.answers("a")
    asked.cleo.answers("b")
    spent = [player.last(YourResult).breakdown.response_ms for player in everybody(asked)]
    assert spent == [4_000, 7_000, 7_000]


def test_a_question_that_all_have_answered_ends_while_the_clock_stands(asked: Table) -> None:
    """And its results are shown for their whole time from when it runs again."""
    asked.ana.answers("a")
    asked.cleo.answers("a")
    restart(asked)
    asked.ben.claims()
    asked.after(1)
    asked.ben.answers("b")
    assert asked.ben.last(QuestionResults).next_in_ms == 5_000
    asked.after(4)
    asked.ana.claims()
    asked.cleo.claims()
    assert asked.ana.last(RoomState).room.next_in_ms == 5_000
    asked.after(4.9)
    assert asked.phase == "results"
    asked.after(0.2)
    assert asked.phase == "question"


def test_the_countdown_stands_still_too(table: Table) -> None:
    """The first question must not be asked to an empty room."""
    table.ana.starts()
    table.after(1)
    restart(table)
    table.after(9)
    assert table.phase == "starting"
    for player in everybody(table):
        player.claims()
    assert table.ana.last(RoomState).room.next_in_ms == 2_000
    table.after(2)
    assert table.phase == "question"


def test_a_game_started_while_the_clock_stands_waits_like_the_old_one(asked: Table) -> None:
    """The host is back first and starts over: the others have not missed anything."""
    restart(asked)
    asked.ana.claims()
    asked.after(2)
    asked.ana.restarts()
    asked.after(7)
    assert asked.phase == "starting"
    asked.ben.claims()
    asked.cleo.claims()
    asked.after(3)
    assert asked.ben.last(NewQuestion).remaining_ms == 15_000


def test_results_that_only_the_host_moves_on_stay(table: Table) -> None:
    """Without a clock there is nothing to say when everybody is back."""
    table.ana.sets(auto_advance=False)
    table.ana.starts()
    table.after(3)
    for player in everybody(table):
        player.answers("a")
    restart(table)
    table.ana.claims()
    table.ana.forgets()
    table.ben.claims()
    table.cleo.claims()
    assert table.ana.saw(RoomState) == []
    assert table.phase == "results"


def test_a_second_restart_while_the_clock_stands_takes_nothing(asked: Table) -> None:
    """A deploy that is rolled back at once."""
    restart(asked)
    asked.ana.claims()
    asked.after(3)
    restart(asked, now=9_000.0)
    asked.after(2)
    for player in everybody(asked):
        player.claims()
    assert left_ms(asked.ana.last(RoomState)) == 11_000
    asked.after(1)
    asked.ana.answers("a")
    assert asked.room.seats.find(asked.ana.seat_id).given.response_s == pytest.approx(5.0)


def test_time_that_passed_unsaved_has_passed(asked: Table) -> None:
    """A question of which only the clock moved on is not packed again; what is left is right all the same."""
    restart(asked, lost_s=0.0)
    for player in everybody(asked):
        player.claims()
    before = left_ms(asked.ana.last(RoomState))
    saved_at = asked.now
    asked.after(2)
    restart(asked, lost_s=asked.now - saved_at)
    assert left_ms(asked.ana.claims().last(RoomState)) == before - 2_000


# ---------- what was on its way


def test_questions_that_were_being_drawn_are_drawn_again() -> None:
    """The process that had asked for them is gone; the same seed draws the same."""
    table = Table(asked=questions(2), loads=False)
    table.ana = table.hosted_by("Ana")
    table.ana.starts()
    (first,) = table.requests
    table.after(3)
    table.loads = True
    restart(table)
    again: LoadQuestions = table.requests[-1]
    assert again == first
    assert len(table.requests) == 2
    table.ana.claims()
    assert table.phase == "question"


def test_a_game_that_has_its_questions_asks_for_none(asked: Table) -> None:
    """They are in the snapshot."""
    restart(asked)
    assert len(asked.requests) == 1
    assert asked.question_id == "q1"


def test_an_answer_that_was_saved_counts_and_one_that_was_not_can_be_given(asked: Table) -> None:
    """The state tells each player which of its answers counted."""
    asked.ana.answers("a")
    restart(asked)
    assert asked.ana.claims().last(RoomState).you.answered.question_id == "q1"
    with refused(asked, "ALREADY_ANSWERED"):
        asked.ana.answers("b")
    assert asked.ben.claims().last(RoomState).you.answered is None
    asked.ben.answers("a")


def test_the_socket_of_before_frees_nothing(asked: Table) -> None:
    """Its end is told by nobody any more; if it were, the seat is held and not by it."""
    before = asked.ana.conn_id
    restart(asked)
    asked.ana.claims()
    asked.room.apply(Left(before, SERVICE_RESTART), asked.now)
    assert asked.ana.is_in
    assert asked.ana.seat.conn_id == asked.ana.conn_id


def test_those_who_are_back_see_the_others_come(table: Table) -> None:
    """As after any drop."""
    restart(table)
    table.ana.claims()
    table.ana.forgets()
    table.ben.claims()
    table.after(0.25)
    (change,) = table.ana.saw(Members)
    assert [(member.user_id, member.status) for member in change.updated] == [
        (table.ana.seat_id, "connected"),
        (table.ben.seat_id, "connected"),
    ]


# ---------- everything, in any order


class RestartedRooms(Rooms):
    """What holds for rooms holds for rooms whose process is replaced again and again."""

    @precondition(lambda self: self.open)
    @rule(now=st.sampled_from([8.0, 1024.0, 2.0**20]))
    def restart(self, now: float) -> None:
        """At any moment, onto any clock."""
        restart(self.table, now)

    @invariant()
    def what_is_packed_again_and_again_is_the_room(self) -> None:
        """Whatever the packer has encoded before: nothing of it is stale."""
        if getattr(self, "packed", None) is not self.table:
            self.packed, self.packer = self.table, snapshot.Packer()
        room, now = self.table.room, self.table.now
        data = self.packer.pack(room, now)
        assert snapshot.unpack(data, snapshot.Head(wall=0.0, clock=now), 0.0).room == snapshot.moved_room(
            room, -now
        )


TestRestartedRooms = RestartedRooms.TestCase
TestRestartedRooms.settings = settings(
    max_examples=30, stateful_step_count=120, deadline=None, suppress_health_check=list(HealthCheck)
)
