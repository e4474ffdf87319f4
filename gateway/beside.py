"""Database work in threads beside the loop: what a request does around queries, a thread for each duty."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import close_old_connections

T = TypeVar("T")


class Lane:
    """One thread of its own: while a look hangs, later ones wait behind it and give up, instead of taking a
    thread each.
    """

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, name)

    async def __call__(self, work: Callable[[], T], patience_s: float) -> T:
        """What ``work`` returns or raises; `TimeoutError` if that takes longer, its turn included."""
        async with asyncio.timeout(patience_s):
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, partial(with_database, work)
            )


def with_database(work: Callable[[], T]) -> T:
    """As Django does around a request: a connection that went stale, or is too old, is not used again."""
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
