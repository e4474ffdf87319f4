"""One relay per database (spec 6.6): peers and visitors must meet in one process's memory.

``manage.py serve`` sees to it for itself; this is for the servers' own commands. Taken when the first client
comes, so that a site whose relay nobody uses may run in as many processes as it likes. A lock on a file dies
with its process.
"""

import fcntl
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings


class RelayLock:
    """Held from `acquire` until the process ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> str:
        """Take the lock if it is free, or ours; returns what is wrong otherwise. Never waits."""
        if self._descriptor is not None:
            return ""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(descriptor)
            return f"another process of this site (pid {holder}) is the relay; run the site in one process"
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        self._descriptor = descriptor
        return ""

    def release(self) -> None:
        """Let another process be the relay. The file stays, as deleting it would race."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def lock_path(database: dict[str, Any] | None = None) -> Path:
    """Beside a SQLite file, else in the temporary folder under the database's name."""
    database = settings.DATABASES["default"] if database is None else database
    name = str(database["NAME"])
    if database["ENGINE"].endswith("sqlite3") and not name.startswith("file:") and name != ":memory:":
        return Path(f"{name}.relay.lock")
    identity = "|".join(str(database.get(part, "")) for part in ("ENGINE", "HOST", "PORT", "NAME"))
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"halyard-{digest}.relay.lock"
