"""Crashes: a server killed without a word loses next to nothing, and a full disk stops no game (spec 2.3).

With real processes; ``python -m bench.crashes`` plays the 20 rounds of the promise.
"""

import os
import resource
import sqlite3
from pathlib import Path

import pytest

from tests.faults import crashes
from tests.faults.players import SITE, migrated, question, table, until
from tests.serving import Served, serving, start

ROUNDS = int(os.environ.get("HALYARD_CRASHES", "3"))
SEED = 20


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that was migrated once."""
    return tmp_path_factory.mktemp("template") / "data"


@pytest.fixture
def data(template: Path, tmp_path: Path) -> Path:
    """The site's own data folder, fresh."""
    return migrated(template, tmp_path / "data")


def test_a_game_goes_on_after_kill_9_at_any_moment(data: Path) -> None:
    """Every answer that was accepted more than 2 s before counts, all are told whose did, and the others give
    theirs again.
    """
    tally = crashes.play(data, ROUNDS, SEED)
    assert tally.kept > 0


def rounds_of(data: Path) -> int:
    """When the snapshot was last written."""
    found = list(data.glob("rooms-*.snapshot"))
    return found[0].stat().st_mtime_ns if found else 0


def test_a_game_that_ended_before_the_crash_is_stored_once(data: Path) -> None:
    """The snapshot may be of before its end: it ends again, under the same id."""
    first = start(SITE, data)
    try:
        ana, ben = players = table(first, ("Ana", "Ben"), questionCount=1, autoAdvance=False)
        asked = question(players)
        for player in players:
            player.answers(asked)
        before = rounds_of(data)
        until(lambda: rounds_of(data) > before)
        ana.says("NEXT_QUESTION")
        game_id = ben.hears("GAME_FINISHED")["gameId"]
        assert first.logged("game stored")
    finally:
        first.kill()
    with serving(SITE, data) as second:
        state = ana.comes_back(second)
        if state["room"]["phase"] == "results":
            ana.says("NEXT_QUESTION")
            assert ana.hears("GAME_FINISHED")["gameId"] == game_id
            assert second.logged("again=True")
    database = sqlite3.connect(data / "halyard.sqlite3")
    assert database.execute("SELECT game_id FROM rooms_gamerecord").fetchall() == [(game_id,)]
    database.close()


# ---------- the disk


def limit_files(server: Served, most: int) -> None:
    """From now on the server can write no file that is longer, as if the disk were full."""
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def test_a_full_disk_stops_no_game_and_is_said_once(data: Path) -> None:
    """Players see nothing of it; the operator reads one line when it begins and one when it is over."""
    with serving(SITE, data) as server:
        players = table(server, ("Ana", "Ben"), questionCount=2, secondsPerQuestion=10)
        asked = question(players)
        before = rounds_of(data)
        until(lambda: rounds_of(data) > before)
        limit_files(server, 1)
        assert server.logged("live rooms can't be saved to")
        for player in players:
            assert player.answers(asked)["type"] == "ANSWER_ACCEPTED"
        again = players[0].hears("NEW_QUESTION")  # 5 s later: three rounds have failed meanwhile
        limit_files(server, resource.RLIM_INFINITY)
        assert server.logged("live rooms are saved again to")
        assert again["index"] == 1
        assert server.log.count("live rooms can't be saved to") == 1, server.log
