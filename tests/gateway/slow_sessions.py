"""A session store on a bad day: each load takes a while. Really waits, in its own thread, as a slow database
does.
"""

import threading
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

SLOW_S = 0.5


class SessionStore(DatabaseStore):
    """Loads late."""

    def load(self) -> Any:
        """What the database has, half a second later."""
        threading.Event().wait(SLOW_S)
        return super().load()
