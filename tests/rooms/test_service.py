"""The quiz on the gateway, on a virtual clock: what the shell adds to the rules of the rooms."""

import json
import logging
from typing import Any

import pytest
from django.test import override_settings

from gateway import conf
from gateway.admission import Attempt, parse_query
from gateway.core import closing
from gateway.core.closing import Ending
from gateway.runtime import Admission, Runtime
from gateway.testing import RecordingPort, VirtualClock
from rooms import conf as rooms_conf
from rooms.service import QuizGame


class Site:
    """The real runtime with the real quiz."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.runtime = Runtime(QuizGame, conf.build({"SESSION_CAP": 50}), self.clock)

    def opens(self, session: str = "s", query: str = "") -> "Tab":
        """Somebody's tab."""
        return Tab(self, session, query)


class Tab:
    """One socket."""

    def __init__(self, site: Site, session: str, query: str) -> None:
        self.site = site
        self.port = RecordingPort()
        attempt = Attempt(session, f"session:{session}", "203.0.113.9", "Firefox", parse_query(query))
        admission = site.runtime.admit(attempt)
        assert isinstance(admission, Admission), admission
        self.admission = admission
        self.socket = site.runtime.accept(admission, self.port)
        site.runtime.open(admission, self.socket)

    def says(self, type_: str, **fields: Any) -> "Tab":
        """Send one command."""
        self.socket.received(json.dumps({"type": type_, **fields}).encode())
        return self

    def last(self, type_: str) -> dict[str, Any]:
        """The newest frame of a type."""
        return next(frame for frame in reversed(self.port.sent) if frame["type"] == type_)

    def creates(self, **settings: Any) -> dict[str, Any]:
        """Create a room; the ROOM_JOINED that answers it."""
        self.says("CREATE_ROOM", name="Ana", settings=settings)
        return self.last("ROOM_JOINED")

    def gone(self, ending: Ending = closing.DROPPED) -> None:
        """The transport ends, the slot is released."""
        self.site.runtime.close(self.admission, self.socket, ending)
        self.site.runtime.release(self.admission)


def ticket(joined: dict[str, Any]) -> str:
    """The query string that claims the seat of a ROOM_JOINED."""
    return (
        f"roomId={joined['room']['roomId']}&playerSeatId={joined['seatId']}"
        f"&reconnectToken={joined['reconnectToken']}"
    )


@pytest.fixture
def site() -> Site:
    """A site with no rooms."""
    return Site()


def test_a_room_is_created_with_a_code_a_seat_and_a_token(site: Site) -> None:
    """The token is handed out once, with 256 bits of randomness; the code is typed by people."""
    joined = site.opens().creates()
    assert len(joined["room"]["roomCode"]) == 6
    assert len(joined["reconnectToken"]) >= 43
    assert joined["you"]["isHost"] is True


def test_a_token_leaves_the_server_once_and_stays_nowhere(site: Site) -> None:
    """Only its hash is kept: neither the rooms' state nor a later frame holds it."""
    ana = site.opens()
    token = ana.creates()["reconnectToken"]
    site.opens("t").says("JOIN_ROOM", roomCode=ana.last("ROOM_JOINED")["room"]["roomCode"], name="Ben")
    site.clock.advance(1)
    sent = [json.dumps(frame) for frame in ana.port.sent]
    assert sum(token in text for text in sent) == 1
    game = site.runtime.game
    assert isinstance(game, QuizGame)
    assert token not in repr(game._lobby)


def test_a_whole_game_runs_on_its_own_clock(site: Site) -> None:
    """Countdown, questions, results and podium follow one another without anybody doing anything."""
    ana = site.opens()
    ana.creates(questionCount=2, secondsPerQuestion=10)
    ana.says("START_GAME")
    for _ in range(40):
        site.clock.advance(1)
        answer_heartbeats(ana)
    told = [
        name for name in ana.port.types() if name in {"NEW_QUESTION", "QUESTION_RESULTS", "GAME_FINISHED"}
    ]
    assert told == ["NEW_QUESTION", "QUESTION_RESULTS"] * 2 + ["GAME_FINISHED"]


def test_a_question_shows_a_flag_and_four_choices_and_no_answer(site: Site) -> None:
    """The flag travels inside the question, and what is right does not (spec 2.2, 2.5)."""
    ana = site.opens()
    ana.creates()
    ana.says("START_GAME")
    site.clock.advance(3.1)
    question = ana.last("NEW_QUESTION")
    assert question["media"]["kind"] == "svg"
    assert len(question["choices"]) == 4
    assert "correct" not in json.dumps(question)


def test_a_dropped_player_claims_its_seat_back_mid_game(site: Site) -> None:
    """The ticket of ROOM_JOINED opens the same seat, with the full state and the player's own answer."""
    ana, ben = site.opens("a"), site.opens("b")
    code = ana.creates()["room"]["roomCode"]
    joined = ben.says("JOIN_ROOM", roomCode=code, name="Ben").last("ROOM_JOINED")
    ana.says("START_GAME")
    site.clock.advance(3.1)
    question = ben.last("NEW_QUESTION")
    choice = question["choices"][0]["id"]
    ben.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])
    ben.gone()
    site.clock.advance(3)
    back = site.opens("b", ticket(joined))
    assert back.port.sent[0]["userId"] == joined["seatId"]
    state = back.last("ROOM_STATE")
    assert state["you"]["answered"] == {"questionId": question["questionId"], "choices": [choice]}
    assert 0 < state["room"]["question"]["remainingMs"] < 15_000


def test_another_accounts_ticket_is_refused(site: Site) -> None:
    """A stolen ticket is worth nothing in another browser."""
    joined = site.opens("a").creates()
    thief = Attempt("b", "session:b", "203.0.113.9", "Firefox", parse_query(ticket(joined)))
    refusal = site.runtime.admit(thief)
    assert getattr(refusal, "code", None) == "forbidden"


def test_a_room_that_is_over_takes_its_alarm_and_its_code_along(site: Site) -> None:
    """Nothing of it is left in memory (spec 2.1: the last player left on purpose)."""
    ana = site.opens()
    code = ana.creates()["room"]["roomCode"]
    ana.says("LEAVE_ROOM")
    game = site.runtime.game
    assert isinstance(game, QuizGame)
    assert (game._lobby.rooms, game._lobby.codes, game._alarms) == ({}, {}, {})
    ana.says("JOIN_ROOM", roomCode=code, name="Ana")
    assert ana.last("ERROR")["code"] == "ROOM_NOT_FOUND"


def no_teachers(name: str) -> bool:
    """A site's own rule about names."""
    return "teacher" not in name.lower()


def test_a_name_that_the_site_does_not_welcome_is_refused_when_creating_and_joining() -> None:
    """``ROOMS["NAME_FILTER"]`` sees the clean name; nothing happens to the room."""
    with override_settings(ROOMS={"NAME_FILTER": f"{__name__}.no_teachers"}):
        site = Site()
    ana = site.opens("a").says("CREATE_ROOM", name="Ｔeacher")
    assert (ana.last("ERROR")["code"], ana.last("ERROR")["details"]["action"]) == (
        "NAME_INVALID",
        "CREATE_ROOM",
    )
    code = ana.creates()["room"]["roomCode"]
    ben = site.opens("b").says("JOIN_ROOM", roomCode=code, name="the teacher")
    assert ben.last("ERROR")["code"] == "NAME_INVALID"
    assert ben.says("JOIN_ROOM", roomCode=code, name="Ben").last("ROOM_JOINED")["you"]["isHost"] is False


def test_a_filter_that_cannot_be_imported_is_named_by_the_check() -> None:
    """Before the first player meets it."""
    assert ["nowhere" in str(fault) for fault in rooms_conf.faults({"NAME_FILTER": "nowhere.at_all"})] == [
        True
    ]


def test_wrong_codes_are_limited_for_the_address_but_right_ones_are_not(site: Site) -> None:
    """300 wrong guesses a minute behind one address, however many accounts make them; then nobody there may
    join.
    """
    code = site.opens("host").creates()["room"]["roomCode"]
    for number in range(15):
        guesser = site.opens(f"g{number}")
        for _ in range(20):
            guesser.says("JOIN_ROOM", roomCode="ZZZZZZ", name="Guesser")
        assert guesser.last("ERROR")["code"] == "ROOM_NOT_FOUND"
    late = site.opens("late").says("JOIN_ROOM", roomCode=code, name="Late")
    assert late.last("ERROR")["code"] == "RATE_LIMIT_EXCEEDED"
    site.clock.advance(late.last("ERROR")["details"]["retryAfter"])
    in_time = site.opens("late").says("JOIN_ROOM", roomCode=code, name="Late")
    assert in_time.last("ROOM_JOINED")["you"]["isHost"] is False


def test_a_stop_tells_everybody_in_a_room_when_to_come_back(site: Site) -> None:
    """Each with a time of its own, so that not everybody knocks at once; then 1012."""
    ana, ben = site.opens("a"), site.opens("b")
    code = ana.creates()["room"]["roomCode"]
    ben.says("JOIN_ROOM", roomCode=code, name="Ben")
    site.runtime.drain(lambda: None)
    for tab in (ana, ben):
        assert 1000 <= tab.last("SERVER_RESTARTING")["retryAfterMs"] < 2000
        assert tab.port.closed is not None
        assert tab.port.closed.code == 1012


def test_nobody_is_told_the_right_answer_before_results(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A whole game as host, player, watcher and one who comes back: until its results a question's answer is
    in no frame and no log line, neither by its name in a drawing nor by any field (spec 2.2).
    """
    caplog.set_level(logging.DEBUG)
    ana, ben, screen = site.opens("a"), site.opens("b"), site.opens("a")
    room = ana.creates(questionCount=3, secondsPerQuestion=10)["room"]
    joined = ben.says("JOIN_ROOM", roomCode=room["roomCode"], name="Ben").last("ROOM_JOINED")
    screen.says("WATCH_ROOM", roomCode=room["roomCode"])
    ana.says("START_GAME")
    tabs = [ana, ben, screen]
    for number in range(3):
        site.clock.advance(3.1 if number == 0 else 5.1)
        answer_heartbeats(ana)
        answer_heartbeats(screen)
        question = ana.last("NEW_QUESTION")
        ben.gone()
        ben = site.opens("b", ticket(joined))
        tabs.append(ben)
        before = [list(tab.port.sent) for tab in tabs]
        logged = [repr(vars(record)) for record in caplog.records]
        for tab in (ana, ben):
            choice = question["choices"][0]["id"]
            tab.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])
        results = ana.last("QUESTION_RESULTS")
        assert results["questionId"] == question["questionId"]
        right = next(choice for choice in question["choices"] if choice["id"] in results["correct"])
        for frame in (frame for frames in before for frame in frames):
            told = frame.get("question") or frame.get("room", {}).get("question") or frame
            if told.get("questionId") == question["questionId"]:
                assert not {"correct", "explanation", "counts"} & told.keys()
                assert right["text"].lower() not in told["media"]["data"].lower()
                assert f'"{right["country"].lower()}"' not in told["media"]["data"].lower()
        assert not any(right["id"] in line or right["text"] in line for line in logged)


def test_no_log_line_of_a_game_holds_a_token_or_an_answer(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """What an operator reads at night must not help anybody to cheat or to steal a seat."""
    caplog.set_level(logging.DEBUG)
    ana = site.opens()
    token = ana.creates(questionCount=1, secondsPerQuestion=10)["reconnectToken"]
    ana.says("START_GAME")
    for _ in range(20):
        site.clock.advance(1)
        answer_heartbeats(ana)
    correct = ana.last("QUESTION_RESULTS")["correct"][0]
    lines = "\n".join(repr(vars(record)) for record in caplog.records)
    assert "game over" in lines
    assert token not in lines
    assert correct not in lines


def test_lag_is_the_median_of_the_whole_game_and_of_nothing_before_it(site: Site) -> None:
    """Round trips of the lobby count for nothing, those of an earlier socket for as much as the last
    (spec 2.4).
    """
    ana, ben = site.opens(), site.opens("t")
    code = ana.creates(questionCount=1, secondsPerQuestion=30)["room"]["roomCode"]
    joined = ben.says("JOIN_ROOM", roomCode=code, name="Ben").last("ROOM_JOINED")
    answer_late({ana: 0.0, ben: 0.24}, seconds=21)
    ana.says("START_GAME")
    answer_late({ana: 0.0, ben: 0.1}, seconds=21)
    ben.gone()
    ben = site.opens("t", ticket(joined))
    answer_late({ana: 0.0, ben: 0.2}, seconds=7.2)
    question = ben.last("ROOM_STATE")["room"]["question"]
    ben.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[question["choices"][0]["id"]])
    ana.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[question["choices"][0]["id"]])
    assert 100 <= ben.last("YOUR_RESULT")["breakdown"]["lagCreditMs"] < 130
    assert ana.last("YOUR_RESULT")["breakdown"]["lagCreditMs"] < 30


def answer_late(tabs: dict[Tab, float], seconds: float) -> None:
    """Let time pass in steps of 20 ms; each tab answers its pings so many seconds after they came."""
    clock = next(iter(tabs)).site.clock
    for _ in range(round(seconds / 0.02)):
        clock.advance(0.02)
        for tab, delay in tabs.items():
            pinged_at = tab.socket.connection.parts.heartbeat.pinged_at
            if pinged_at is not None and clock.now() - pinged_at >= delay:
                answer_heartbeats(tab)


def answer_heartbeats(tab: Tab) -> None:
    """Answer the newest ping, as the web client does at once."""
    pings = [frame["timestamp"] for frame in tab.port.sent if frame["type"] == "HEARTBEAT"]
    if pings and tab.socket.connection.parts.heartbeat.pinged_at is not None:
        tab.says("HEARTBEAT_RESPONSE", timestamp=pings[-1])
