"""Many rooms of bots at once: each room plays one whole game, then its bots' views are compared."""

import asyncio
from collections.abc import Callable

from msgspec import Struct

from rooms.bots.bot import Bot
from rooms.bots.view import BotView

PATIENCE_S = 120.0
"""For one game of a few quick questions; a server that needs longer has lost it."""
OPENING_AT_ONCE = 20
"""A crowd comes through a door a few at a time."""


class Plan(Struct, frozen=True):
    """What the swarm does."""

    site: str
    rooms: int
    players: int
    questions: int
    slowest_s: float


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
    first = number * plan.players
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
    await _enter(host, door)
    games = [asyncio.create_task(host.play())]
    settings = {"questionCount": plan.questions, "secondsPerQuestion": 10, "maxPlayers": plan.players}
    await host.say("CREATE_ROOM", name=host.name, settings=settings)
    await _until(host, lambda: bool(host.view.user_id))
    for bot in others:
        await _enter(bot, door)
        games.append(asyncio.create_task(bot.play()))
        await bot.say("JOIN_ROOM", roomCode=host.view.code, name=bot.name)
    await _until(host, lambda: len(host.view.members) == plan.players)
    await host.say("START_GAME")
    for _ in range(plan.questions):
        await _until(host, lambda: host.view.phase == "QUESTION_RESULTS")
        host.view.phase = ""
        await host.say("NEXT_QUESTION")
    await asyncio.gather(*games)


async def _enter(bot: Bot, door: asyncio.Semaphore) -> None:
    async with door:
        await bot.open()


async def _until(bot: Bot, true: Callable[[], bool]) -> None:
    while not true():
        bot.changed.clear()
        await bot.changed.wait()
        if bot.view.errors:
            raise TimeoutError
