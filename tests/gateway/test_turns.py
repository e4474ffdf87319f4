"""A crowd costs each turn of the loop a share, in the order of its coming."""

import asyncio
from collections.abc import Iterable

from gateway.turns import Turns


class Loop:
    """Who was called in which turn of the loop."""

    def __init__(self) -> None:
        self.called: list[list[int]] = [[]]

    def enter(self, turns: Turns, numbers: Iterable[int]) -> list[asyncio.Task[None]]:
        """One task for each, all in the line at once."""

        async def wait(number: int) -> None:
            await turns.mine()
            self.called[-1].append(number)

        return [asyncio.create_task(wait(number)) for number in numbers]

    async def turns(self, count: int) -> list[list[int]]:
        """Let the loop turn so often, and tell who was called."""
        for _ in range(count):
            await asyncio.sleep(0)
            self.called.append([])
        return [called for called in self.called if called]


def own_turns(a_turn: int) -> Turns:
    """A line of its own on the running loop."""
    return Turns(asyncio.get_running_loop(), a_turn)


async def test_a_crowd_is_served_in_order_a_share_in_each_turn() -> None:
    """Between two shares the loop looks up, and nobody overtakes."""
    loop = Loop()
    loop.enter(own_turns(3), range(8))
    assert await loop.turns(8) == [[0, 1, 2], [3, 4, 5], [6, 7]]


async def test_who_comes_while_others_wait_goes_behind_them() -> None:
    """Also if the turn in which it comes has room."""
    loop, turns = Loop(), own_turns(2)
    loop.enter(turns, range(5))
    await loop.turns(2)
    loop.enter(turns, [9])
    assert [number for turn in await loop.turns(8) for number in turn] == [0, 1, 2, 3, 4, 9]


async def test_alone_nobody_waits() -> None:
    """One after the other, each in a turn of its own: a line that has emptied is as good as new."""
    loop, turns = Loop(), own_turns(1)
    for number in range(3):
        loop.enter(turns, [number])
        await loop.turns(3)
    assert loop.called[0] == [0]
    assert [turn for turn in loop.called if turn] == [[0], [1], [2]]


async def test_who_gives_up_in_the_line_stops_nobody() -> None:
    """A handshake that is cancelled hurts nobody behind it."""
    loop = Loop()
    tasks = loop.enter(own_turns(2), range(6))
    await asyncio.sleep(0)
    tasks[2].cancel()
    assert await loop.turns(8) == [[0, 1], [3], [4, 5]]


async def test_a_plain_call_stands_in_the_same_line() -> None:
    """It is told to go on now, or is called when it may."""
    turns, called = own_turns(2), []
    assert turns.take(lambda: called.append("first"))
    await turns.mine()
    assert not turns.take(lambda: called.append("third"))
    await asyncio.sleep(0)
    assert called == ["third"]
