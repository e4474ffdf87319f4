"""What is shown to whom, and what is kept: snapshots, the right answer's secrecy, reports."""

import msgspec
import pytest

from rooms.core import view
from rooms.core.effects import IssueSeat, Send
from rooms.core.messages import GameFinished, NewQuestion, QuestionResults, RoomJoined, RoomState
from rooms.core.phases import Phase
from rooms.core.shapes import Breakdown
from tests.rooms.core.kit import Table, question, questions, settled
from tests.rooms.core.model import on_the_wire


def started(*asked: object, **settings: object) -> Table:
    table = Table(asked)
    table.ana = table.hosted_by("Ana", **settings)
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.ana.starts()
    table.after(3)
    return table


# ---------- snapshots


def test_a_snapshot_has_the_fields_of_the_protocol() -> None:
    """camelCase, members with all their fields, what is absent is left out (spec 3)."""
    table = started()
    table.after(1)
    room = on_the_wire(view.snapshot(table.room, table.now))
    assert set(room) == {"roomId", "roomCode", "phase", "settings", "members", "question"}
    assert set(room["members"][0]) == {
        "userId",
        "name",
        "avatar",
        "status",
        "score",
        "joinOrder",
        "isHost",
        "plays",
    }
    assert set(room["question"]) == {
        "type",
        "questionId",
        "index",
        "total",
        "prompt",
        "choices",
        "multiple",
        "durationMs",
        "remainingMs",
    }
    assert room["question"]["remainingMs"] == 14000


def test_a_snapshot_shows_what_its_phase_shows() -> None:
    """The question while it is on and with its results, the podium, a countdown if there is one."""
    table = Table(questions(1))
    table.ana = table.hosted_by("Ana")
    shown = []
    for step in (None, table.ana.starts, None, None, None):
        if step:
            step()
        fresh = view.snapshot(table.room, table.now)
        parts = (fresh.next_in_ms, fresh.question, fresh.results, fresh.finished)
        shown.append((fresh.phase, *(part is not None for part in parts)))
        table.after({"lobby": 0, "starting": 3, "question": 15, "results": 5}.get(table.phase, 0))
    assert shown == [
        ("lobby", False, False, False, False),
        ("starting", True, False, False, False),
        ("question", False, True, False, False),
        ("results", True, True, True, False),
        ("finished", False, False, False, True),
    ]


def test_times_in_a_snapshot_are_what_is_left_of_them() -> None:
    """Never a moment of our clock (spec 2.2); in the results' own frame too."""
    table = started()
    table.ana.stops()
    table.ana.starts()
    table.after(1)
    assert view.snapshot(table.room, table.now).next_in_ms == 2000
    table.after(2 + 15 + 1.5)
    fresh = view.snapshot(table.room, table.now)
    assert (fresh.next_in_ms, fresh.results.next_in_ms) == (3500, 3500)
    assert fresh.question.remaining_ms == 0


def test_time_that_is_over_is_none_and_not_less() -> None:
    """A snapshot taken just before a late timer fires."""
    table = started()
    table.now += 20
    assert view.snapshot(table.room, table.now).question.remaining_ms == 0


def test_you_are_told_your_place_and_your_answer() -> None:
    """Spec 3, `you`; the answer only while its question is on."""
    table = started()
    table.ben.answers("b")
    you = view.you(table.room, table.ben.seat)
    assert (you.user_id, you.is_host, you.score, you.rank, you.waits) == (
        table.ben.seat_id,
        False,
        0,
        1,
        False,
    )
    assert (you.answered.question_id, you.answered.choices) == ("q1", ("1b",))
    table.after(15)
    assert view.you(table.room, table.ben.seat).answered is None


def test_a_token_is_in_no_frame() -> None:
    """Seat ids are public, tokens never are (spec 3)."""
    table = started()
    table.ben.drops()
    table.ben.claims()
    table.after(60)
    for effect in table.log:
        if isinstance(effect, Send | IssueSeat):
            assert b"hash" not in msgspec.json.encode(effect.event)


# ---------- the right answer


def test_the_right_answer_is_in_no_frame_before_its_results() -> None:
    """To nobody: players, host, watcher, returning and late players (spec 2.2).

    Two games that differ only in which choice is right: until results all their frames are equal.
    """
    logs = []
    for right in "ad":
        asked = tuple(
            question(number, correct=frozenset({f"{number}{right}"}), explanation="Because of it.")
            for number in (1, 2)
        )
        table = started(*asked)
        table.player("screen", account=table.ana.account).watches()
        for _ in asked:
            table.ben.answers("b")
            table.ben.drops()
            table.ben.claims()
            table.player("Late").joins()
            table.ana.resyncs()
            table.after(1)
            assert table.phase == "question"
            logs.append((right, [e for e in table.log if isinstance(e, Send | IssueSeat)]))
            table.log.clear()
            table.after(20)
            table.log = [e for e in table.log if isinstance(e, Send) and isinstance(e.event, NewQuestion)]
    for one, other in zip(logs[:2], logs[2:], strict=True):
        assert one[0] != other[0]
        assert one[1] == other[1]


def test_results_name_the_right_answer_in_the_order_of_the_choices() -> None:
    """And explain it."""
    table = started(question(1, correct=frozenset({"1d", "1b"}), multiple=True, explanation="So it is."))
    table.ben.answers("d", "b")
    table.after(15)
    results = table.cleo.last(QuestionResults)
    assert results.correct == ("1b", "1d")
    assert results.explanation == "So it is."
    assert results.counts == {"1a": 0, "1b": 1, "1c": 0, "1d": 1, "none": 2}
    assert table.ben.seat.score > 0


# ---------- the record


def test_a_finished_game_is_reported_whole() -> None:
    """All that a record needs: settings, seed, questions, players, answers with their breakdown."""
    table = started(*questions(2), scoring="accuracy", streak_bonus=True)
    for letters in ("aab", "ab-"):
        for player, letter in zip((table.ana, table.ben, table.cleo), letters, strict=True):
            if letter != "-":
                player.answers(letter)
        table.after(5 if letters == "aab" else 20)
    (report,) = table.reports
    game = table.room.game
    assert (report.game_id, report.room_id, report.room_code) == (game.id, "room", "QUIZ42")
    assert (report.creator, report.host, report.seed) == (table.ana.account, table.ana.account, 7)
    assert report.settings == table.room.settings
    assert report.finished
    assert report.questions == table.asked
    assert report.question_total == 2
    assert report.duration_s == pytest.approx(3 + 5 + 15 + 5)
    rows = [(p.name, p.score, p.correct, p.rank, p.join_order, p.first_question) for p in report.players]
    assert rows == [("Ana", 2100, 2, 1, 0, 0), ("Ben", 1000, 1, 2, 1, 0), ("Cleo", 0, 0, 3, 2, 0)]
    assert [p.account for p in report.players] == [p.account for p in (table.ana, table.ben, table.cleo)]
    assert [(p.seat_id, p.avatar) for p in report.players] == [
        (p.seat.id, p.seat.avatar) for p in (table.ana, table.ben, table.cleo)
    ]
    second = report.answers[1]
    assert (second.seat_id, second.question_id, second.question_index) == (table.ana.seat_id, "q2", 1)
    assert (second.choices, second.correct, second.points) == (("2a",), True, 1100)
    assert second.breakdown == Breakdown(1000, 100, 0, 0)
    assert len(report.answers) == 5
    assert table.ben.last(GameFinished).leaderboard[0].score == report.players[0].score


def test_the_points_of_the_answers_add_up_to_the_score() -> None:
    """For everybody, so a result can be explained."""
    table = started(*questions(3), streak_bonus=True)
    for letters in ("aab", "baa", "aaa"):
        for player, letter in zip((table.ana, table.ben, table.cleo), letters, strict=True):
            table.after(1)
            player.answers(letter)
        table.after(5)
    (report,) = table.reports
    for player in report.players:
        points = [answer.points for answer in report.answers if answer.seat_id == player.seat_id]
        assert sum(points) == player.score
    for answer in report.answers:
        assert answer.points == answer.breakdown.base + answer.breakdown.streak


def test_a_game_that_was_stopped_is_reported_after_a_question() -> None:
    """With the questions that were closed; nothing of the one that was on (spec 2.6)."""
    table = started(*questions(3))
    table.ana.stops()
    assert table.reports == []
    table.ana.starts()
    table.after(3)
    table.ben.answers("a")
    table.after(20)
    table.cleo.answers("a")
    table.ana.stops()
    (report,) = table.reports
    assert (report.finished, report.question_total, len(report.questions)) == (False, 3, 1)
    assert [answer.question_id for answer in report.answers] == ["q1"]


def test_a_game_that_was_restarted_is_reported_like_one_that_was_stopped() -> None:
    """Unless it was finished: then it has been reported."""
    table = started(*questions(1))
    table.ben.answers("a")
    table.after(15)
    table.ana.restarts()
    assert [report.finished for report in table.reports] == [False]
    table.after(30)
    assert [report.finished for report in table.reports] == [False, True]
    table.ana.restarts()
    assert len(table.reports) == 2
    table.after(30)
    table.ana.stops()
    assert [report.finished for report in table.reports] == [False, True, True]
    assert len({report.game_id for report in table.reports}) == 3


def test_who_played_and_departed_is_in_the_report_without_a_rank() -> None:
    """Ranks are those of the podium; who only came by is not in it, nor is a host who presents."""
    table = started(question(1), host_plays=False)
    guest = table.player("Guest").joins()
    guest.leaves()
    table.ben.answers("a")
    table.ben.leaves()
    table.after(20)
    (report,) = table.reports
    assert [(player.name, player.rank) for player in report.players] == [("Cleo", 1), ("Ben", None)]


def test_who_was_away_for_minutes_before_the_end_is_in_the_report() -> None:
    """Departed seats are remembered until the game ends (spec 2.3)."""
    table = started(*questions(2), auto_advance=False)
    table.ben.answers("a")
    table.ben.leaves()
    table.after(15 + 600)
    table.ana.goes_on()
    table.after(15)
    table.ana.goes_on()
    (report,) = table.reports
    assert "Ben" in [player.name for player in report.players]
    assert table.room.seats.departed == {}


def test_a_late_joiner_is_reported_with_its_first_question() -> None:
    """So that the questions before don't count as missed."""
    table = started(*questions(2))
    table.player("Dia").joins()
    table.after(60)
    (report,) = table.reports
    assert [player.first_question for player in report.players] == [0, 0, 0, 1]


def test_a_seat_is_reported_by_its_last_id() -> None:
    """Answers given under an older id are under the new one."""
    table = started(*questions(2))
    table.ben.answers("a")
    table.after(15)
    old = table.ben.seat_id
    table.ben.leaves()
    table.ben.comes_back()
    table.after(60)
    (report,) = table.reports
    assert {answer.seat_id for answer in report.answers} == {table.ben.seat_id} != {old}


def test_names_that_look_like_something_else_are_just_names() -> None:
    """Ranks follow scores, whatever a name looks like."""
    names = ["4242", "0", "-1", "1e3", "constructor", "__proto__", "null"]
    table = Table(questions(1))
    ana = table.hosted_by("Ana", scoring="order")
    players = table.joined_by(*names)
    ana.starts()
    table.after(3)
    for player in reversed(players):
        player.answers("a")
    table.after(20)
    board = ana.last(GameFinished).leaderboard
    assert [entry.name for entry in board] == [*reversed(names), "Ana"]


# ---------- snapshot and deltas


def test_snapshot_and_deltas_show_what_a_fresh_snapshot_would() -> None:
    """A whole evening, each screen built from its own frames only (spec 3)."""
    table = started(*questions(2))
    table.player("screen", account=table.ana.account).watches()
    late = table.player("Dia").joins()
    assert settled(table)
    table.ben.drops()
    table.cleo.leaves()
    assert settled(table)
    table.ben.claims()
    table.cleo.comes_back()
    for player in (table.ana, table.ben, table.cleo):
        player.answers("a")
    assert table.room.phase is Phase.RESULTS
    assert settled(table)
    table.ana.kicks(late)
    table.ana.drops()
    table.after(12)
    assert settled(table)
    table.after(60)
    assert settled(table)
    table.ana.comes_back()
    table.ana.stops()
    table.ana.sets(host_plays=False, question_count=5)
    assert settled(table)
    assert not table.room_member(table.ana).plays


def test_every_snapshot_goes_to_one_connection() -> None:
    """ROOM_JOINED and ROOM_STATE hold `you`."""
    table = started()
    table.ben.drops()
    table.ben.claims()
    for effect in table.log:
        if isinstance(effect, Send) and isinstance(effect.event, RoomState | RoomJoined):
            assert len(effect.to) == 1
