"""How a game runs: commands and their phases, the clock, answers, results, the end."""

import pytest

from gateway.contract import FrameClass
from rooms.core.effects import Loaded, Send
from rooms.core.messages import (
    AnswerAccepted,
    AnswerProgress,
    GameFinished,
    GameStarting,
    GameStopped,
    NewQuestion,
    QuestionResults,
    RoomJoined,
    RoomState,
    YourResult,
)
from rooms.core.questions import SetSource, Svg
from rooms.core.shapes import Breakdown
from tests.rooms.core.kit import Table, question, questions, refused, settled


def started(*asked: object, **settings: object) -> Table:
    """Ana (host), Ben and Cleo at the first question."""
    table = Table(asked)
    table.ana = table.hosted_by("Ana", **settings)
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.ana.starts()
    table.after(3)
    return table


def everybody(table: Table, letter: str = "a") -> None:
    for player in (table.ana, table.ben, table.cleo):
        player.answers(letter)


# ---------- from the lobby to the podium


def test_a_game_runs_from_the_lobby_to_the_podium_by_the_clock() -> None:
    """3 s, then per question its time and 5 s of results (spec 2.2)."""
    table = Table(questions(2))
    ana = table.hosted_by("Ana", seconds_per_question=10)
    table.player("Ben").joins()
    ana.starts()
    seen = []
    for _ in range(3 * 4 + 2 * 4 * 15 + 8):
        if not seen or seen[-1][1] != table.phase:
            seen.append((table.now - 1000, table.phase))
        table.after(0.25)
    assert seen == [
        (0, "starting"),
        (3, "question"),
        (13, "results"),
        (18, "question"),
        (28, "results"),
        (33, "finished"),
    ]


def test_everybody_is_told_each_step() -> None:
    """In the protocol's words, with what is left of the time."""
    table = Table(questions(1))
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ben.forgets()
    ana.starts()
    assert ben.seen == [GameStarting(3000)]
    table.after(3)
    asked = ben.last(NewQuestion)
    assert (asked.question_id, asked.index, asked.total, asked.prompt) == ("q1", 0, 1, "Question 1?")
    assert [choice.id for choice in asked.choices] == ["1a", "1b", "1c", "1d"]
    assert (asked.multiple, asked.duration_ms, asked.remaining_ms, asked.media) == (False, 15000, 15000, None)
    table.after(15)
    results = ben.last(QuestionResults)
    assert (results.question_id, results.correct, results.next_in_ms) == ("q1", ("1a",), 5000)
    assert results.explanation is None
    table.after(5)
    assert ben.last(GameFinished).game_id == table.room.game.id
    assert settled(table)


def test_game_frames_are_critical_and_news_is_not() -> None:
    """Spec 1.5: only roster, progress, settings and reactions may be coalesced or dropped."""
    table = started()
    table.ana.reacts()
    table.ben.answers("a")
    table.after(60)
    table.ana.stops()
    table.ana.sets(locked=True)
    sent = [effect for effect in table.log if isinstance(effect, Send)]
    soft = {
        (type(send.event).__name__, send.frame_class, send.key)
        for send in sent
        if send.frame_class is not FrameClass.CRITICAL
    }
    assert soft == {
        ("Members", FrameClass.COALESCABLE, "members"),
        ("AnswerProgress", FrameClass.COALESCABLE, "progress"),
        ("RoomSettings", FrameClass.COALESCABLE, "settings"),
        ("Reactions", FrameClass.DROPPABLE, None),
    }


def test_one_frame_for_all_is_one_effect() -> None:
    """It is encoded once (spec 1.5)."""
    table = started()
    (asked,) = [e for e in table.log if isinstance(e, Send) and isinstance(e.event, NewQuestion)]
    assert asked.to == (table.ana.conn_id, table.ben.conn_id, table.cleo.conn_id)


def test_a_question_shows_its_own_time_limit_media_and_kind() -> None:
    """A question's time limit wins over the room's setting (spec 2.1)."""
    picture = Svg("<svg/>")
    asked = question(1, time_limit_s=7.5, media=picture, multiple=True, explanation="Because.")
    table = started(asked)
    shown = table.ben.last(NewQuestion)
    assert (shown.duration_ms, shown.remaining_ms, shown.media, shown.multiple) == (7500, 7500, picture, True)
    table.after(7.4)
    assert table.phase == "question"
    table.after(0.1)
    assert table.phase == "results"
    assert table.ben.last(QuestionResults).explanation == "Because."


def test_a_question_ends_when_everybody_has_answered() -> None:
    """At once (spec 2.2)."""
    table = started()
    table.after(2)
    everybody(table)
    assert table.phase == "results"
    assert table.room.until == table.now + 5


def test_the_host_moves_on_from_results_at_once() -> None:
    """NEXT_QUESTION; the old timer does nothing to the new question."""
    table = started()
    everybody(table)
    table.ana.goes_on()
    assert (table.phase, table.question_id) == ("question", "q2")
    table.after(5.5)
    assert (table.phase, table.question_id) == ("question", "q2")


def test_without_auto_advance_only_the_host_moves_on() -> None:
    """From the last results too; nextInMs is null (spec 2.2)."""
    table = started(question(1), auto_advance=False)
    everybody(table)
    assert table.ben.last(QuestionResults).next_in_ms is None
    table.after(3600)
    assert table.phase == "results"
    assert settled(table)
    table.ana.goes_on()
    assert table.phase == "finished"


def test_the_number_of_questions_is_asked_for_and_the_seed_is_passed_on() -> None:
    """A game can be replayed (spec 2.5)."""
    table = Table()
    ana = table.hosted_by("Ana", question_count=2, question_source=SetSource("s"))
    ana.starts()
    (request,) = table.requests
    assert (request.source, request.count, request.seed) == (SetSource("s"), 2, 7)
    table.after(3)
    assert ana.last(NewQuestion).total == 2


# ---------- while questions load


def test_a_game_waits_for_its_questions() -> None:
    """It stays in starting when the countdown is over, and goes on when they are there."""
    table = Table(loads=False)
    ana = table.hosted_by("Ana")
    ana.starts()
    table.after(10)
    assert table.phase == "starting"
    late = table.player("Ben").joins()
    assert late.last(RoomJoined).room.next_in_ms == 0
    table.happens(Loaded(table.requests[0].request_id, questions(1)))
    assert table.phase == "question"
    assert late.saw(NewQuestion)


def test_questions_that_come_early_wait_for_the_countdown() -> None:
    """Three seconds are three seconds."""
    table = Table(loads=False)
    ana = table.hosted_by("Ana")
    ana.starts()
    table.after(1)
    table.happens(Loaded(table.requests[0].request_id, questions(1)))
    assert table.phase == "starting"
    table.after(2)
    assert table.phase == "question"


def test_stale_questions_are_ignored() -> None:
    """Of a game that was stopped or restarted, and those that come twice."""
    table = Table(loads=False)
    ana = table.hosted_by("Ana")
    ana.starts()
    ana.stops()
    first = Loaded(table.requests[0].request_id, questions(1))
    assert table.happens(first) == ()
    ana.starts()
    assert table.happens(first) == ()
    table.happens(Loaded(table.requests[1].request_id, questions(2)))
    table.after(3)
    assert ana.last(NewQuestion).total == 2
    assert table.happens(Loaded(table.requests[1].request_id, questions(3))) == ()
    assert len(table.room.game.questions) == 2


@pytest.mark.parametrize("from_podium", [False, True])
def test_an_empty_question_set_is_told_to_who_started(from_podium: bool) -> None:
    """QUESTION_SET_EMPTY, and everybody is back in the lobby (spec 2.2)."""
    table = Table(questions(1), loads=False)
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ana.starts()
    if from_podium:
        table.happens(Loaded(table.requests[0].request_id, questions(1)))
        table.after(23)
        ana.restarts()
    table.happens(Loaded(table.requests[-1].request_id, ()))
    (refusal,) = table.refusals
    assert (refusal.conn_id, refusal.code, refusal.status) == (ana.conn_id, "QUESTION_SET_EMPTY", 400)
    assert "question set" in refusal.message
    assert refusal.action == ("RESTART_GAME" if from_podium else "START_GAME")
    assert ben.saw(GameStopped)
    assert table.phase == "lobby"
    assert settled(table)


def test_who_left_during_the_countdown_is_remembered_when_there_are_no_questions() -> None:
    """Back in the lobby, seats are kept for two minutes as ever."""
    table = Table(loads=False)
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ana.starts()
    ben.leaves()
    table.happens(Loaded(table.requests[0].request_id, ()))
    assert ben.seat_id in table.room.seats.departed


def test_an_empty_question_set_is_told_to_nobody_who_is_gone() -> None:
    """The starter's socket is dead; the room is back in the lobby all the same."""
    table = Table(loads=False)
    ana = table.hosted_by("Ana")
    table.player("Ben").joins()
    ana.starts()
    ana.drops()
    table.happens(Loaded(table.requests[0].request_id, ()))
    assert table.refusals == []
    assert table.phase == "lobby"


# ---------- answers


def test_an_answer_is_accepted_and_shown_to_nobody_else() -> None:
    """ANSWER_ACCEPTED to the player, progress to all."""
    table = started()
    table.ana.forgets()
    table.ben.forgets()
    table.ben.answers("b")
    assert table.ben.seen == [AnswerAccepted("q1")]
    table.after(0.25)
    assert table.ben.seen[1:] == table.ana.seen == [AnswerProgress(1, 3)]


def test_progress_is_at_most_four_frames_a_second() -> None:
    """However many answer (spec 3)."""
    table = Table()
    ana = table.hosted_by("Ana")
    players = table.joined_by(*(f"P{number}" for number in range(40)))
    ana.starts()
    table.after(3)
    for player in players:
        player.answers("a")
        table.after(0.05)
    assert 4 <= len(ana.saw(AnswerProgress)) <= 2 * 4
    table.after(0.25)
    assert ana.last(AnswerProgress) == AnswerProgress(40, 41)


def test_a_second_answer_is_refused_whatever_it_says() -> None:
    """ALREADY_ANSWERED while the question runs, and after it closed (spec 2.2)."""
    table = started()
    table.ben.answers("a")
    for letter in ("a", "b", "x"):
        with refused(table, "ALREADY_ANSWERED"):
            table.ben.answers(letter)
    table.after(15)
    for _ in ("results", "the next question"):
        with refused(table, "ALREADY_ANSWERED"):
            table.ben.answers("a", question_id="q1")
        table.after(5)
    table.after(60)
    assert table.phase == "finished"
    with refused(table, "ALREADY_ANSWERED"):
        table.ben.answers("a", question_id="q1")


def test_of_160_answers_at_one_moment_one_is_accepted() -> None:
    """Of the 50 that pass the limits; also if the accepted one ends the question (spec 2.2)."""
    for others in (0, 1):
        table = Table()
        ana = table.hosted_by("Ana")
        table.joined_by(*["Ben"] * others)
        ana.starts()
        table.after(3)
        ana.answers("a", question_id="q1")
        for _ in range(49):
            with refused(table, "ALREADY_ANSWERED"):
                ana.answers("a", question_id="q1")
        assert table.phase == ("question" if others else "results")
        assert len(ana.saw(AnswerAccepted)) == 1


def test_an_answer_to_another_question_is_too_late() -> None:
    """QUESTION_CLOSED: the question changed between sending and receiving (spec 2.2)."""
    table = started()
    table.after(15)
    with refused(table, "QUESTION_CLOSED"):
        table.ben.answers("a", question_id="q1")
    table.after(5)
    assert table.question_id == "q2"
    for late in ("q1", "q3", "nonsense"):
        with refused(table, "QUESTION_CLOSED"):
            table.ben.answers("a", question_id=late)
    table.ben.answers("a")
    table.after(60)
    with refused(table, "QUESTION_CLOSED"):
        table.ben.answers("a", question_id="q3")


def test_the_clock_decides_what_is_late() -> None:
    """Not the timer: an answer that is read at the deadline, before the timer fired, is too late."""
    table = started()
    table.after(14.75)
    table.now += 0.25
    with refused(table, "QUESTION_CLOSED"):
        table.ben.answers("a")
    table.now -= 0.001
    table.ben.answers("a")


def test_before_the_first_question_there_is_nothing_to_answer() -> None:
    """INVALID_STATE in the lobby and in the countdown."""
    table = Table()
    ana = table.hosted_by("Ana")
    with refused(table, "INVALID_STATE"):
        ana.answers("a", question_id="q1")
    ana.starts()
    with refused(table, "INVALID_STATE"):
        ana.answers("a", question_id="q1")


def test_who_has_no_seat_answers_nothing() -> None:
    """NOT_IN_ROOM for a watcher and for a stranger."""
    table = started()
    screen = table.player("screen", account=table.ana.account).watches()
    for nobody in (screen, table.player("Stranger")):
        with refused(table, "NOT_IN_ROOM"):
            nobody.answers("a")


def test_choices_must_be_on_offer() -> None:
    """VALIDATION_ERROR names the field, and the answer may be given anew."""
    table = started()
    for letters in (("x",), ("a", "b"), ("a", "a")):
        with refused(table, "VALIDATION_ERROR") as caught:
            table.ben.answers(*letters)
        assert caught.value.details == {"path": "choices"}
    table.ben.answers("a")


# ---------- points and results


def test_points_are_made_at_the_end_of_the_question() -> None:
    """Own result, score and rank; until then nobody's score says who was right."""
    table = started()
    table.after(2)
    table.ben.answers("a")
    table.cleo.answers("b")
    assert [seat.score for seat in table.room.seats.here.values()] == [0, 0, 0]
    table.after(13)
    assert table.ben.last(YourResult) == YourResult(
        "q1", True, 933, Breakdown(933, 0, 0, 2000), total=933, rank=1, streak=1
    )
    nothing = YourResult("q1", False, 0, Breakdown(0, 0, 0, 0), total=0, rank=2, streak=0)
    assert table.ana.last(YourResult) == nothing
    wrong = YourResult("q1", False, 0, Breakdown(0, 0, 0, 2000), total=0, rank=2, streak=0)
    assert table.cleo.last(YourResult) == wrong
    assert table.ben.last(QuestionResults).counts == {"1a": 1, "1b": 1, "1c": 0, "1d": 0, "none": 1}
    assert settled(table)
    assert table.room_member(table.ben).score == 933


def test_who_is_away_at_the_end_of_a_question_finds_its_result_on_return() -> None:
    """Nothing is sent to a seat in grace; the claim shows what it would have seen (spec 2.3)."""
    table = started()
    table.ben.answers("a")
    table.after(14)
    table.ben.drops()
    table.after(1)
    assert table.phase == "results"
    assert table.ben.saw(YourResult) == []
    table.ben.claims()
    assert table.ben.last(YourResult).correct


def test_response_time_runs_from_when_the_account_first_saw_the_question() -> None:
    """A re-send after a reconnect doesn't restart it, nor does another tab of the account (spec 2.4)."""
    table = started()
    tab = table.player("Ben's tab", account=table.ben.account)
    table.ben.drops()
    table.after(3)
    table.ben.claims()
    table.after(1)
    table.ben.answers("a")
    assert table.ben.seat.given.response_s == 4
    table.ana.stops()
    tab.joins()
    table.ana.starts()
    table.after(1)
    tab.drops()
    table.after(2 + 6)
    tab.claims()
    table.after(1)
    tab.answers("a")
    assert tab.seat.given.response_s == 7


def test_who_was_away_when_the_question_came_has_its_time_from_the_return() -> None:
    """First sent means first sent to this account (spec 2.4)."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ana.starts()
    table.after(1)
    ben.drops()
    table.after(2 + 5)
    ben.claims()
    table.after(1)
    ben.answers("a")
    assert ben.seat.given.response_s == 1


def test_the_big_screen_shows_the_question_to_the_hosts_account() -> None:
    """A host whose own tab comes later has seen it there."""
    table = Table()
    ana = table.hosted_by("Ana")
    table.player("Ben").joins()
    ana.starts()
    ana.drops()
    table.player("screen", account=ana.account).watches()
    table.after(3 + 4)
    ana.claims()
    ana.answers("a")
    assert ana.seat.given.response_s == 4


def test_a_big_screen_that_comes_during_a_question_shows_it_to_the_account() -> None:
    """From then on, if the host's own tab was away when the question came."""
    table = Table()
    ana = table.hosted_by("Ana")
    table.player("Ben").joins()
    ana.starts()
    ana.drops()
    table.after(3 + 2)
    table.player("screen", account=ana.account).watches()
    table.after(2)
    ana.claims()
    table.after(1)
    ana.answers("a")
    assert ana.seat.given.response_s == 3


def test_lag_is_credited_up_to_a_quarter_second_and_never_below_zero() -> None:
    """Measured by the server (spec 2.4); None is no credit."""
    table = started(seconds_per_question=10)
    table.after(2)
    table.ana.answers("a", rtt_s=0.1)
    table.ben.answers("a", rtt_s=4.0)
    table.cleo.answers("a", rtt_s=None)
    assert table.ana.last(YourResult).breakdown == Breakdown(905, 0, 100, 1900)
    assert table.ben.last(YourResult).breakdown == Breakdown(913, 0, 250, 1750)
    assert table.cleo.last(YourResult).breakdown == Breakdown(900, 0, 0, 2000)
    table.after(5)
    table.ana.answers("a", rtt_s=0.2)
    assert table.ana.seat.given.response_s == 0


def test_streaks_grow_and_break() -> None:
    """100 more for each right answer in a row; wrong or none resets (spec 2.4)."""
    table = started(*questions(6), scoring="accuracy", streak_bonus=True)
    told = []
    for letter in ("a", "a", "a", "b", "a", ""):
        if letter:
            table.ben.answers(letter)
        table.after(15)
        told.append((table.ben.last(YourResult).points, table.ben.last(YourResult).streak))
        table.after(5)
    assert told == [(1000, 1), (1100, 2), (1200, 3), (0, 0), (1000, 1), (0, 0)]
    assert table.ben.seat.score == 4300
    assert [graded.breakdown.streak for graded in table.ben.seat.graded] == [0, 100, 200, 0, 0]


def test_without_the_setting_a_streak_brings_nothing() -> None:
    """It is counted and shown all the same."""
    table = started(*questions(2), scoring="accuracy")
    for _ in range(2):
        table.ben.answers("a")
        table.after(20)
    assert table.ben.last(YourResult).streak == 2
    assert table.ben.seat.score == 2000


def test_a_streak_breaks_also_while_one_is_away() -> None:
    """A question that came and went without an answer."""
    table = started(*questions(3), scoring="accuracy", streak_bonus=True)
    table.ben.answers("a")
    table.after(20)
    table.ben.leaves()
    table.after(20)
    table.ben.comes_back()
    table.ben.answers("a")
    table.after(15)
    assert table.ben.last(YourResult).points == 1000


def test_order_scores_by_the_order_of_right_answers() -> None:
    """P for the first, half of it for the last of n players (spec 2.4)."""
    table = started(scoring="order")
    table.cleo.answers("a")
    table.ana.answers("b")
    table.ben.answers("a")
    points = [player.last(YourResult).points for player in (table.ana, table.ben, table.cleo)]
    assert points == [0, 750, 1000]


def test_in_order_mode_one_who_left_unanswered_is_no_player_and_one_who_answered_is() -> None:
    """n is the number of those who were asked and are here or answered."""
    table = started(scoring="order")
    table.cleo.leaves()
    table.ana.answers("a")
    table.ben.answers("a")
    assert table.ben.last(YourResult).points == 500
    table.after(5)
    table.ben.answers("a")
    table.ben.leaves()
    table.ana.answers("a")
    assert table.ana.last(YourResult).points == 500


def test_the_order_is_that_of_arrival_also_when_seats_come_and_go() -> None:
    """Not of joining."""
    table = started(scoring="order")
    table.ben.answers("a")
    table.ben.leaves()
    table.cleo.answers("a")
    table.ana.answers("a")
    assert table.cleo.last(YourResult).points == 750
    assert table.ana.last(YourResult).points == 500


def test_ties_share_a_rank() -> None:
    """On the leaderboard and in one's own result; among equals who joined first stands first."""
    table = started(scoring="accuracy")
    table.cleo.answers("a")
    table.ben.answers("a")
    table.ana.answers("b")
    board = table.ben.last(QuestionResults).leaderboard
    assert [(entry.name, entry.score, entry.rank, entry.correct) for entry in board] == [
        ("Ben", 1000, 1, 1),
        ("Cleo", 1000, 1, 1),
        ("Ana", 0, 3, 0),
    ]
    assert [player.last(YourResult).rank for player in (table.ana, table.ben, table.cleo)] == [3, 1, 1]


def test_leaderboards_hold_ten_after_a_question_and_fifty_at_the_end() -> None:
    """Spec 3."""
    table = Table(questions(1), max_players=60)
    ana = table.hosted_by("Ana")
    players = [ana, *table.joined_by(*(f"P{number}" for number in range(54)))]
    ana.starts()
    table.after(3)
    for player in players:
        player.answers("a")
        table.after(0.1)
    assert [entry.rank for entry in ana.last(QuestionResults).leaderboard] == [1, 1, 1, 1, 1, 6, 7, 8, 9, 10]
    table.after(60)
    assert len(ana.last(GameFinished).leaderboard) == 50


def test_a_leaderboard_can_be_kept_for_the_end() -> None:
    """showLeaderboard off: none after questions, the podium is shown."""
    table = started(question(1), show_leaderboard=False)
    everybody(table)
    assert table.ben.last(QuestionResults).leaderboard == ()
    table.after(5)
    assert len(table.ben.last(GameFinished).leaderboard) == 3


def test_progress_of_a_question_is_not_told_in_the_next() -> None:
    """The frame names no question."""
    table = started()
    everybody(table)
    table.ana.goes_on()
    table.ana.forgets()
    table.after(1)
    assert table.ana.saw(AnswerProgress) == []


# ---------- stop, restart, podium


@pytest.mark.parametrize("after_s", [1, 5, 19, 70])
def test_a_stop_leads_back_to_the_lobby_without_scores(after_s: float) -> None:
    """In every phase of a game (spec 2.2)."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ana.starts()
    table.after(3)
    ben.answers("a")
    table.after(after_s - 3) if after_s > 3 else None
    ana.stops()
    assert ben.saw(GameStopped)
    assert (table.phase, table.room.game, table.room.until) == ("lobby", None, None)
    assert (ben.seat.score, ben.seat.graded, ben.seat.given) == (0, [], None)
    assert settled(table)
    table.after(60)
    assert table.phase == "lobby"


@pytest.mark.parametrize("after_s", [1, 5, 19, 70])
def test_a_restart_begins_anew_with_the_same_seats(after_s: float) -> None:
    """From the podium or in mid-game: scores zero, new questions, same seats (spec 2.2)."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ana.starts()
    first = table.room.game.id
    table.after(after_s)
    if table.phase == "question":
        ben.answers("a")
    late = table.player("Cleo").joins()
    ana.restarts()
    assert table.phase == "starting"
    assert table.room.game.id != first
    assert table.members == ["Ana", "Ben", "Cleo"]
    assert settled(table)
    assert [seat.score for seat in table.room.seats.here.values()] == [0, 0, 0]
    table.after(3)
    late.answers("a")
    ben.answers("a")
    assert settled(table)


def test_a_departed_seat_returns_to_a_restarted_game_without_its_score() -> None:
    """Scores are of one game."""
    table = started()
    table.ben.answers("a")
    table.after(15)
    assert table.ben.seat.score > 0
    table.ben.leaves()
    table.ana.restarts()
    table.ben.comes_back()
    assert (table.ben.seat.score, table.ben.seat.graded) == (0, [])


def test_the_podium_is_shown_to_who_reloads_or_comes_late() -> None:
    """As it was when the game ended, whoever left since."""
    table = started(question(1))
    everybody(table)
    table.after(5)
    podium = table.ben.last(GameFinished)
    table.cleo.leaves()
    table.ben.resyncs()
    assert table.ben.last(RoomState).room.finished == podium
    late = table.player("Dia").joins()
    assert late.last(RoomJoined).room.finished == podium
    assert late.last(RoomJoined).room.question is None
    assert late.last(RoomJoined).room.results is None
    assert settled(table)


def test_without_players_a_game_runs_by_its_timers() -> None:
    """A presenter alone may look at the questions."""
    table = Table(questions(1))
    ana = table.hosted_by("Ana", host_plays=False)
    ana.starts()
    table.after(3 + 14.9)
    assert table.phase == "question"
    table.after(0.1 + 5)
    assert ana.last(GameFinished).leaderboard == ()
    assert ana.saw(YourResult) == []


# ---------- whose commands these are


@pytest.mark.parametrize("command", ["starts", "restarts", "stops", "goes_on"])
def test_only_the_host_runs_the_game(command: str) -> None:
    """NOT_HOST for a member, NOT_IN_ROOM for a stranger; a watcher of the host's account may (spec 2.1)."""
    table = started() if command != "starts" else Table()
    if command == "starts":
        table.ana = table.hosted_by("Ana")
        table.ben = table.player("Ben").joins()
    if command == "goes_on":
        table.after(15)
    for nobody, code in ((table.ben, "NOT_HOST"), (table.player("Stranger"), "NOT_IN_ROOM")):
        with refused(table, code):
            getattr(nobody, command)()
    screen = table.player("screen", account=table.ana.account).watches()
    getattr(screen, command)()
    assert table.phase == {"stops": "lobby", "goes_on": "question"}.get(command, "starting")


def test_a_watcher_of_a_former_hosts_account_runs_nothing() -> None:
    """The creator watches on when a pupil became host; the commands are the pupil's."""
    table = started()
    screen = table.player("screen", account=table.ana.account).watches()
    table.ana.leaves()
    with refused(table, "NOT_HOST"):
        screen.stops()
    for player in (table.ben, table.cleo):
        player.leaves()
    assert table.over == "left"


def test_a_watcher_of_an_empty_room_is_no_host() -> None:
    """There is none."""
    table = started()
    screen = table.player("screen", account=table.ana.account).watches()
    for player in (table.ana, table.ben, table.cleo):
        player.drops()
    table.after(10)
    with refused(table, "NOT_HOST"):
        screen.stops()


def test_the_hosts_second_tab_is_a_player_like_others() -> None:
    """The role is the seat's (spec 2.3)."""
    table = started()
    tab = table.player("Ana's tab", account=table.ana.account).joins()
    with refused(table, "NOT_HOST"):
        tab.stops()


def test_other_commands_of_the_host_are_not_a_watchers() -> None:
    """START, STOP, RESTART and NEXT only."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    screen = table.player("screen", account=ana.account).watches()
    for command in (lambda: screen.sets(locked=True), lambda: screen.kicks(ben), lambda: screen.unbans(ben)):
        with refused(table, "NOT_HOST"):
            command()
