"""One serving process per database (spec 1.9): rooms live in its memory, so a second one would split them.

A lock on a file, held by the open descriptor: it dies with its process, however that ends, and no stale file
ever needs to be deleted by hand.
"""

import fcntl
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings


class AlreadyServingError(RuntimeError):
    """Another process serves this database; the text names its process id."""


class ServeLock:
    """Held from `acquire` until the process ends or `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock or raise `AlreadyServingError`; never waits."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(descriptor)
            raise AlreadyServingError(
                f"Another process (pid {holder}) already serves this database. Rooms live in its memory, "
                f"so a second one cannot help it: stop it first, or give this one another DATABASE_URL."
            ) from None
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        self._descriptor = descriptor

    def release(self) -> None:
        """Let another process serve.

        The file stays: deleting it would race with one that has just opened it.
        """
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def lock_path(database: dict[str, Any] | None = None) -> Path:
    """Where the lock of a database lies: beside a SQLite file, else in the temporary folder under the
    database's name.
    """
    database = settings.DATABASES["default"] if database is None else database
    name = str(database["NAME"])
    if database["ENGINE"].endswith("sqlite3") and not name.startswith("file:") and name != ":memory:":
        return Path(f"{name}.serve.lock")
    identity = "|".join(str(database.get(part, "")) for part in ("ENGINE", "HOST", "PORT", "NAME"))
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"halyard-{digest}.serve.lock"
