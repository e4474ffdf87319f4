"""How long the loop of a server under `bench.storm` was away at worst, by the clock and by its own work.

The clock counts what a busy machine takes from us too; the time of the thread is our own doing alone. Who
asks on the page ``/turns`` begins anew; what is left when the process ends is its last line.
"""

import asyncio
import atexit
import gc
import json
import time
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from gateway.runtime import Runtime

LOOK_S: Final = 0.001
"""From one look to the next: a turn longer than this is seen."""
LAST: Final = "the longest turns were "
"""How the last line begins."""


class Longest(Struct):
    """Milliseconds by which a timer was late, and which the loop's thread worked from look to look."""

    late_ms: float = 0.0
    own_ms: float = 0.0
    collecting_ms: float = 0.0
    """Of the garbage collector, in one piece; a part of the others."""


longest = Longest()
_collecting_since = 0.0


def taken() -> dict[str, float]:
    """The longest since the last call."""
    global longest
    found, longest = longest, Longest()
    return {name: round(value, 1) for name, value in asdict(found).items()}


async def watch(runtime: Runtime) -> None:
    """One look after the other, until cancelled."""
    seen_at, worked_s = time.monotonic(), time.thread_time()
    while True:
        await asyncio.sleep(LOOK_S)
        now, work_s = time.monotonic(), time.thread_time()
        longest.late_ms = max(longest.late_ms, (now - seen_at - LOOK_S) * 1000)
        longest.own_ms = max(longest.own_ms, (work_s - worked_s) * 1000)
        seen_at, worked_s = now, work_s


def _collected(phase: str, info: dict[str, Any]) -> None:
    global _collecting_since
    if phase == "start":
        _collecting_since = time.thread_time()
    else:
        took_ms = (time.thread_time() - _collecting_since) * 1000
        longest.collecting_ms = max(longest.collecting_ms, took_ms)


def begin() -> None:
    """In this process, until its end."""
    gc.callbacks.append(_collected)
    atexit.register(lambda: print(LAST + json.dumps(taken()), flush=True))
