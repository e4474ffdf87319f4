"""So many of a crowd in one turn of the loop, and the others after it, in the order they came.

A switch that dies ends a thousand sockets in one poll, and all of their players knock again in another. Each
costs little, but a loop that does all of them before it looks up again keeps every other socket waiting.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import Final

A_TURN: Final = 16
"""Steps of sockets that begin or end, in one turn: some 5 ms of work."""


class Turns:
    """The one line of a loop, for all who are about to cost it some time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, a_turn: int = A_TURN) -> None:
        self._loop = loop
        self._a_turn = a_turn
        self._line: deque[Callable[[], None]] = deque()
        self._taken = 0

    def take(self, step: Callable[[], None]) -> bool:
        """Whether this turn of the loop has time left; if not, ``step`` is called in one that has."""
        if self._taken == 0:
            self._loop.call_soon(self._next)
        if self._taken < self._a_turn:
            self._taken += 1
            return True
        self._line.append(step)
        return False

    async def mine(self) -> None:
        """The same for a coroutine: returns at once, or in that turn."""
        called = self._loop.create_future()
        if not self.take(lambda: None if called.done() else called.set_result(None)):
            await called

    def _next(self) -> None:
        steps = min(len(self._line), self._a_turn)
        # Coroutines that are called now wake after this: who comes before they do would overtake them.
        self._taken = self._a_turn if steps else 0
        if steps:
            self._loop.call_soon(self._next)
        for _ in range(steps):
            self._line.popleft()()


@lru_cache(maxsize=1)
def turns_of(loop: asyncio.AbstractEventLoop) -> Turns:
    """Those of this loop."""
    return Turns(loop)


async def turn() -> None:
    """Wait in the line of the running loop."""
    await turns_of(asyncio.get_running_loop()).mine()
