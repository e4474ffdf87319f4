"""``manage.py serve``: how it starts, refuses to start, and stops (spec 1.9, 4.4)."""

import json
import re
import socket
import urllib.request
from pathlib import Path

import pytest

from tests.gateway.wire.client import Browser
from tests.gateway.wire.conftest import TOY
from tests.serving import manage, serving, start


def test_a_second_server_on_the_same_database_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Rooms live in memory: two processes would split them. The first one is named, nothing is traced."""
    with serving(TOY, tmp_path) as first:
        second = manage(TOY, tmp_path, "serve", "--port", "0")
    assert second.returncode == 1
    assert f"pid {first.process.pid}" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_lock_dies_with_its_process_however_that_ends(tmp_path: Path) -> None:
    """After a kill -9 nobody has to delete a file."""
    start(TOY, tmp_path).kill()
    with serving(TOY, tmp_path) as second:
        assert second.port


def test_two_databases_are_served_side_by_side(tmp_path: Path) -> None:
    """The lock is of the database, not of the machine."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with serving(TOY, tmp_path / "a") as first, serving(TOY, tmp_path / "b") as second:
        assert first.port != second.port


def test_a_port_in_use_is_said_in_one_sentence(tmp_path: Path) -> None:
    """With what to do about it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = manage(TOY, tmp_path, "serve", "--port", str(port))
    assert refused.returncode == 1
    assert f"Port {port} on 127.0.0.1 cannot be used" in refused.stderr
    assert "--port" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_database_without_its_tables_is_said_in_one_sentence(tmp_path: Path) -> None:
    """The server would start and then break at the first page that makes a session."""
    refused = manage("quizsite.settings", tmp_path, "serve", "--port", "0")
    assert refused.returncode == 1
    assert re.fullmatch(
        r"CommandError: The database lacks \d+ migrations: run 'manage.py migrate' first.\n", refused.stderr
    )


def test_a_database_that_cannot_be_opened_is_said_in_one_sentence(tmp_path: Path) -> None:
    """With the database's own word for it."""
    (tmp_path / "halyard.sqlite3").write_text("this is no database, whatever its name says" * 40)
    refused = manage("quizsite.settings", tmp_path, "serve", "--port", "0")
    assert refused.returncode == 1
    assert refused.stderr == "CommandError: The database cannot be used (file is not a database).\n"


def test_what_a_server_has_loaded_is_never_looked_through_for_garbage(tmp_path: Path) -> None:
    """A full collection would hold up everybody's frames for as long as it takes to walk all of Django."""
    with serving(TOY, tmp_path) as server:
        objects = json.loads(urllib.request.urlopen(f"{server.http}/memory", timeout=30).read())
    assert objects["frozen"] > 10 * objects["watched"]


@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
async def test_a_stop_says_goodbye_and_closes_1012(tmp_path: Path, kind: str) -> None:
    """SIGTERM: the game speaks first, then each socket is told of the restart, and the process ends well."""
    with serving(TOY, tmp_path, "--server", kind) as server:
        wire = await Browser(server).open()
        await wire.send("SIT", word="last")
        await wire.read()
        server.process.terminate()
        assert (await wire.read())["text"] == "goodbye"
        assert await wire.closed() == (1012, "Service restart")
        assert server.wait() == 0


async def test_a_stop_does_not_wait_for_a_client_that_does_not_answer(tmp_path: Path) -> None:
    """One stuck phone must not hold up a deploy: `Served.wait` gives the process 15 s and would raise."""
    with serving(TOY, tmp_path) as server:
        wire = await Browser(server).open()
        wire.raw.transport.pause_reading()
        server.process.terminate()
        assert server.wait() == 0
        wire.raw.transport.abort()
