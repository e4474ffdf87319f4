"""So many of a crowd in one turn of the loop, and the others after it, in the order they came.

A switch that dies ends a thousand sockets in one poll, and all of their players knock again in another. Each
costs little, but a loop that does all of them before it looks up again keeps every other socket waiting.
"""

import asyncio
from collections import deque
from functools import lru_cache
from typing import Final

A_TURN: Final = 16
"""Sockets that begin or end in one turn: some 5 ms of work."""


class Turns:
    """The one line of a loop, for all who are about to cost it some time."""

    def __init__(self, a_turn: int = A_TURN) -> None:
        self._a_turn = a_turn
        self._line: deque[asyncio.Future[None]] = deque()
        self._taken = 0

    async def mine(self) -> None:
        """Return at once if this turn of the loop has time left, else in the first one that has."""
        loop = asyncio.get_running_loop()
        if self._taken == 0:
            loop.call_soon(self._next)
        if self._taken < self._a_turn:
            self._taken += 1
            return
        called = loop.create_future()
        self._line.append(called)
        await called

    def _next(self) -> None:
        called = 0
        while self._line and called < self._a_turn:
            first = self._line.popleft()
            if not first.done():  # who was cancelled gave its turn up
                first.set_result(None)
                called += 1
        # Those called wake after this: who comes before they do would overtake them.
        self._taken = self._a_turn if called else 0
        if called:
            asyncio.get_running_loop().call_soon(self._next)


async def turn() -> None:
    """Wait in the line of the running loop."""
    await _of(asyncio.get_running_loop()).mine()


@lru_cache(maxsize=1)
def _of(_: asyncio.AbstractEventLoop) -> Turns:
    return Turns()
