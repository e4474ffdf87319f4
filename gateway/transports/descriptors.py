"""Keeps some of the process's file descriptors back: a flood of connections must not take the last one.

A database, a snapshot and a log file need one at any time. A descriptor's number is the lowest that was free,
so the number of a new connection tells how many there are. The operator is told, but not once a connection.
"""

import logging
import os
import resource
import time
from collections.abc import Callable
from typing import Final

log = logging.getLogger("gateway.server")

KEPT_BACK: Final = 64
"""A thread that asks the database has three files of SQLite open; a pool has some thirty threads, of which
few ask at once."""
TOLD_EVERY_S: Final = 60.0
"""One line a minute, with the number of those that were turned away."""


class Descriptors:
    """The descriptors of this process. ``turned_away`` counts connections that got none."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.turned_away = 0
        self._clock = clock
        self._told_at = float("-inf")

    def is_too_many(self, descriptor: int) -> bool:
        """Whether the connection with this descriptor must go, so that the rest of the process can work."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if limit == resource.RLIM_INFINITY or descriptor < limit - KEPT_BACK:
            return False
        self.turned_away += 1
        now = self._clock()
        if now - self._told_at >= TOLD_EVERY_S:
            self._told_at = now
            log.error(
                "new connections are turned away (%d so far): %d of the %d file descriptors of this process "
                "are in use; raise the limit (ulimit -n, systemd's LimitNOFILE)",
                self.turned_away,
                descriptor,
                limit,
            )
        return True


def latest() -> int:
    """The number that a server gave to its newest connection, where the server does not tell: one less than
    what would be given now, or close to it.
    """
    try:
        free = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.close(free)
    return free - 1


descriptors: Final = Descriptors()
"""Those of this process."""
