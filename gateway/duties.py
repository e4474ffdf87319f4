"""What a serving process does beside its sockets, again and again: look for ended sessions, for new blocks,
for its own lateness, for what it may forget.

A duty is one async function and its interval. `live` starts them with the server; a duty that fails is logged
once and tried again, and costs no other duty its turn.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from gateway.runtime import Runtime

log = logging.getLogger("gateway.duties")

LAG_PROBE_S: Final = 0.25
"""Four looks a second find a loop that stands still for longer than a player would notice."""


class Duty(Struct, frozen=True):
    """``work`` runs on the loop every ``every_s`` seconds, counted from the end of its last run."""

    name: str
    every_s: float
    work: "Callable[[Runtime], Awaitable[None]]"


class Duties:
    """The running duties of one process."""

    def __init__(self, duties: Iterable[Duty]) -> None:
        self._duties = tuple(duties)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, runtime: "Runtime") -> None:
        """Begin all of them on the running loop."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(_keep(duty, runtime), name=duty.name) for duty in self._duties]

    def stop(self) -> None:
        """End all of them; a run that waits is cancelled."""
        for task in self._tasks:
            task.cancel()
        self._tasks = []


async def probe_lag(runtime: "Runtime") -> None:
    """Sleep a moment and count how late the loop woke us."""
    began = runtime.clock.now()
    await asyncio.sleep(LAG_PROBE_S)
    runtime.counts.lag.add(max(0.0, runtime.clock.now() - began - LAG_PROBE_S))


async def forget(runtime: "Runtime") -> None:
    """Drop what is remembered of those who are long gone."""
    runtime.forget()


FORGET: Final = Duty("forgetting those who are gone", 1.0, forget)
WATCH_LAG: Final = Duty("the probe of the loop's lag", 0.0, probe_lag)


async def _keep(duty: Duty, runtime: "Runtime") -> None:
    failing = False
    while True:
        try:
            await duty.work(runtime)
        except Exception:
            if not failing:
                log.exception("%s fails; trying again every %g s", duty.name, duty.every_s)
            failing = True
        else:
            if failing:
                log.warning("%s works again", duty.name)
            failing = False
        await asyncio.sleep(duty.every_s)
