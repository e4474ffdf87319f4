"""A deploy in the middle of a game, with real processes: no seat, answer or second is lost (spec 2.3)."""

import http.client
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from tests.faults.players import FRAME_S, SITE, Player, migrated, question, table
from tests.redis import redis_server
from tests.serving import ROOT, Served, environment_of, serving

EXIT_S = 10.0
"""The whole stop (spec 4.4)."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that was migrated once."""
    return tmp_path_factory.mktemp("template") / "data"


@pytest.fixture
def data(template: Path, tmp_path: Path) -> Path:
    """The site's own data folder, fresh."""
    return migrated(template, tmp_path / "data")


def snapshot_in(data: Path) -> Path:
    """The one snapshot of a data folder."""
    (found,) = data.glob("rooms-*.snapshot")
    return found


@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
def test_a_restart_mid_question_costs_nobody_anything(data: Path, kind: str) -> None:
    """Everybody is told when to come back and closed 1012, the process ends within 10 s, and in the next one
    each finds its seat, its question, its own answer and what was left of the time.
    """
    with serving(SITE, data, "--server", kind) as first:
        players = table(first, ("Ana", "Ben", "Cleo"), questionCount=2, secondsPerQuestion=30)
        asked = question(players)
        ana, ben, cleo = players
        assert ana.answers(asked)["type"] == "ANSWER_ACCEPTED"
        began = time.monotonic()
        first.process.terminate()
        retries = [player.hears("SERVER_RESTARTING")["retryAfterMs"] for player in players]
        assert [player.closed() for player in players] == [1012] * 3
        assert first.wait() == 0, first.log
        assert time.monotonic() - began < EXIT_S
    assert all(1000 <= retry < 2000 for retry in retries)
    assert len(set(retries)) > 1, "all would knock at once"
    with serving(SITE, data, "--server", kind) as second:
        told = [player.comes_back(second) for player in players]
        again = [state["room"]["question"] for state in told]
        assert {state["questionId"] for state in again} == {asked["questionId"]}
        assert told[0]["you"]["answered"]["choices"] == [asked["choices"][0]["id"]]
        assert "answered" not in told[1]["you"]
        assert all(state["remainingMs"] <= asked["remainingMs"] for state in again)
        # The last one back lets the clock run, and is told at once what is left.
        assert cleo.hears("ROOM_STATE")["room"]["question"]["remainingMs"] > 25_000
        assert ana.answers(asked, 1)["code"] == "ALREADY_ANSWERED"
        assert ben.answers(asked)["type"] == "ANSWER_ACCEPTED"
        assert cleo.answers(asked, 1)["type"] == "ANSWER_ACCEPTED"
        results = [player.hears("QUESTION_RESULTS") for player in players]
        assert sum(results[0]["counts"].values()) == 3


def test_the_outage_is_no_part_of_anybodys_response_time(data: Path) -> None:
    """Answered at the first sight of the question, before and after: both get all the points there are."""
    settings = {"questionCount": 1, "secondsPerQuestion": 10}
    with serving(SITE, data) as first:
        ana, ben = table(first, ("Ana", "Ben"), **settings)
        asked = question([ana, ben])
        ana.answers(asked)
        first.stop()
    with serving(SITE, data) as second:
        ana.comes_back(second)
        ben.comes_back(second)
        ben.answers(asked)
        for player in (ana, ben):
            told = player.hears("YOUR_RESULT")["breakdown"]
            assert told["responseMs"] < 1500, "the seconds between two processes were counted"


def test_a_lobby_and_its_watcher_survive_a_restart(data: Path) -> None:
    """Seats are held in the lobby too, under the same code; who comes too late for a claim joins again."""
    with serving(SITE, data) as first:
        ana, ben = table(first, ("Ana", "Ben"))
        code = ana.joined["room"]["roomCode"]
        first.stop()
    with serving(SITE, data) as second:
        state = ana.comes_back(second)
        assert [(m["name"], m["status"]) for m in state["room"]["members"]] == [
            ("Ana", "connected"),
            ("Ben", "grace"),
        ]
        assert state["you"]["isHost"]
        ben.server = second
        ben.opens().joins(code)
        assert ben.joined["seatId"] == state["room"]["members"][1]["userId"]


def test_a_snapshot_is_for_its_owner_alone_and_holds_no_secret(data: Path) -> None:
    """No raw token, no session key, nobody else may read it."""
    with serving(SITE, data) as server:
        players = table(server, ("Ana", "Ben"))
        question(players)
        server.stop()
    kept = snapshot_in(data)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    content = kept.read_bytes()
    for player in players:
        assert player.joined["seatId"].encode() in content
        assert player.joined["reconnectToken"].encode() not in content
        assert player.cookie.partition("=")[2].encode() not in content


def test_a_snapshot_of_an_unknown_version_is_refused_by_name_and_the_site_serves(data: Path) -> None:
    """The file, its version and ours are in one line; it is kept for whoever goes back to that version."""
    with serving(SITE, data) as first:
        table(first, ("Ana",))
        first.stop()
    kept = snapshot_in(data)
    head, rooms = msgspec.msgpack.decode(kept.read_bytes())
    newer = msgspec.msgpack.encode({**msgspec.msgpack.decode(head), "version": 99})
    kept.write_bytes(msgspec.msgpack.encode((newer, rooms)))
    with serving(SITE, data) as second:
        assert second.logged(
            f"saved rooms are refused: {kept}: it has version 99, and this program reads version 2"
        )
        assert kept.with_name(f"{kept.name}.refused").exists()
        assert Player(second, "Ben").opens().creates()


def test_an_old_snapshot_is_not_restored_and_goes(data: Path) -> None:
    """A site that was off over night does not open with yesterday's rooms."""
    with serving(SITE, data) as first:
        table(first, ("Ana",))
        first.stop()
    kept = snapshot_in(data)
    head, rooms = msgspec.msgpack.decode(kept.read_bytes())
    old = msgspec.msgpack.decode(head)
    old["wall"] -= 601
    kept.write_bytes(msgspec.msgpack.encode((msgspec.msgpack.encode(old), rooms)))
    with serving(SITE, data) as second:
        assert second.logged("saved rooms are too old")
        assert not kept.exists()


# ---------- one process after the other


def test_a_second_server_waits_while_the_first_drains_and_finds_its_rooms(data: Path) -> None:
    """Started as soon as the first is told to stop, it is not refused, and listens with the rooms."""
    with serving(SITE, data) as first:
        players = table(first, ("Ana", "Ben"), secondsPerQuestion=30)
        asked = question(players)
        first.process.terminate()
        assert players[0].hears("SERVER_RESTARTING")
        with serving(SITE, data, "--port", str(first.port)) as second:
            assert second.port == first.port
            for player in players:
                assert player.comes_back(second)["room"]["question"]["questionId"] == asked["questionId"]
        assert first.wait() == 0, first.log


@contextmanager
def silent() -> Iterator[str]:
    """The URL of a Redis that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
def test_a_store_that_hangs_stops_neither_the_games_nor_the_stop(data: Path, kind: str) -> None:
    """Meanwhile the server is not ready and admits nobody, and says so; it ends within 10 s."""
    with silent() as url, serving(SITE, data, "--server", kind, SNAPSHOT_STORE=url) as server:
        assert server.logged("saved rooms can't be read from redis://127.0.0.1")
        (ana,) = table(server, ("Ana",))
        late = Player(server, "Ben")
        began = time.monotonic()
        server.process.terminate()
        assert ana.closed() == 1012
        assert get(server, "/readyz") == 503
        assert late.refused() == 503
        assert server.wait() == 0, server.log
        assert time.monotonic() - began < EXIT_S
        assert "live rooms were not saved in time" in server.log or "live rooms can't be saved" in server.log


def get(server: Served, path: str) -> int:
    """The status of a page."""
    page = http.client.HTTPConnection("127.0.0.1", server.port, timeout=FRAME_S)
    page.request("GET", path)
    status = page.getresponse().status
    page.close()
    return status


def test_a_restart_through_redis_is_like_one_through_a_file(data: Path) -> None:
    """Two processes that share no disk."""
    with redis_server() as redis:
        with serving(SITE, data, SNAPSHOT_STORE=redis.url) as first:
            players = table(first, ("Ana", "Ben"), secondsPerQuestion=30)
            asked = question(players)
            assert players[0].answers(asked)["type"] == "ANSWER_ACCEPTED"
            first.stop()
        assert list(data.glob("*.snapshot")) == []
        with serving(SITE, data, SNAPSHOT_STORE=redis.url) as second:
            told = [player.comes_back(second) for player in players]
            assert [state["room"]["question"]["questionId"] for state in told] == [asked["questionId"]] * 2
            assert ["answered" in state["you"] for state in told] == [True, False]


def handed_over(data: Path, listener: socket.socket, *arguments: str) -> Served:
    """A server with our listening socket, as systemd starts one."""
    script = 'exec 3<&"$0"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
    process = subprocess.Popen(
        ["bash", "-c", script, str(listener.fileno()), sys.executable, "manage.py", "serve", *arguments],
        cwd=ROOT,
        env=environment_of(SITE, data),
        pass_fds=[listener.fileno()],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Served(process)


@contextmanager
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener


@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
def test_with_a_socket_from_the_parent_no_connection_is_refused_in_between(data: Path, kind: str) -> None:
    """Somebody who connects at any moment of a restart is answered, by the old process or by the new one."""
    with listening() as listener:
        first = handed_over(data, listener, "--server", kind)
        players = table(first, ("Ana", "Ben"), secondsPerQuestion=30)
        asked = question(players)
        knocking = Knocking(first.port)
        with knocking:
            first.process.terminate()
            assert [player.closed() for player in players] == [1012, 1012]
            second = handed_over(data, listener, "--server", kind)
            for player in players:
                assert player.comes_back(second)["room"]["question"]["questionId"] == asked["questionId"]
        assert first.wait() == 0, first.log
        assert second.stop() == 0
    assert knocking.refused == []
    assert knocking.answered > 0


class Knocking:
    """Connects and asks for a page again and again, in a thread, for the length of a ``with``."""

    def __init__(self, port: int) -> None:
        self.answered = 0
        self.refused: list[str] = []
        self._port = port
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._knock)

    def __enter__(self) -> "Knocking":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _knock(self) -> None:
        while not self._over.is_set():
            page = http.client.HTTPConnection("127.0.0.1", self._port, timeout=FRAME_S)
            try:
                page.request("GET", "/healthz")
                self.answered += page.getresponse().status == 200
            except OSError as error:
                self.refused.append(repr(error))
            finally:
                page.close()
            self._over.wait(0.02)
