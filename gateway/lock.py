"""One serving process per database (spec 1.9): rooms live in its memory, so a second one would split them.

A lock on a file, held by the open descriptor: it dies with its process, however that ends, and no stale file
ever needs to be deleted by hand. The file says who holds it, and whether that process is on its way out: then
the next one waits for it.
"""

import fcntl
import hashlib
import os
import tempfile
import time
from enum import Enum
from pathlib import Path
from typing import Any, Final

from django.conf import settings

PATIENCE_S: Final = 12.0
"""Seconds that a process waits for one that drains: that may take 10 (spec 4.4)."""
LOOK_S: Final = 0.02
"""Seconds between two looks: nobody is served meanwhile."""
RECORD_BYTES: Final = 32
"""A pid and a word. Written at once and always as long, so that nobody reads a half of it."""


class Stage(Enum):
    """What the holder does."""

    SERVING = "serving"
    DRAINING = "draining"


class AlreadyServingError(RuntimeError):
    """Another process serves this database; the text names its process id."""


class ServeLock:
    """Held from `acquire` until the process ends or `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, patience_s: float = PATIENCE_S) -> None:
        """Take the lock, as soon as a holder that drains gives it up; raises `AlreadyServingError`."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        until = time.monotonic() + patience_s
        while not _is_taken(descriptor):
            pid, stage = _holder(descriptor)
            if stage is Stage.SERVING or time.monotonic() >= until:
                os.close(descriptor)
                raise AlreadyServingError(_refusal(pid, stage, patience_s))
            time.sleep(LOOK_S)
        self._descriptor = descriptor
        self._write(Stage.SERVING)

    def drain(self) -> None:
        """Whoever comes next may wait. Harmless twice, and in a signal's handler."""
        self._write(Stage.DRAINING)

    def release(self) -> None:
        """Let another process serve.

        The file stays: deleting it would race with one that has just opened it.
        """
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _write(self, stage: Stage) -> None:
        if self._descriptor is not None:
            record = f"{os.getpid()}\n{stage.value}\n".encode().ljust(RECORD_BYTES)
            os.pwrite(self._descriptor, record, 0)


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> tuple[str, Stage]:
    """Who has the lock, and what it does; one that has only just taken it serves."""
    words = os.pread(descriptor, RECORD_BYTES, 0).decode(errors="replace").split()
    drains = words[1:] == [Stage.DRAINING.value]
    return (words[0] if words else "unknown"), (Stage.DRAINING if drains else Stage.SERVING)


def _refusal(pid: str, stage: Stage, patience_s: float) -> str:
    if stage is Stage.DRAINING:
        return (
            f"Another process (pid {pid}) serves this database. It is on its way out, "
            f"but has not ended within {patience_s:g} s: end it, then start again."
        )
    return (
        f"Another process (pid {pid}) already serves this database. Rooms live in its memory, "
        f"so a second one cannot help it: stop it first, or give this one another DATABASE_URL."
    )


def lock_path(database: dict[str, Any] | None = None) -> Path:
    """Where the lock of a database lies: beside a SQLite file, else in the temporary folder under the
    database's name.
    """
    database = settings.DATABASES["default"] if database is None else database
    name = str(database["NAME"])
    if database["ENGINE"].endswith("sqlite3") and not name.startswith("file:") and name != ":memory:":
        return Path(f"{name}.serve.lock")
    return Path(tempfile.gettempdir()) / f"halyard-{database_digest(database)}.serve.lock"


def database_digest(database: dict[str, Any] | None = None) -> str:
    """A short name of a database, the same in every process and without its password."""
    database = settings.DATABASES["default"] if database is None else database
    identity = "|".join(str(database.get(part, "")) for part in ("ENGINE", "HOST", "PORT", "NAME"))
    return hashlib.sha256(identity.encode()).hexdigest()[:16]
