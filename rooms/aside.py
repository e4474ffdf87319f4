"""Work that waits, such as the database's: done beside the loop, answered on it.

The game's shell never waits; it hands out the work and what to do with its result. A failure is logged and
answered by None, which every caller must expect.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from gateway.beside import with_database

log = logging.getLogger("rooms")

PATIENCE_S: Final = 8.0
"""Longer than SQLite waits for a writer (5 s); people who wait longer press the button again."""

T = TypeVar("T")


class Aside(Protocol):
    """How the shell has work done; tests pass one that does it in the clock's next call."""

    def __call__(self, work: Callable[[], T], then: Callable[[T | None], None]) -> None:
        """Do ``work`` elsewhere, then call ``then`` on the loop, never before this call has returned."""


class Threads:
    """In a thread of the loop's own pool."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        # The loop holds its tasks weakly.
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, work: Callable[[], T], then: Callable[[T | None], None]) -> None:
        """See `Aside`."""
        task = asyncio.get_running_loop().create_task(self._run(work, then))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        result = None
        try:
            async with asyncio.timeout(self._patience_s):
                result = await asyncio.to_thread(with_database, work)
        except Exception:
            log.exception("work beside the loop failed")
        try:
            then(result)
        except Exception:
            log.exception("an answer from beside the loop broke")
