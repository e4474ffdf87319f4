"""Many rooms of bots at once: each room plays one whole game, then its bots' views are compared."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct

from rooms.bots.bot import Bot
from rooms.bots.view import BotView

PATIENCE_S = 120.0
"""For one game of a few quick questions; a server that needs longer has lost it."""
SETTLED_S = 5.0
"""Roster changes are told a quarter of a second late; a loaded server may need longer."""
LEAST_PLAYERS = 2
"""The smallest room that may be asked for."""
OPENING_AT_ONCE = 20
"""A crowd comes through a door a few at a time."""


class Plan(Struct, frozen=True):
    """What the swarm does. ``first`` is the number of its first bot: swarms side by side have others."""

    site: str
    rooms: int
    players: int
    questions: int
    slowest_s: float
    first: int = 0


async def play(plan: Plan, on_finished: Callable[[int], None]) -> list[list[BotView]]:
    """All games; the views of the players, room by room. ``on_finished`` hears how many rooms are done."""
    door = asyncio.Semaphore(OPENING_AT_ONCE)
    done = 0

    async def one(number: int) -> list[BotView]:
        nonlocal done
        views = await _room(plan, number, door)
        done += 1
        on_finished(done)
        return views

    return list(await asyncio.gather(*(one(number) for number in range(plan.rooms))))


async def _room(plan: Plan, number: int, door: asyncio.Semaphore) -> list[BotView]:
    first = plan.first + number * plan.players
    bots = [
        Bot(plan.site, f"Bot {first + index}", first + index, plan.slowest_s) for index in range(plan.players)
    ]
    try:
        async with asyncio.timeout(PATIENCE_S):
            await _play_one(plan, bots, door)
    except TimeoutError:
        bots[0].view.errors.append(f"no podium after {PATIENCE_S:g} s")
    finally:
        await asyncio.gather(*(bot.close() for bot in bots))
    return [bot.view for bot in bots]


async def _play_one(plan: Plan, bots: list[Bot], door: asyncio.Semaphore) -> None:
    host, *others = bots
    games = await _gather(plan, host, others, door)
    await host.say("UPDATE_ROOM_SETTINGS", settings={"streakBonus": True})
    await _back(host, host.reload)
    await _agree(bots)
    await host.say("START_GAME")
    for number in range(1, plan.questions + 1):
        await _until(host, partial(host.view.has_results, number))
        if number == 1:
            await _agree(bots)
            await _back(bots[-1], bots[-1].drop)
            await _agree(bots)
        await host.say("NEXT_QUESTION")
    await asyncio.gather(*games)
    await _agree(bots)


async def _gather(
    plan: Plan, host: Bot, others: list[Bot], door: asyncio.Semaphore
) -> list[asyncio.Task[None]]:
    """All of them in one room; the host alone moves it on, so that a slow machine changes nothing."""
    await _enter(host, door)
    games = [asyncio.create_task(host.play())]
    settings = {
        "questionCount": plan.questions,
        "secondsPerQuestion": 10,
        "maxPlayers": max(plan.players, LEAST_PLAYERS),
        "autoAdvance": False,
    }
    await host.say("CREATE_ROOM", name=host.name, settings=settings)
    await _until(host, lambda: bool(host.view.code))
    for bot in others:
        await _enter(bot, door)
        games.append(asyncio.create_task(bot.play()))
        await bot.say("JOIN_ROOM", roomCode=host.view.code, name=bot.name)
    await _until(host, lambda: len(host.view.scores) == plan.players)
    return games


async def _back(bot: Bot, go: Callable[[], Awaitable[None]]) -> None:
    """The bot goes, in its own way, and is back: it was shown the room anew."""
    before = bot.view.room
    await go()
    await _until(bot, lambda: bot.view.room is not before)


async def _agree(bots: list[Bot]) -> None:
    """What each believes of the room becomes what a fresh snapshot shows; where not, that is noted."""
    fresh = await bots[0].look()
    try:
        async with asyncio.timeout(SETTLED_S):
            for bot in bots:
                await _until(bot, lambda: not bot.view.strays_from(fresh))  # noqa: B023  (awaited here)
    except TimeoutError:
        for bot in bots:
            bot.view.strays.extend(bot.view.strays_from(fresh))


async def _enter(bot: Bot, door: asyncio.Semaphore) -> None:
    async with door:
        await bot.open()


async def _until(bot: Bot, true: Callable[[], bool]) -> None:
    while not true():
        bot.changed.clear()
        await bot.changed.wait()
        if bot.view.errors:
            raise TimeoutError
