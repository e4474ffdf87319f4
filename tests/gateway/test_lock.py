"""The lock of a serving process: refused while another serves, waited for while it drains (spec 1.9, 4.4)."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gateway.lock import AlreadyServingError, ServeLock, database_digest, lock_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "serve.lock"


@pytest.fixture
def first(path: Path) -> ServeLock:
    """A lock that is held: ``flock`` is of the open file, so that a second one in this process is another."""
    lock = ServeLock(path)
    lock.acquire()
    return lock


def test_a_lock_that_is_held_is_refused_at_once_and_its_holder_named(first: ServeLock, path: Path) -> None:
    """However patient one is: a process that serves does not go by itself."""
    with pytest.raises(AlreadyServingError, match=rf"\(pid {os.getpid()}\) already serves this database"):
        ServeLock(path).acquire(patience_s=3600)
    first.release()


def test_a_lock_whose_holder_drains_is_waited_for(first: ServeLock, path: Path) -> None:
    """It is had as soon as the holder gives it up, and not before."""
    first.drain()
    second = ServeLock(path)
    waiting = threading.Thread(target=second.acquire)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    first.release()
    waiting.join(5)
    assert not waiting.is_alive()
    with pytest.raises(AlreadyServingError, match="already serves"):
        ServeLock(path).acquire()
    second.release()


def test_a_holder_that_does_not_come_to_its_end_is_named(first: ServeLock, path: Path) -> None:
    """Waiting for ever would look like a server that hangs."""
    first.drain()
    with pytest.raises(AlreadyServingError, match=rf"\(pid {os.getpid()}\).*has not ended within 0.1 s"):
        ServeLock(path).acquire(patience_s=0.1)
    first.release()


def test_the_next_holder_serves_whatever_the_last_one_did(first: ServeLock, path: Path) -> None:
    """What the file says is of the one who has the lock."""
    first.drain()
    first.release()
    second = ServeLock(path)
    second.acquire()
    with pytest.raises(AlreadyServingError, match="already serves"):
        ServeLock(path).acquire()
    second.release()


def test_a_file_that_says_nothing_yet_is_of_one_who_serves(path: Path) -> None:
    """Between taking the lock and writing into it lies a moment."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(AlreadyServingError, match=r"pid unknown\) already serves"):
        ServeLock(path).acquire()
    os.close(descriptor)


def test_the_word_is_never_written_by_one_who_has_no_lock(first: ServeLock, path: Path) -> None:
    """A signal may come after the lock was given up."""
    first.release()
    second = ServeLock(path)
    second.acquire()
    first.drain()
    assert b"serving" in path.read_bytes()
    second.release()


def test_a_process_that_is_killed_while_it_drains_is_not_waited_for(path: Path) -> None:
    """The lock dies with it."""
    code = (
        "import sys; from pathlib import Path; from gateway.lock import ServeLock; "
        "lock = ServeLock(Path(sys.argv[1])); lock.acquire(); lock.drain(); "
        "print('held', flush=True); input()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
        ServeLock(path).acquire()


def test_a_database_has_one_name_in_every_process_and_no_password_in_it() -> None:
    """Of the lock and of the snapshots."""
    database = {"ENGINE": "postgresql", "NAME": "quiz", "HOST": "db", "PORT": 5432, "PASSWORD": "secret"}
    assert database_digest(database) == database_digest({**database, "PASSWORD": "other"})
    assert database_digest(database) != database_digest({**database, "NAME": "other"})
    assert database_digest(database) in lock_path(database).name
