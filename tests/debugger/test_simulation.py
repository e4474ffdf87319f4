"""The simulation: the server's own machines, simulated players, the same run each time, nothing live."""

import json
import logging
from typing import Any

import pytest
from django.test import override_settings

from debugger import timeline
from debugger.scenario import Act, Action, Scenario
from debugger.simulation import simulate
from debugger.timeline import PlayerState, Row, Timeline
from gateway import conf


def run(*actions: Action, **settings: Any) -> Timeline:
    """A run of these actions."""
    return simulate(Scenario(actions=actions, **settings))


def rows_of(found: Timeline, player: str, **named: Any) -> list[Row]:
    """A player's rows with these fields."""
    return [
        row
        for row in found.rows
        if player in row.players and all(getattr(row, name) == value for name, value in named.items())
    ]


def at(found: Timeline, ms: int, player: str) -> PlayerState:
    """A player as of an instant."""
    snapshot = [each for each in found.snapshots if each.at <= ms][-1]
    return next(each for each in snapshot.players if each.name == player)


START = Action(1000, Act.START_GAME)
ACCIDENTS = (
    START,
    Action(5000, Act.MISSES_HEARTBEATS, "Ben"),
    Action(9000, Act.FLOODS_ANSWERS, "Chen"),
    Action(21_000, Act.STOPS_READING, "Dia"),
    Action(30_000, Act.RECONNECTS, "Ben"),
    Action(31_000, Act.DISCONNECTS),
)


def test_the_same_scenario_gives_the_same_bytes() -> None:
    """Ids, tokens, codes, questions: all chance comes from the seed."""
    once, again = (timeline.encode(run(*ACCIDENTS, players=4)) for _ in range(2))
    assert once == again
    assert timeline.encode(run(*ACCIDENTS, players=4, seed=2)) != once


def test_one_more_allowed_miss_lets_a_silent_player_live_an_interval_longer() -> None:
    """No number of the server is copied: the site's setting changes the run and its display."""
    silent = (START, Action(4401, Act.MISSES_HEARTBEATS, "Ben"))
    (two,) = rows_of(run(*silent), "Ben", kind="close")
    with override_settings(GATEWAY={"HEARTBEAT_MAX_MISSED": 3}):
        found = run(*silent)
    (three,) = rows_of(found, "Ben", kind="close")
    assert (two.at, three.at) == (22_400, 29_400)
    assert found.limits.max_missed == 3
    assert [row.type for row in rows_of(found, "Ben") if row.type.startswith("Miss ")] == [
        "Miss 1 of 3",
        "Miss 2 of 3",
        "Miss 3 of 3",
    ]


@pytest.mark.parametrize("moment", range(4000, 11_000, 350))
def test_a_silent_socket_is_dead_within_11_to_18_seconds_and_its_seat_gone_10_later(moment: int) -> None:
    """Whenever in the heartbeat's interval the silence begins (spec 1.4)."""
    found = run(
        START, Action(moment, Act.MISSES_HEARTBEATS, "Ben"), seconds_per_question=30, until_ms=moment + 40_000
    )
    (close,) = rows_of(found, "Ben", kind="close")
    (gone,) = rows_of(found, "Ben", edge="expire")
    assert close.code == 4002
    assert 11_000 <= close.at - moment < 18_000
    assert 21_000 <= gone.at - moment < 28_000


def test_first_pings_come_when_the_cast_says() -> None:
    """3.1, 4.4, 5.7 and 7.0 s from the start, to the millisecond, and every 7 s after."""
    found = run(players=4, until_ms=20_000)
    pings = {
        name: [row.at for row in rows_of(found, name, type="HEARTBEAT")]
        for name in ("Ana", "Ben", "Chen", "Dia")
    }
    assert pings == {
        "Ana": [3100, 10_100, 17_100],
        "Ben": [4400, 11_400, 18_400],
        "Chen": [5700, 12_700, 19_700],
        "Dia": [7000, 14_000],
    }


def test_a_player_who_comes_back_before_the_server_noticed_goes_on_on_the_same_socket() -> None:
    """What waited in the network arrives late, the ping is answered, no socket is opened."""
    found = run(
        START,
        Action(4000, Act.MISSES_HEARTBEATS, "Ben"),
        Action(9000, Act.RECONNECTS, "Ben"),
        until_ms=30_000,
    )
    assert rows_of(found, "Ben", kind="close") == []
    assert next(row.at for row in rows_of(found, "Ben", type="HEARTBEAT_RESPONSE")) == 9000
    assert at(found, 9000, "Ben").misses == 0


def test_a_lost_network_is_tried_six_times_and_then_given_up() -> None:
    """1200 ms apart, 7.2 s in all, as the web client does; a wake of the page begins anew."""
    found = run(START, Action(5000, Act.DISCONNECTS, "Ben"), until_ms=20_000)
    tries = [row.at for row in rows_of(found, "Ben") if row.type.startswith("Connects") and row.at > 5000]
    assert tries == [6200, 7400, 8600, 9800, 11_000, 12_200]
    assert at(found, 20_000, "Ben").client == "stopped"


def test_a_stalled_reader_fills_its_buffer_and_is_told_nothing() -> None:
    """The page that stands still finds out when it goes on: then its ticket brings it back."""
    found = run(
        START,
        Action(5000, Act.STOPS_READING, "Chen"),
        Action(16_000, Act.RECONNECTS, "Chen"),
        busy_bytes_per_second=200_000,
        seconds_per_question=30,
        until_ms=20_000,
    )
    assert (
        at(found, 5900, "Chen").buffered
        < at(found, 9000, "Chen").buffered
        < found.limits.buffer_bytes + 20_000
    )
    assert (at(found, 14_000, "Chen").socket, at(found, 14_000, "Chen").code) == ("closed", 1013)
    assert rows_of(found, "Chen", edge="claim")[0].at == 16_000


def test_a_snapshot_says_whom_the_question_waits_for() -> None:
    """Who is in grace is still expected (spec 2.2)."""
    found = run(START, Action(5000, Act.DISCONNECTS, "Ben"), until_ms=10_000)
    snapshot = [each for each in found.snapshots if each.at <= 8000][-1]
    assert (snapshot.phase, snapshot.question, snapshot.questions) == ("question", 1, 3)
    assert snapshot.waits_for == ("Ben", "Chen")
    assert at(found, 8000, "Ben").seat == "grace"
    assert at(found, 8000, "Ben").until == 15_000


def test_a_flood_shows_in_the_budgets() -> None:
    """Full at that instant, and ten frames dropped."""
    found = run(Action(27_500, Act.START_GAME), Action(31_000, Act.FLOODS_ANSWERS, "Chen"), until_ms=40_000)
    chen = at(found, 31_000, "Chen")
    assert (chen.frames >= 150, chen.answers, chen.dropped) == (True, 50.0, 10)
    assert at(found, 31_000, "Ana").dropped == 0


def test_a_page_that_stands_still_does_not_notice_that_the_cable_is_out() -> None:
    """It tries nothing until it goes on; then it comes back with its ticket."""
    out = (START, Action(5000, Act.STOPS_READING, "Ben"), Action(6000, Act.DISCONNECTS, "Ben"))
    found = run(*out, Action(12_000, Act.RECONNECTS, "Ben"), until_ms=15_000)
    tries = [row.at for row in rows_of(found, "Ben") if row.type.startswith("Connects") and row.at > 0]
    assert tries == [12_000]
    assert [row.at for row in rows_of(found, "Ben", edge="claim")] == [12_000]


def test_what_is_done_at_one_instant_is_done_in_the_order_given() -> None:
    """Each action has its consequences before the next: out and in again is a claim within the instant."""
    found = run(
        START, Action(5000, Act.DISCONNECTS, "Ben"), Action(5000, Act.RECONNECTS, "Ben"), until_ms=8000
    )
    assert [row.edge for row in rows_of(found, "Ben", at=5000) if row.edge] == ["drop", "claim"]


def test_what_is_done_without_a_socket_is_told_and_not_sent() -> None:
    """A button never does nothing in silence."""
    found = run(Action(1000, Act.DISCONNECTS, "Ben"), Action(1100, Act.SENDS_OVERSIZED, "Ben"), until_ms=2000)
    assert [row.note for row in rows_of(found, "Ben", at=1100)][-1] == "there is no open socket"


def test_nothing_of_a_simulation_is_written_to_the_sites_log(caplog: pytest.LogCaptureFixture) -> None:
    """An operator must not read of games that nobody played; afterwards the log is as before."""
    caplog.set_level(logging.DEBUG)
    run(*ACCIDENTS, players=4)
    assert [record for record in caplog.records if record.name in ("gateway", "rooms")] == []
    logging.getLogger("rooms").info("a real game is over")
    assert [record.message for record in caplog.records] == ["a real game is over"]


def test_no_right_answer_and_no_token_is_in_a_timeline_before_its_results() -> None:
    """The timeline shows types and sizes; what is right or secret is not in it at all."""
    text = timeline.encode(run(START, until_ms=60_000)).decode()
    assert "correct" not in text
    assert "reconnectToken" not in text


def test_every_action_can_be_done_at_every_moment_of_a_game() -> None:
    """In the lobby, the countdown, a question, results, the end: none breaks the server or the simulation."""
    for act in Act:
        for moment in (0, 500, 2000, 5000, 12_000, 39_000, 50_000):
            player = None if act is Act.START_GAME else "Ben"
            found = run(START, Action(moment, act, player), until_ms=70_000)
            assert "INTERNAL_ERROR" not in json.dumps([row.note for row in found.rows]), (act, moment)


def test_a_run_follows_the_limiter_that_the_site_chose() -> None:
    """In token-bucket mode the bar shows tokens, and the client is told once."""
    config = conf.build({"INBOUND_LIMITER": "token_bucket"})
    scenario = Scenario(actions=(Action(2000, Act.FLOODS_ANSWERS, "Ben"),), until_ms=5000)
    found = simulate(scenario, config)
    assert found.limits.frames == config.connection.inbound.token_capacity
    assert len(rows_of(found, "Ben", type="RATE_LIMIT")) == 1
