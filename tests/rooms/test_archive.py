"""rooms.archive: a store that fails or hangs holds up no game, and each game is stored once in the end.

The rules of waiting are tested on plain numbers; the thread on real SQLite files that are locked or broken.
"""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command
from django.db import IntegrityError, OperationalError, connections

from gateway import conf
from gateway.runtime import Runtime
from gateway.testing import VirtualClock
from rooms import records
from rooms.archive import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    TRIES_OF_A_BAD_GAME,
    Archive,
    Backlog,
    Waiting,
)
from rooms.core.report import GameReport
from rooms.models import AnswerRecord, GameRecord
from rooms.service import QuizGame
from rooms.signals import game_finished
from tests.rooms.games import ENDED_AT, finished
from tests.rooms.test_service import Site, Tab, answer_heartbeats

PATIENCE_S = 20.0
"""No test waits so long; one that does has failed."""
ALIAS = "records"

# ---------- the rules of waiting


def waiting(game_id: str) -> Waiting:
    return Waiting(finished(game_id=game_id), ENDED_AT)


def ids(backlog: Backlog) -> list[str]:
    return [game.report.game_id for game in backlog.games]


def test_games_are_tried_in_the_order_in_which_they_ended() -> None:
    """And each stays in the backlog until it is known what became of it."""
    backlog = Backlog()
    first, second = waiting("1"), waiting("2")
    assert backlog.put(first)
    assert backlog.put(second)
    assert backlog.due(0.0) is first
    assert ids(backlog) == ["1", "2"]
    backlog.stored()
    assert backlog.due(0.0) is second
    assert backlog.counts.stored == 1


def test_pauses_grow_while_the_store_fails_and_are_short_again_after_a_success() -> None:
    """0.5 s, 1 s, 2 s ... 60 s: a store that is away is not hammered, one that is back is found."""
    backlog = Backlog()
    backlog.put(waiting("1"))
    pauses, now = [], 100.0
    for _ in range(9):
        assert backlog.due(now) is not None
        assert backlog.failed(False, now)
        pauses.append(backlog.resume_at - now)
        assert backlog.due(backlog.resume_at - 0.001) is None
        now = backlog.resume_at
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    backlog.put(waiting("2"))
    backlog.stored()
    backlog.failed(False, now)
    assert backlog.resume_at - now == FIRST_PAUSE_S
    assert backlog.counts.failures == 10


def test_a_store_that_is_away_costs_no_game_however_often_it_fails() -> None:
    """Only what the store refuses for itself is given up."""
    backlog = Backlog()
    backlog.put(waiting("1"))
    assert all(backlog.failed(False, 0.0) for _ in range(50))
    assert ids(backlog) == ["1"]


def test_a_game_that_is_refused_makes_way_and_is_given_up_after_three_tries() -> None:
    """It must not hold up the others for ever."""
    backlog = Backlog()
    for game_id in ("bad", "good"):
        backlog.put(waiting(game_id))
    backlog.failed(True, 0.0)
    assert ids(backlog) == ["good", "bad"]
    backlog.stored()
    assert [backlog.failed(True, 0.0) for _ in range(TRIES_OF_A_BAD_GAME - 1)] == [True, False]
    assert (ids(backlog), backlog.counts.lost) == ([], 1)


def test_what_waits_is_bounded_and_what_no_more_can_wait_is_counted() -> None:
    """Memory is the live rooms': those that wait already are kept. One game alone always may."""
    game = waiting("1")
    weight = len(game.report.answers) + len(game.report.players) + len(game.report.questions)
    backlog = Backlog(max_answers=2 * weight)
    assert [backlog.put(waiting(game_id)) for game_id in "123"] == [True, True, False]
    assert (ids(backlog), backlog.counts.lost) == (["1", "2"], 1)
    backlog.stored()
    assert backlog.put(waiting("4"))
    assert Backlog(max_answers=1).put(waiting("5"))


def test_hurry_ends_the_pause_and_starts_with_the_shortest_again() -> None:
    """When the process stops there is no time to be patient."""
    backlog = Backlog()
    backlog.put(waiting("1"))
    for _ in range(6):
        backlog.failed(False, 100.0)
    backlog.hurry()
    assert backlog.due(100.0) is not None
    backlog.failed(False, 100.0)
    assert backlog.resume_at == 100.0 + FIRST_PAUSE_S


# ---------- the thread


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any) -> Path:
    """A SQLite file with all tables, to copy."""
    path: Path = tmp_path_factory.mktemp("migrated") / "halyard.sqlite3"
    with django_db_blocker.unblock(), database(path):
        call_command("migrate", database=ALIAS, verbosity=0)
    return path


@pytest.fixture
def file(tmp_path: Path, migrated: Path, django_db_blocker: Any) -> Iterator[Path]:
    """A database file of the test's own, as the site uses it, but for a short wait for a lock."""
    path = Path(shutil.copy(migrated, tmp_path))
    with django_db_blocker.unblock(), database(path):
        yield path


class database:
    """The file as the database `ALIAS` of this process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        default = connections.settings["default"]
        options = {**default["OPTIONS"], "timeout": 0.05}
        connections.settings[ALIAS] = {**default, "NAME": str(self.path), "OPTIONS": options}

    def __exit__(self, *_: object) -> None:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


class Tries:
    """The real store on the file, and a way to wait for so many of its tries to be over."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.errors: list[str] = []
        self._over = threading.Semaphore(0)

    def __call__(self, report: GameReport, ended_at: datetime) -> GameRecord | None:
        self.begun.set()
        try:
            return records.store(report, ended_at, using=ALIAS)
        except Exception as error:
            self.errors.append(type(error).__name__)
            raise
        finally:
            self._over.release()

    def wait_for(self, number: int) -> None:
        for _ in range(number):
            assert self._over.acquire(timeout=PATIENCE_S)


class Failures(logging.Handler):
    """Waits until the archive says that a try failed; by then it has set its pause."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said = threading.Semaphore(0)

    def emit(self, record: logging.LogRecord) -> None:
        self._said.release()

    def wait(self) -> None:
        assert self._said.acquire(timeout=PATIENCE_S)

    def __enter__(self) -> "Failures":
        logging.getLogger("rooms.archive").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("rooms.archive").removeHandler(self)


@pytest.fixture
def tries() -> Tries:
    return Tries()


@pytest.fixture
def archive(file: Path, tries: Tries) -> Iterator[Archive]:
    """An archive on the file; its thread ends with the test."""
    made = Archive(tries)
    yield made
    made.close(PATIENCE_S)


@pytest.fixture
def locked(file: Path) -> Iterator[sqlite3.Connection]:
    """Somebody else is writing to the file, until this connection rolls back."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


def stored() -> list[str]:
    return sorted(GameRecord.objects.using(ALIAS).values_list("game_id", flat=True))


class ArchivedSite(Site):
    """The real runtime and quiz on a virtual clock, with an archive."""

    def __init__(self, archive: Archive) -> None:
        self.clock = VirtualClock()
        game = partial(QuizGame, archive=archive)
        self.runtime = Runtime(game, conf.build({"SESSION_CAP": 50}), self.clock)


def plays_a_game(site: Site, tab: Tab) -> str:
    """Start, one question, podium; the id of the game."""
    tab.says("START_GAME")
    for _ in range(25):
        site.clock.advance(1)
        answer_heartbeats(tab)
    game_id: str = tab.last("GAME_FINISHED")["gameId"]
    return game_id


def test_a_game_that_is_played_to_its_end_is_stored_under_the_id_the_players_saw(archive: Archive) -> None:
    """``gameId`` of GAME_FINISHED leads to the results."""
    site = ArchivedSite(archive)
    ana = site.opens()
    ana.creates(questionCount=1, secondsPerQuestion=10)
    game_id = plays_a_game(site, ana)
    assert archive.flush(PATIENCE_S)
    assert stored() == [game_id]
    assert archive.counts.stored == 1


def test_a_locked_database_disturbs_no_room_and_its_games_are_stored_once_when_it_is_free(
    archive: Archive, locked: sqlite3.Connection, tries: Tries
) -> None:
    """Two games are played to the podium meanwhile, and then both are there, whole, each once."""
    site = ArchivedSite(archive)
    ana = site.opens()
    ana.creates(questionCount=1, secondsPerQuestion=10)
    first = plays_a_game(site, ana)
    tries.wait_for(1)
    ana.says("STOP_GAME")
    second = plays_a_game(site, ana)
    tries.wait_for(1)
    assert {report.game_id for report in archive.waiting()} == {first, second}
    assert stored() == []
    assert archive.counts.failures >= 2
    assert set(tries.errors) == {"OperationalError"}

    locked.execute("ROLLBACK")
    assert archive.flush(PATIENCE_S)
    assert stored() == sorted([first, second])
    assert archive.counts.lost == 0
    assert archive.waiting() == ()


def test_a_store_that_hangs_disturbs_no_room(
    archive: Archive, locked: sqlite3.Connection, tries: Tries
) -> None:
    """The thread stands in SQLite's wait for the lock while the next game is played to its podium."""
    connections.settings[ALIAS]["OPTIONS"]["timeout"] = PATIENCE_S
    site = ArchivedSite(archive)
    ana = site.opens()
    ana.creates(questionCount=1, secondsPerQuestion=10)
    first = plays_a_game(site, ana)
    assert tries.begun.wait(PATIENCE_S)
    ana.says("STOP_GAME")
    second = plays_a_game(site, ana)
    assert [report.game_id for report in archive.waiting()] == [first, second]

    locked.execute("ROLLBACK")
    assert archive.flush(PATIENCE_S)
    assert stored() == sorted([first, second])
    assert tries.errors == []


def test_a_broken_database_file_disturbs_no_room_and_the_game_is_stored_once_it_is_mended(
    archive: Archive, file: Path, tries: Tries
) -> None:
    """A connection that failed is not used again (C18)."""
    whole = file.read_bytes()
    file.write_bytes(b"this is no database" * 500)
    site = ArchivedSite(archive)
    ana = site.opens()
    ana.creates(questionCount=1, secondsPerQuestion=10)
    game_id = plays_a_game(site, ana)
    tries.wait_for(1)
    assert set(tries.errors) == {"DatabaseError"}
    ana.says("STOP_GAME")
    assert ana.last("GAME_STOPPED")

    file.write_bytes(whole)
    assert archive.flush(PATIENCE_S)
    assert stored() == [game_id]


def test_a_game_handed_over_twice_is_stored_once(archive: Archive) -> None:
    """As by a room that was restored from a snapshot."""
    report = finished()
    archive.keep(report)
    archive.keep(msgspec.structs.replace(report, room_code="OTHER1"))
    assert archive.flush(PATIENCE_S)
    assert stored() == [report.game_id]
    assert AnswerRecord.objects.using(ALIAS).count() == len(report.answers)


def test_other_apps_are_told_of_a_stored_game_once_and_after_the_commit(archive: Archive) -> None:
    """On the archive's thread, and a receiver that fails harms nobody; another connection sees the rows."""
    heard: list[tuple[str, int, str]] = []

    def fails(**_: Any) -> None:
        raise RuntimeError("a receiver's own fault")

    def hears(game: GameRecord, **_: Any) -> None:
        rows = sqlite3.connect(connections.settings[ALIAS]["NAME"])
        (count,) = rows.execute("SELECT count(*) FROM rooms_gamerecord").fetchone()
        rows.close()
        heard.append((game.game_id, count, threading.current_thread().name))

    game_finished.connect(fails)
    game_finished.connect(hears)
    try:
        for report in (finished(game_id="1"), finished(game_id="2"), finished(game_id="1")):
            archive.keep(report)
        assert archive.flush(PATIENCE_S)
    finally:
        game_finished.disconnect(fails)
        game_finished.disconnect(hears)
    assert heard == [("1", 1, "rooms-archive"), ("2", 2, "rooms-archive")]


def test_a_game_that_the_store_refuses_is_given_up_with_its_id_in_the_log(
    archive: Archive, tries: Tries, caplog: pytest.LogCaptureFixture
) -> None:
    """And the next one is stored."""
    report = finished(game_id="bad")
    archive.keep(msgspec.structs.replace(report, answers=(*report.answers, report.answers[0])))
    archive.keep(finished(game_id="good"))
    for _ in range(TRIES_OF_A_BAD_GAME):
        archive.hurry()
        tries.wait_for(1)
    assert archive.flush(PATIENCE_S)
    assert stored() == ["good"]
    assert archive.counts.lost == 1
    lost = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [getattr(record, "game", None) for record in lost] == ["bad"]


def test_every_failed_try_is_a_line_in_the_log(
    archive: Archive, locked: sqlite3.Connection, tries: Tries, caplog: pytest.LogCaptureFixture
) -> None:
    """With the game, how often it failed and how many wait."""
    archive.keep(finished(game_id="1"))
    tries.wait_for(2)
    locked.execute("ROLLBACK")
    assert archive.flush(PATIENCE_S)
    warned = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [(getattr(record, "game", ""), getattr(record, "tries", 0)) for record in warned][:2] == [
        ("1", 1),
        ("1", 2),
    ]


def test_a_stop_waits_for_the_games_that_can_be_stored_and_names_those_that_can_not(
    archive: Archive, locked: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """For a bounded time; a game that comes later still is lost, too, and not in silence."""
    archive.keep(finished(game_id="1"))
    archive.close(0.2)
    archive.keep(finished(game_id="2"))
    lost = [getattr(record, "game", "") for record in caplog.records if record.levelno == logging.ERROR]
    assert lost == ["1", "2"]
    assert stored() == []


def test_a_drain_ends_the_pauses(locked: sqlite3.Connection, tries: Tries) -> None:
    """The gateway's drain reaches the archive: what waits is tried at once, not a minute later."""
    archive = Archive(tries, Backlog(failures_in_a_row=20))
    site = ArchivedSite(archive)
    with Failures() as failures:
        archive.keep(finished(game_id="1"))
        failures.wait()
    locked.execute("ROLLBACK")
    site.runtime.drain(lambda: None)
    tries.wait_for(2)
    archive.close(PATIENCE_S)
    assert stored() == ["1"]


def test_a_process_that_keeps_no_games_has_no_thread() -> None:
    """Management commands and tests import the archive, too."""
    before = threading.active_count()
    Archive().close(0.0)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (OperationalError("the network is down"), True),
        (OSError("no file can be opened"), True),
        (IntegrityError("a row that can't be"), False),
        (TypeError("a value that has no column"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_the_stores_fault_is_told_from_what_is_the_games(error: Exception, is_kept: bool) -> None:
    """A network or a lock is waited for; a row that can't be is not."""

    def refuses(report: GameReport, ended_at: datetime) -> None:
        raise error

    with Failures() as failures:
        archive = Archive(refuses)
        archive.keep(finished())
        for _ in range(TRIES_OF_A_BAD_GAME):
            failures.wait()
            archive.hurry()
    assert len(archive.waiting()) == is_kept
    archive.close(0.0)
