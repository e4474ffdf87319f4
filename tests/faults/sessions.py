"""Sessions in files on a slow disk: whoever vanishes after the request does so while this is looking."""

import time
from typing import Any

from django.contrib.sessions.backends.file import SessionStore as FileStore

LOOKUP_S = 0.02


class SessionStore(FileStore):
    """Django finds an engine's store by this name."""

    def load(self) -> dict[str, Any]:
        """Runs in the thread that all lookups share."""
        time.sleep(LOOKUP_S)
        found: dict[str, Any] = super().load()
        return found
