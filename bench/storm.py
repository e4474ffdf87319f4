"""Cuts 1,000 players of 25 running games at once, and counts who sits again when: ``make storm``.

``python -m bench.storm [ROOMS] [PLAYERS]`` writes ``docs/figures-storm.md``. What a storm is, and what must
be left of it, is in ``tests.faults.storm``; how the server's loop is watched in ``bench.storm_turns``.
"""

import asyncio
import json
import os
import platform
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from bench.storm_turns import LAST
from tests.faults.players import migrated
from tests.faults.storm import BACKOFF_S, TOKEN, Storm, scraped, sessions
from tests.serving import ROOT, Served, start

ROOMS, PLAYERS = 25, 40
SETTINGS: Final = "bench.storm_settings"
PAGE: Final = ROOT / "docs" / "figures-storm.md"
ASKED_S, ASKED_MS = 6.0, 100.0
"""Of the promise: until 99 % sit, counted from the server listening, and for a turn of the loop."""
ALL_BUT_FEW: Final = 0.99
Turns = dict[str, float]


class Outcome(Struct, frozen=True):
    """What one storm came to. ``before`` are the turns of a process that ended in it."""

    name: str
    seconds: list[float]
    refused: dict[str, int]
    denied: dict[str, float]
    lost: int
    turns: Turns
    before: Turns | None
    load: float

    def until(self, share: float) -> float:
        """The second in which this share of all sat."""
        return self.seconds[min(len(self.seconds) - 1, round(share * len(self.seconds)) - 1)]

    @property
    def kept(self) -> bool:
        """Whether the promise was; the time of the thread stands for the loop, for a busy machine lies."""
        turns = max(self.turns["own_ms"], 0.0 if self.before is None else self.before["own_ms"])
        refused = {reason for reason in self.refused if reason != "HTTP 503"}
        return (
            self.until(ALL_BUT_FEW) < ASKED_S
            and turns < ASKED_MS
            and not (refused or self.denied or self.lost)
        )


def turns_of(server: Served) -> Turns:
    """The longest of a running server since the last look."""
    with urllib.request.urlopen(f"{server.http}/turns", timeout=60) as answer:
        turns: Turns = json.load(answer)
        return turns


def last_turns_of(server: Served) -> Turns | None:
    """Those of a server that has ended; one that was killed says nothing."""
    said = [line.removeprefix(LAST) for line in server.lines if line.startswith(LAST)]
    return json.loads(said[-1]) if said else None


async def cut(storm: Storm, name: str, first_s: float) -> Outcome:
    """The network goes, and comes back at once."""
    load = os.getloadavg()[0]
    await asyncio.to_thread(turns_of, storm.server)
    began = await storm.is_cut(first_s)
    turns = await asyncio.to_thread(turns_of, storm.server)
    return await _outcome(storm, name, began, turns, None, load)


async def restart(storm: Storm, data: Path, name: str, end: Callable[[Served], Any]) -> Outcome:
    """The server goes, and the next one comes."""
    load, before = os.getloadavg()[0], storm.server
    await storm.saved()
    await asyncio.to_thread(turns_of, before)
    began = await storm.outlives(end, lambda ended: _start(data, "--port", str(ended.port)))
    turns = await asyncio.to_thread(turns_of, storm.server)
    return await _outcome(storm, name, began, turns, last_turns_of(before), load)


async def _outcome(
    storm: Storm, name: str, began: float, turns: Turns, before: Turns | None, load: float
) -> Outcome:
    strays = await storm.settles()
    for stray in strays:
        print(f"  {stray}")
    families = [
        await asyncio.to_thread(scraped, storm.server, family)
        for family in ("gateway_refused", "gateway_shield_denials")
    ]
    counted = {reason: number for family in families for reason, number in family.items()}
    denied = {reason: number for reason, number in counted.items() if reason != "unavailable"}
    return Outcome(name, storm.seconds(began), storm.refusals(), denied, len(strays), turns, before, load)


def _start(data: Path, *arguments: str) -> Served:
    return start(SETTINGS, data, *arguments, METRICS_TOKEN=TOKEN)


async def storms(storm: Storm, data: Path) -> list[Outcome]:
    """All four, one question of the games for each."""
    found: list[Outcome] = []
    runs = (
        partial(cut, storm, "network, back at once", 0.0),
        partial(cut, storm, f"network, back after {BACKOFF_S:g} s", BACKOFF_S),
        partial(restart, storm, data, "restart by SIGTERM", Served.stop),
        partial(restart, storm, data, "crash by SIGKILL", Served.kill),
    )
    await storm.begins(questions=len(runs))
    for run in runs:
        if found:
            await storm.goes_on()
        found.append(await run())
        print(*_row(found[-1]), sep="  ", flush=True)
    return found


def _row(outcome: Outcome) -> list[str]:
    shares = [f"{outcome.until(share):.2f}" for share in (0.5, ALL_BUT_FEW, 1.0)]
    refused = ", ".join(f"{count} × {reason}" for reason, count in outcome.refused.items()) or "none"
    denied = ", ".join(f"{count:g} × {reason}" for reason, count in outcome.denied.items()) or "none"
    before = (
        "" if outcome.before is None else f"{outcome.before['late_ms']:.0f} / {outcome.before['own_ms']:.0f}"
    )
    turns = f"{outcome.turns['late_ms']:.0f} / {outcome.turns['own_ms']:.0f}"
    kept = "yes" if outcome.kept else "no"
    return [
        outcome.name,
        *shares,
        refused,
        denied,
        str(outcome.lost),
        turns,
        before,
        f"{outcome.load:.1f}",
        kept,
    ]


HEAD: Final = (
    "the storm",
    "50 % sit (s)",
    "99 % (s)",
    "all (s)",
    "told to wait",
    "refused by caps or shield",
    "views that stray",
    "longest turn (ms)",
    "of the process before",
    "load",
    "promise kept",
)


def page(outcomes: list[Outcome], rooms: int, players: int) -> str:
    """As it stands in the documentation."""
    rows = [HEAD, ["---"] * len(HEAD), *map(_row, outcomes)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"""# Figures of a reconnect storm

Made by `python -m bench.storm`; not to be edited.

{rooms} rooms of {players} players, each room behind one address, in the middle of a question; real limits.
All sockets are cut at once, and every player comes back to its seat as the web client does: after
{BACKOFF_S:g} s, or when a server that stops has told it to, and {BACKOFF_S:g} s after a try that failed.
{os.cpu_count()} cores for server and players together; Python {platform.python_version()}. Loopback, no TLS.

{table}

Seconds count from the cut, or from the next server's listening. *Told to wait*
is what a server answers that is about to stop, or that could not look a session up in time.
A view strays where what a player was told after its return
does not add up to what a fresh look at its room shows, once the question is over. The longest turn of the
loop is by the clock, which counts what the machine did meanwhile, and by the time of the loop's own thread.
Asked for: 99 % within {ASKED_S:g} s, nobody refused, no view that strays, own turns below {ASKED_MS:g} ms.
"""


def main(rooms: int = ROOMS, players: int = PLAYERS) -> int:
    """Storm, print, write, and say by the exit code whether all promises were kept."""
    with tempfile.TemporaryDirectory() as folder:
        data = migrated(Path(folder) / "template", Path(folder) / "data")
        storm = Storm(_start(data), sessions(data, rooms * players), players)
        try:
            outcomes = asyncio.run(storms(storm, data))
        finally:
            storm.server.stop()
    PAGE.write_text(page(outcomes, rooms, players))
    print(f"written: {PAGE.relative_to(ROOT)}")
    return int(not all(outcome.kept for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
