"""The database is locked, gone or out of disk while games run: they go on, and are stored when it is back.

What players see: nothing. What a visitor without a session sees: that the site is busy. What the operator
sees: one line of each part that misses it, and one when it is back; a game's tries are further and further
apart (``rooms.archive``).
"""

import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.faults.players import until
from tests.faults.site import Awake, answered, played, site, starts
from tests.serving import Served

Fault = Callable[[Served, Path], AbstractContextManager[None]]
NO_BYTE = 0
TRACEBACKS_AT_MOST = 3
"""The watches over sessions and blocks, and a page's error."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the site keeps everything."""
    return tmp_path_factory.mktemp("database")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Served]:
    """One site for all of them."""
    with site(folder) as served:
        yield served


@contextmanager
def locked(server: Served, database: Path) -> Iterator[None]:
    """Somebody else writes, and does not end."""
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def put_away(part: Path) -> bool:
    """False if the server has just removed it itself, as it does with its write-ahead log."""
    try:
        part.rename(part.with_name(f"away-{part.name}"))
    except FileNotFoundError:
        return False
    return True


@contextmanager
def gone(server: Served, database: Path) -> Iterator[None]:
    """Nothing can be opened under its name, as when a disk is away."""
    parts = [part for part in database.parent.glob("halyard.sqlite3*") if put_away(part)]
    database.mkdir()
    try:
        yield
    finally:
        database.rmdir()
        for part in parts:
            part.with_name(f"away-{part.name}").rename(part)


@contextmanager
def full(server: Served, database: Path) -> Iterator[None]:
    """No file of the process may grow: what a full disk says, to snapshots and records alike."""
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (NO_BYTE, hard))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))


FAULTS: dict[str, Fault] = {"locked": locked, "gone": gone, "full": full}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_game_is_played_to_its_end_without_a_database_and_stored_with_it(
    server: Served, folder: Path, fault: str
) -> None:
    """From the first question to the podium, and on in the same sockets; the record comes when it can."""
    players, asked = starts(server, "Ana", "Ben")
    lines = len(server.lines)

    def told(text: str) -> int:
        return sum(text in line for line in server.lines[lines:])

    with FAULTS[fault](server, folder / "data" / "halyard.sqlite3"):
        answered(players, asked)
        played(players)
        until(lambda: told("game not stored yet") > 0)
        players[0].says("RESTART_GAME")
        assert players[1].hears("GAME_STARTING")
    until(lambda: told("game stored") > 0)
    players[0].says("STOP_GAME")
    assert players[1].hears("GAME_STOPPED")
    for player in players:
        player.socket.close()
    assert told("game lost") == 0
    assert told("socket closed") <= len(players), "somebody was closed who was only playing"
    assert told("Traceback") <= TRACEBACKS_AT_MOST


def test_a_visitor_is_told_and_nobody_who_plays_is_thrown_out_while_the_database_is_gone(
    server: Served, folder: Path
) -> None:
    """A new page is an error page, an upgrade that needs a look at its session is 503, who sits stays seated
    past the next watch over sessions, and each watch says once that it fails, and once that it works.
    """
    ana, late = Awake(server, "Ana").opens(), Awake(server, "Late")
    ana.creates()
    lines = len(server.lines)
    with gone(server, folder / "data" / "halyard.sqlite3"):
        assert late.refused() == 503
        assert server.logged("the watch over sessions fails")
        beats = ana.beats
        until(lambda: ana.beats > beats + 6)
    assert server.logged("the watch over sessions works again")
    late.opens().joins(ana.joined["room"]["roomCode"])
    for player in (ana, late):
        player.socket.close()
    new = server.lines[lines:]
    assert sum("the watch over sessions fails" in line for line in new) == 1
    assert sum("code=4001" in line for line in new) == 0
