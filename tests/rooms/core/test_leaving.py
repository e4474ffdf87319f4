"""How people go: what each ending does to a seat in each phase, eviction, kick, host's role, room's end."""

from typing import Any

import pytest

from gateway.core.closing import (
    BLOCKED,
    DROPPED,
    GONE_AWAY,
    HEARTBEAT_TIMEOUT,
    KICKED,
    NEW_SESSION_OPENED,
    REPLACING_SOCKET,
    SEAT_ATTACHED_ELSEWHERE,
    SERVICE_RESTART,
    UNAUTHORIZED,
    USER_DISCONNECTED,
    Ending,
)
from rooms.core.effects import Close, Left, RoomOver
from rooms.core.messages import (
    AnswerProgress,
    GameStopped,
    HostChanged,
    Kicked,
    Members,
    RoomClosed,
    RoomState,
    YourResult,
)
from rooms.core.seats import Standing
from rooms.core.shapes import Departure
from tests.rooms.core.kit import Table, questions, refused, settled

ACTIVE = ("starting", "question", "results")
PHASES = ("lobby", *ACTIVE, "finished")


def at(phase: str, **settings: Any) -> Table:
    """Ana (host), Ben and Cleo in a room that has reached ``phase``."""
    table = Table()
    table.ana = table.hosted_by("Ana", **settings)
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.after(1)
    if phase != "lobby":
        table.ana.starts()
        table.after({"starting": 1, "question": 5}.get(phase, 3))
    if phase == "results":
        table.after(table.room.settings.seconds_per_question)
    while phase == "finished" and table.phase != phase:
        if table.phase == "results":
            table.ana.goes_on()
        table.after(1)
    assert table.phase == phase
    return table


# ---------- what an ending means


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    "ending", [USER_DISCONNECTED, GONE_AWAY, BLOCKED, UNAUTHORIZED], ids=lambda e: e.reason
)
def test_an_intentional_close_or_a_block_evicts_at_once(phase: str, ending: Ending) -> None:
    """In any phase, without grace (spec 2.3)."""
    table = at(phase)
    table.ben.drops(ending)
    assert table.members == ["Ana", "Cleo"]
    assert settled(table)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("ending", [DROPPED, HEARTBEAT_TIMEOUT], ids=lambda e: e.reason)
def test_a_disconnect_has_ten_seconds_of_grace_in_a_game_only(phase: str, ending: Ending) -> None:
    """In the lobby and on the podium the seat goes at once (spec 2.3)."""
    table = at(phase, auto_advance=False, seconds_per_question=30)
    table.ben.drops(ending)
    assert table.ben.is_in is (phase in ACTIVE)
    if table.ben.is_in:
        assert table.room_member(table.ben).status == "grace"
        assert settled(table)
        table.after(9.74)
        assert table.ben.is_in
        table.after(0.02)
        assert not table.ben.is_in
    assert settled(table)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("ending", [NEW_SESSION_OPENED, REPLACING_SOCKET], ids=lambda e: e.reason)
def test_a_seat_waits_for_its_successor_in_any_phase(phase: str, ending: Ending) -> None:
    """At most ten seconds, in status grace (spec 1.7, 4000)."""
    table = at(phase)
    table.ben.drops(ending)
    assert table.room_member(table.ben).status == "grace"
    table.after(9.9)
    assert table.ben.is_in
    table.after(0.2)
    assert not table.ben.is_in
    assert settled(table)


def test_a_replaced_socket_frees_nothing_when_its_late_close_comes() -> None:
    """The seat compares connection ids (spec 1.7)."""
    table = at("question")
    old = table.ben.conn_id
    table.ben.claims()
    before = table.room.deadline()
    table.dead.discard(old)
    for ending in (SEAT_ATTACHED_ELSEWHERE, DROPPED, USER_DISCONNECTED):
        assert table.happens(Left(old, ending)) == ()
    assert table.ben.seat.standing is Standing.CONNECTED
    assert table.room.deadline() == before


def test_a_replaced_socket_that_closes_before_the_new_one_attaches_leaves_the_seat_waiting() -> None:
    """Whatever the order, nobody is evicted and no dead socket holds a seat."""
    table = at("lobby")
    table.ben.drops(SEAT_ATTACHED_ELSEWHERE)
    assert table.ben.place.standing is Standing.GRACE
    table.ben.claims()
    assert settled(table)
    table.after(20)
    assert table.ben.is_in


def test_a_restarting_server_keeps_seats() -> None:
    """1012, in any phase, for the thirty seconds that a restart may take (spec 2.3)."""
    table = at("lobby")
    for player in (table.ana, table.ben, table.cleo):
        player.drops(SERVICE_RESTART)
    table.after(29.9)
    assert table.members == ["Ana", "Ben", "Cleo"]
    table.after(0.1)
    assert table.members == []


def test_a_socket_that_is_in_no_seat_frees_none() -> None:
    """A watcher's end is told to nobody; it doesn't get frames any more."""
    table = at("question")
    screen = table.player("screen", account=table.ana.account).watches()
    screen.drops()
    assert table.members == ["Ana", "Ben", "Cleo"]
    table.after(30)


def test_leave_room_leaves_the_socket_free_for_another_room() -> None:
    """LEAVE_ROOM evicts, in any phase; the connection is in no room then."""
    for phase in PHASES:
        table = at(phase)
        table.ben.leaves()
        assert table.members == ["Ana", "Cleo"]
        assert table.room.news.left == [Departure(table.ben.seat_id, "left")]
        assert table.ben.conn_id not in table.inside
        assert table.ben.conn_id not in table.dead
        with refused(table, "NOT_IN_ROOM"):
            table.ben.leaves()


def test_a_watcher_stops_watching() -> None:
    """LEAVE_ROOM from the big screen."""
    table = at("lobby")
    screen = table.player("screen", account=table.ana.account).watches()
    screen.leaves()
    assert screen.conn_id not in table.inside
    assert table.members == ["Ana", "Ben", "Cleo"]


@pytest.mark.parametrize(
    ("ending", "reason"),
    [(USER_DISCONNECTED, "left"), (GONE_AWAY, "left"), (DROPPED, "lost"), (BLOCKED, "lost")],
)
def test_the_others_are_told_why_somebody_is_gone(ending: Ending, reason: Any) -> None:
    """Left by itself, or lost."""
    table = at("lobby")
    table.ben.drops(ending)
    table.after(0.25)
    assert table.ana.last(Members).left == (Departure(table.ben.seat_id, reason),)


def test_grace_that_runs_out_is_a_loss() -> None:
    """Two frames: grace, then gone."""
    table = at("question")
    table.ben.drops()
    table.after(0.25)
    assert table.ana.last(Members).updated[0].status == "grace"
    table.after(11)
    assert table.ana.last(Members).left == (Departure(table.ben.seat_id, "lost"),)


# ---------- disconnects during a question


def test_a_question_does_not_end_early_on_somebody_in_grace() -> None:
    """Members in grace are expected (spec 2.2)."""
    table = at("question")
    table.ben.drops()
    table.ana.answers("a")
    table.cleo.answers("a")
    assert table.phase == "question"
    table.ben.claims()
    table.ben.answers("a")
    assert table.phase == "results"


@pytest.mark.parametrize("way", ["vanishes", "leaves", "is kicked"])
def test_the_eviction_of_the_last_missing_member_ends_the_question(way: str) -> None:
    """At once (spec 2.2)."""
    table = at("question", seconds_per_question=30)
    table.ana.answers("a")
    table.cleo.answers("a")
    if way == "leaves":
        table.ben.leaves()
    elif way == "is kicked":
        table.ana.kicks(table.ben)
    else:
        table.ben.drops()
        assert table.phase == "question"
        table.after(9.9)
        assert table.phase == "question"
        table.after(0.1)
    assert table.phase == "results"
    assert settled(table)


def test_with_nobody_expected_only_the_timer_ends_a_question() -> None:
    """The last player has gone, the presenter is still there (spec 2.2)."""
    table = at("question", host_plays=False)
    table.ben.leaves()
    table.cleo.leaves()
    table.after(0.25)
    assert table.ana.last(AnswerProgress) == AnswerProgress(0, 0)
    table.after(12)
    assert table.phase == "question"
    table.after(1)
    assert table.phase == "results"


def test_progress_follows_who_goes_and_who_comes() -> None:
    """Expected are fewer after an eviction, as many as before after a return."""
    table = at("question")
    table.cleo.answers("a")
    table.ben.leaves()
    table.after(0.25)
    assert table.ana.last(AnswerProgress) == AnswerProgress(1, 2)
    table.ben.comes_back()
    table.after(0.25)
    assert table.ana.last(AnswerProgress) == AnswerProgress(1, 3)


def test_an_answer_survives_a_reconnect_and_cant_be_given_twice() -> None:
    """It is stored by seat (spec 2.2)."""
    table = at("question")
    table.ben.answers("a")
    table.ben.drops()
    table.ben.claims()
    with refused(table, "ALREADY_ANSWERED"):
        table.ben.answers("b")
    table.after(15)
    assert table.ben.last(YourResult).correct


def test_an_answer_survives_an_eviction_and_cant_be_given_twice() -> None:
    """The answer of a departed seat to the running question still counts (spec 2.3)."""
    table = at("question", seconds_per_question=30)
    table.ben.answers("a")
    table.ben.drops()
    table.after(10)
    assert not table.ben.is_in
    table.ben.comes_back()
    with refused(table, "ALREADY_ANSWERED"):
        table.ben.answers("b")
    table.after(30)
    assert table.ben.last(YourResult).correct


def test_an_answer_of_one_who_is_away_at_the_end_counts_when_he_is_back() -> None:
    """Its points, and its place among the counts."""
    table = at("question")
    table.ben.answers("a")
    table.ben.leaves()
    table.after(13)
    assert table.phase == "results"
    assert table.room.game.results.counts == {"1a": 1, "1b": 0, "1c": 0, "1d": 0, "none": 2}
    table.ben.comes_back()
    assert table.ben.seat.score > 900
    assert table.ben.last(YourResult).correct


def test_grace_that_runs_when_the_game_ends_goes_on_to_its_end() -> None:
    """Spec 2.3: on the podium too, and in the lobby after a stop."""
    for end in ("finish", "stop"):
        table = at("results")
        table.after(20 + 20 + 3)
        assert table.phase == "results"
        assert table.room.game.is_last
        table.ben.drops()
        if end == "stop":
            table.ana.stops()
        table.after(9)
        assert table.phase == ("finished" if end == "finish" else "lobby")
        assert table.ben.is_in
        table.after(1)
        assert not table.ben.is_in


@pytest.mark.parametrize("phase", ACTIVE)
def test_grace_can_run_out_in_each_phase_of_a_game(phase: str) -> None:
    """The seat departs, the rest play on."""
    table = at(phase, auto_advance=False)
    table.ben.drops()
    table.after(10.25)
    assert table.members == ["Ana", "Cleo"]
    assert table.is_seen_alike()


def test_a_wake_that_comes_late_gives_held_seats_the_time_back() -> None:
    """Our own standing still must not evict everybody (spec 1.4)."""
    table = at("question", seconds_per_question=30)
    table.ben.drops()
    table.after(9)
    table.cleo.drops()
    table.after(0.5)
    first, second = table.ben.place.until, table.cleo.place.until
    assert table.room.deadline() == first
    table.after_a_stall(5.5)
    assert table.cleo.place.until == second + 5
    assert table.ben.place.until == table.now + 5.2
    table.after(5.1)
    table.ben.claims()
    table.after(10)
    assert table.members == ["Ana", "Ben"]


def test_a_wake_that_is_a_second_late_is_on_time() -> None:
    """Only more than that is a stall."""
    for late, is_in in ((1.0, False), (1.01, True)):
        table = at("question", seconds_per_question=30)
        table.ben.drops()
        table.after(1)
        table.now = table.room.deadline()
        table.after_a_stall(late)
        assert table.ben.is_in is is_in


# ---------- the host


@pytest.mark.parametrize("phase", PHASES)
def test_the_role_passes_on_when_the_host_is_evicted(phase: str) -> None:
    """Exactly one is host: within grace the old one, then the earliest-joined connected member."""
    table = at(phase, auto_advance=False)
    table.ana.drops()
    assert table.ana.is_host is (phase in ACTIVE)
    table.after(10)
    assert table.ben.is_host
    assert table.cleo.last(HostChanged) == HostChanged(table.ben.seat_id)
    assert settled(table)


@pytest.mark.parametrize("phase", ACTIVE)
def test_the_game_can_be_continued_from_every_phase_after_the_host_was_lost(phase: str) -> None:
    """The new host has all of the host's commands."""
    table = at(phase, auto_advance=False)
    table.ana.drops()
    table.after(10)
    if table.phase == "question":
        table.after(15)
    table.ben.goes_on()
    assert table.phase == "question"
    table.ben.stops()
    assert table.cleo.saw(GameStopped)


@pytest.mark.parametrize(
    ("asked", "seconds_in", "then"),
    [(3, 0, "results"), (3, 5, "question"), (1, 5, "finished")],
    ids=["question-results", "results-question", "results-finished"],
)
def test_a_host_lost_between_two_phases_leaves_one_host_and_the_next_phase(
    asked: int, seconds_in: int, then: str
) -> None:
    """Its grace and the phase end at one instant: both happen, and all see both."""
    table = at("starting", seconds_per_question=10)
    table.asked = questions(asked)
    table.ana.restarts()
    table.after(3 + seconds_in)
    table.ana.drops()
    table.after(9.9)
    assert table.phase != then
    assert table.ana.is_host
    table.after(0.1)
    assert table.phase == then
    assert (table.ana.is_in, table.ben.is_host, table.cleo.is_host) == (False, True, False)
    assert settled(table)


def test_a_host_lost_as_the_countdown_ends_leaves_one_host_and_a_question() -> None:
    """The big screen of its account began the game anew; the first question is asked all the same."""
    table = at("question", seconds_per_question=30)
    screen = table.player("screen", account=table.ana.account).watches()
    table.ana.drops()
    table.after(7)
    screen.restarts()
    table.after(2.9)
    assert (table.phase, table.ana.is_host) == ("starting", True)
    table.after(0.1)
    assert table.phase == "question"
    assert (table.ana.is_in, table.ben.is_host, table.cleo.is_host) == (False, True, False)
    assert settled(table)


def test_a_host_in_grace_keeps_the_role() -> None:
    """A short loss of the network changes nobody's screen."""
    table = at("question")
    table.ana.drops()
    table.after(9)
    table.ana.claims()
    assert table.ana.is_host
    assert table.ben.saw(HostChanged) == []


def test_a_connected_member_is_preferred_to_one_in_grace() -> None:
    """A ghost is made host only if there is nobody else (spec 2.3)."""
    table = at("question")
    table.ben.drops()
    table.ana.leaves()
    assert table.cleo.is_host
    table.cleo.leaves()
    assert table.ben.is_host


def test_two_who_go_at_one_moment_pass_the_role_once() -> None:
    """Not by way of the one who goes too."""
    table = at("question", seconds_per_question=30)
    screen = table.player("screen", account=table.ana.account).watches()
    table.cleo.drops()
    table.after(1)
    table.ana.drops()
    table.ben.drops()
    screen.forgets()
    table.after(9)
    assert table.members == ["Ana", "Ben"]
    table.after(1)
    assert table.members == []
    assert table.room.host is None
    assert screen.saw(HostChanged) == []


def test_the_role_is_passed_again_when_the_new_host_goes_too() -> None:
    """Each time to the earliest who is left."""
    table = at("question")
    table.ana.leaves()
    table.ben.leaves()
    assert table.cleo.is_host
    assert table.cleo.saw(HostChanged) == [HostChanged(table.ben.seat_id), HostChanged(table.cleo.seat_id)]


def test_somebody_elses_leaving_changes_no_host() -> None:
    """Nothing is told of the role."""
    table = at("question")
    table.ben.leaves()
    assert table.ana.is_host
    assert table.cleo.saw(HostChanged) == []


# ---------- kick and ban


@pytest.mark.parametrize("phase", PHASES)
def test_a_kicked_player_is_told_and_closed_and_banned(phase: str) -> None:
    """KICKED, then 4005; the ticket is dead, the account may not come back (spec 2.1)."""
    table = at(phase)
    ben = table.ben
    table.ana.kicks(ben)
    assert ben.last(Kicked) == Kicked("banned")
    assert table.ends[ben.conn_id] is KICKED
    assert not ben.ticket_is_good
    assert ben.seat_id not in table.room.seats.departed
    table.after(0.25)
    assert table.cleo.last(Members).left == (Departure(ben.seat_id, "kicked"),)
    with refused(table, "BANNED"):
        ben.comes_back()
    with refused(table, "BANNED"):
        table.player("Benny", account=ben.account).joins()
    assert settled(table)


def test_a_ban_takes_all_seats_of_the_account() -> None:
    """Else a second tab, or a seat that departed, would be a way around it."""
    table = at("question")
    ben = table.ben
    tab = table.player("Ben's tab", account=ben.account).joins()
    gone = table.player("Ben's old tab", account=ben.account).joins()
    gone.drops(GONE_AWAY)
    table.ana.kicks(tab)
    assert table.members == ["Ana", "Cleo"]
    assert ben.last(Kicked) == Kicked("banned")
    assert table.room.seats.departed == {}
    table.ana.unbans(ben)
    assert gone.comes_back().is_in


def test_a_kick_without_ban_only_removes() -> None:
    """The seat goes for good, its account may join anew (spec 2.1)."""
    table = at("question")
    ben = table.ben
    tab = table.player("Ben's tab", account=ben.account).joins()
    ben.answers("a")
    table.ana.kicks(ben, ban=False)
    assert ben.last(Kicked) == Kicked("removed")
    assert table.members == ["Ana", "Cleo", "Ben's tab"]
    assert tab.is_in
    ben.comes_back()
    assert ben.is_in
    assert (ben.seat.score, ben.seat.given) == (0, None)


def test_an_answer_of_a_kicked_player_does_not_count() -> None:
    """Neither in points nor in counts."""
    table = at("question")
    table.ben.answers("a")
    table.ana.kicks(table.ben)
    table.after(15)
    assert table.room.game.results.counts == {"1a": 0, "1b": 0, "1c": 0, "1d": 0, "none": 2}


def test_somebody_in_grace_or_departed_can_be_kicked() -> None:
    """Going away just before it is no protection."""
    table = at("question")
    table.ben.drops()
    table.cleo.leaves()
    table.after(1)
    table.ana.forgets()
    table.ana.kicks(table.ben)
    table.ana.kicks(table.cleo)
    table.after(0.25)
    assert table.ana.last(Members).left == (Departure(table.ben.seat_id, "kicked"),)
    for player in (table.ben, table.cleo):
        with refused(table, "BANNED"):
            player.comes_back()


def test_an_unbanned_player_may_come_again() -> None:
    """UNBAN_USER names the seat that was kicked."""
    table = at("lobby")
    table.ana.kicks(table.ben)
    table.ana.unbans(table.ben)
    with refused(table, "NO_SUCH_MEMBER"):
        table.ana.unbans(table.ben)
    assert table.ben.comes_back().is_in


def test_only_who_exists_can_be_kicked_or_unbanned() -> None:
    """NO_SUCH_MEMBER."""
    table = at("lobby")
    nobody = table.player("Nobody")
    nobody.seat_id = "nobody"
    with refused(table, "NO_SUCH_MEMBER"):
        table.ana.kicks(nobody)
    with refused(table, "NO_SUCH_MEMBER"):
        table.ana.unbans(table.ben)


def test_neither_the_creator_nor_the_host_can_be_kicked() -> None:
    """The creator's account is safe in all its seats (spec 2.1); a host leaves by leaving."""
    table = at("lobby")
    tab = table.player("Ana's tab", account=table.ana.account).joins()
    table.ana.drops(GONE_AWAY)
    assert table.ben.is_host
    for safe in (tab, table.ben):
        with refused(table, "INVALID_STATE"):
            table.ben.kicks(safe)
    with refused(table, "INVALID_STATE"):
        table.ben.kicks(table.ana, ban=False)


# ---------- the end of the room


@pytest.mark.parametrize("way", ["LEAVE_ROOM", "1000"])
def test_a_room_whose_last_player_left_on_purpose_is_gone_at_once(way: str) -> None:
    """Spec 2.1; whoever watches is told."""
    table = at("lobby")
    screen = table.player("screen", account=table.ana.account).watches()
    table.ben.drops()
    table.cleo.leaves()
    assert table.over is None
    table.ana.leaves() if way == "LEAVE_ROOM" else table.ana.closes()
    assert table.over == "left"
    assert screen.last(RoomClosed) == RoomClosed("left")
    assert table.inside == {}
    assert table.room.deadline() is None


@pytest.mark.parametrize("ending", [GONE_AWAY, DROPPED, BLOCKED], ids=lambda e: str(e.code))
def test_a_room_that_emptied_otherwise_waits_two_minutes(ending: Ending) -> None:
    """For its people to return (spec 2.1); a watcher keeps no room alive."""
    table = at("lobby")
    screen = table.player("screen", account=table.ana.account).watches()
    for player in (table.ana, table.ben, table.cleo):
        player.drops(ending)
    assert table.members == []
    table.after(119.9)
    assert table.over is None
    table.after(0.1)
    assert table.over == "empty"
    assert screen.last(RoomClosed) == RoomClosed("empty")


def test_a_room_that_emptied_is_there_for_who_returns() -> None:
    """With their seats; the alarm is off then."""
    table = at("lobby")
    for player in (table.ana, table.ben, table.cleo):
        player.drops(GONE_AWAY)
    table.after(100)
    table.ben.comes_back()
    assert table.ben.seat.join_order == 1
    assert table.ben.is_host
    table.after(600)
    assert table.over is None


def test_a_leave_on_purpose_ends_no_room_that_somebody_is_in_grace_in() -> None:
    """The seat is held; when it is lost too, the room emptied otherwise."""
    table = at("question", seconds_per_question=30)
    table.ben.drops()
    table.cleo.leaves()
    table.ana.leaves()
    assert table.over is None
    table.after(10)
    assert table.members == []
    table.after(119)
    assert table.over is None
    table.after(1)
    assert table.over == "empty"


def test_an_idle_room_is_closed_with_a_notice() -> None:
    """Two hours after the last command (spec 2.1)."""
    table = at("lobby")
    table.after(3600)
    table.ben.reacts()
    table.after(7199)
    assert table.over is None
    table.after(1)
    assert table.over == "idle"
    for player in (table.ana, table.ben, table.cleo):
        assert player.last(RoomClosed) == RoomClosed("idle")
    assert table.inside == {}
    assert (table.members, table.room.deadline()) == ([], None)


def test_a_watcher_keeps_no_room_alive() -> None:
    """Its coming and going is no sign of life (spec 2.1)."""
    table = at("lobby")
    idle_at = table.room.idle_at
    screen = table.player("screen", account=table.ana.account).watches()
    screen.resyncs()
    screen.drops()
    assert table.room.idle_at == idle_at
    table.ana.reacts()
    assert table.room.idle_at > idle_at


def test_the_staff_may_close_a_room() -> None:
    """Everybody is told, nobody is in it any more; late messages of its timers do nothing."""
    table = at("question")
    table.ana.tell(Close())
    assert table.over == "closed"
    assert table.ben.last(RoomClosed) == RoomClosed("closed")
    assert table.inside == {}
    assert table.room.wake(table.now + 1000) == ()


def test_a_game_that_was_on_is_kept_when_its_room_ends() -> None:
    """If at least one question of it was closed (spec 2.6)."""
    table = at("results")
    table.ana.tell(Close())
    (report,) = table.reports
    assert not report.finished
    assert [player.name for player in report.players] == ["Ana", "Ben", "Cleo"]
    for phase in ("lobby", "starting", "question", "finished"):
        other = at(phase)
        kept = len(other.reports)
        other.ana.tell(Close())
        assert len(other.reports) == kept


def test_a_game_that_everybody_left_on_purpose_is_kept() -> None:
    """The room is gone at once, the report is not."""
    for way in ("leaves", "closes"):
        table = at("results")
        for player in (table.ana, table.ben, table.cleo):
            getattr(player, way)()
        assert table.over == "left"
        (report,) = table.reports
        assert report.duration_s == 3 + 15
        assert len(report.questions) == 1


@pytest.mark.parametrize(("way", "waited"), [("empty", 120), ("idle", 7200)])
def test_a_game_whose_room_ends_by_itself_is_kept(way: str, waited: float) -> None:
    """Whether everybody was lost, or sat there for two hours without a word."""
    table = at("results", auto_advance=False)
    waited_before = table.now - table.room.game.started_at
    if way == "empty":
        for player in (table.ana, table.ben, table.cleo):
            player.drops(GONE_AWAY)
    table.after(waited)
    assert table.over == way
    (report,) = table.reports
    assert not report.finished
    assert report.duration_s == (waited_before + waited if way == "empty" else waited)


def test_a_game_goes_on_in_an_empty_room_until_it_ends() -> None:
    """Nobody is sent anything; who returns finds it where it is."""
    table = at("question")
    for player in (table.ana, table.ben, table.cleo):
        player.drops(GONE_AWAY)
    table.after(20)
    assert table.phase == "question"
    assert table.room.game.index == 1
    table.ben.comes_back()
    table.ben.answers("a")
    assert table.phase == "results"


def test_the_last_effect_of_a_room_is_its_end() -> None:
    """What comes after it would go to a room that the shell has forgotten."""
    table = at("lobby")
    for player in (table.ben, table.cleo, table.ana):
        player.leaves()
    assert table.log[-1] == RoomOver("left")


def test_a_resync_makes_a_slow_reader_whole() -> None:
    """ROOM_STATE, with `you` for a member and without for a watcher, to it alone (spec 3)."""
    table = at("question")
    table.ben.answers("b")
    screen = table.player("screen", account=table.ana.account).watches()
    for reader in (table.ana, table.ben, screen):
        reader.forgets()
    table.ben.resyncs()
    (state,) = table.ben.seen
    assert isinstance(state, RoomState)
    assert state.you is not None
    assert (state.you.user_id, state.you.answered.question_id) == (table.ben.seat_id, "q1")
    screen.resyncs()
    (state,) = screen.seen
    assert state.you is None
    assert table.ana.seen == []


def test_a_resync_of_a_stranger_is_nothing() -> None:
    """Its socket left in between."""
    table = at("lobby")
    table.ben.forgets()
    table.ben.resyncs()
    assert len(table.ben.saw(RoomState)) == 1
    table.ben.leaves()
    table.ben.resyncs()
    assert len(table.ben.saw(RoomState)) == 1
