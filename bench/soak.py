"""Lets 500 bots come, play, drop and leave for half an hour: ``make soak``, ``python -m bench.soak MINUTES``.

Each of 25 rooms plays one short game after another; in each its host reloads, a player loses the network, and
everybody leaves. What the process holds is printed when everybody has gone, after the first games (they load
and fill what is loaded and filled once) and at the end: the two must be alike.
"""

import asyncio
import json
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from rooms.bots.swarm import Plan, play
from tests.faults.players import migrated
from tests.serving import Served, serving

MINUTES = 30.0
ROOMS, PLAYERS, QUESTIONS = 25, 20, 2
SLOWEST_S = 1.0
"""The longest that a bot thinks about an answer."""
WARM_GAMES = 2
"""Of each room, before the first look."""
SETTLED_S = 150.0
"""When everybody has gone: last closes live for a minute, limiter keys for two."""
TRANSIENT = ("sockets", "rooms", "timers", "limiter keys", "last closes", "conduct")
"""What nobody needs once everybody has been gone for that long."""
LOOK_S = 2.0
SHOWN = 20
"""Lines of each kind of trouble."""

Numbers = dict[str, float]

AT_MOST = {
    "memory (MiB)": lambda before: before * 1.1 + 8,
    "python objects": lambda before: before * 1.05,
    "file descriptors": lambda before: before + 8,
    "tasks": lambda before: before + 4,
}
"""What may be more at the end; every other number must be what it was. Allocators keep some memory, a pool
some threads."""


def inside(server: Served) -> Numbers:
    """What the process holds now."""
    with urllib.request.urlopen(f"{server.http}/inside", timeout=60) as answer:
        numbers: Numbers = json.load(answer)
        return numbers


def at_rest(server: Served) -> Numbers:
    """The same, once nobody is there any more."""
    until = time.monotonic() + SETTLED_S
    while any((numbers := inside(server))[name] for name in TRANSIENT):
        if time.monotonic() > until:
            break
        time.sleep(LOOK_S)
    return numbers


async def soak(server: Served, until: float, games: int) -> tuple[int, list[str]]:
    """All rooms at once, each ``games`` games and more until ``until``; how many, and what went wrong."""
    played = 0
    errors: list[str] = []

    async def room(number: int) -> None:
        nonlocal played
        plan = Plan(server.http, 1, PLAYERS, QUESTIONS, SLOWEST_S, first=number * PLAYERS)
        own = 0
        while own < games or time.monotonic() < until:
            try:
                views = await play(plan, lambda _: None)
            except Exception as error:
                errors.append(f"room {number}: {type(error).__name__}: {error}")
            else:
                errors.extend(f"room {number}: {text}" for view in views[0] for text in view.errors)
                errors.extend(f"room {number}: {text}" for view in views[0] for text in view.strays)
            own += 1
            played += 1

    async with asyncio.TaskGroup() as rooms:
        for number in range(ROOMS):
            rooms.create_task(room(number))
            await asyncio.sleep(0.2)  # 500 people do not come through a door at once
    return played, errors


def report(before: Numbers, warm: Numbers, after: Numbers) -> list[str]:
    """The table, and what in it is not flat."""
    print(f"\n{'':22}{'at the start':>14}{'after warming':>15}{'at the end':>14}")
    for name in after:
        print(f"{name:22}{before[name]:>14,}{warm[name]:>15,}{after[name]:>14,}")
    return [
        f"{name}: {warm[name]:,} became {after[name]:,}"
        for name in after
        if after[name] > AT_MOST.get(name, lambda number: number)(warm[name])
    ]


def main(minutes: float = MINUTES) -> int:
    """Soak, print, and say by the exit code whether it was flat and nothing went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        data = migrated(Path(folder) / "template", Path(folder) / "data")
        with serving("bench.soak_settings", data) as server:
            before = inside(server)
            warm_games, trouble = asyncio.run(soak(server, 0.0, WARM_GAMES))
            warm = at_rest(server)
            print(f"{warm_games} games to warm up; now for {minutes:g} minutes", flush=True)
            games, more = asyncio.run(soak(server, time.monotonic() + 60 * minutes, 1))
            after = at_rest(server)
            logged = _faults(server)
    trouble += more
    uneven = report(before, warm, after)
    print(f"\n{games} games of {PLAYERS} bots in {minutes:g} minutes, {len(trouble)} faults seen by bots")
    for line in (*uneven, *trouble[:SHOWN], *logged[:SHOWN]):
        print(f"  {line}")
    return int(bool(uneven or trouble or logged))


def _faults(server: Served) -> list[Any]:
    """What the server complained about."""
    return [line.rstrip() for line in server.lines if " ERROR " in line or "Traceback" in line]


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
