"""One slow download to its end, and what it costs the others: ``python -m bench.tunnel_slow`` (11 minutes).

50 MiB at 100 kB/s through a relay on uvicorn and through one on Daphne, both at the same time. The section it
makes stands at the end of ``docs/figures-tunnel.md``, where ``python -m bench.tunnel`` leaves it alone.
"""

import os
import socket
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from typing import Final

from msgspec import Struct

from bench.tunnel import FIGURES, MAX_GROWTH, MIB, SLOW_BYTES_PER_S, SLOW_HEADING, tunnel
from bench.tunnel_load import LARGE_BYTES, PIECE_BYTES, Place

SERVERS: Final = ("uvicorn", "daphne")
QUIET_S: Final = 60.0
"""Before the download and after it: enough requests for a p95."""
EVERY_S: Final = 0.1
"""From one small request to the next: they look at the relay and are no load to it."""
MEMORY_EVERY_S: Final = 1.0


class Seen(Struct):
    """One stretch of time: seconds that each small request took, bytes of the relay's memory (PSS)."""

    waits: list[float]
    memory: list[int]

    @property
    def p95_ms(self) -> float:
        """Of the small requests."""
        return quantiles(self.waits, n=20)[-1] * 1000


class Run(Struct):
    """A download with what came before and after."""

    server: str
    before: Seen
    during: Seen
    after: Seen
    took_s: float
    received: int

    @property
    def grown(self) -> int:
        """By how much the relay's memory was ever above what it had at the end of the quiet time."""
        return max(self.during.memory) - self.before.memory[-1]


class Download(threading.Thread):
    """A visitor that takes the large file a piece at a time, and each piece no earlier than it is due."""

    def __init__(self, place: Place) -> None:
        super().__init__(daemon=True)
        self.place = place
        self.received = 0
        self.took_s = 0.0
        self.ended = threading.Event()

    def run(self) -> None:
        with self.place.visitor() as visitor:
            visitor.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE_BYTES)
            began = time.monotonic()
            visitor.ask("/large").head()
            self.received = len(visitor.buffer)
            while self.received < LARGE_BYTES:
                time.sleep(max(began + self.received / SLOW_BYTES_PER_S - time.monotonic(), 0))
                piece = visitor.socket.recv(PIECE_BYTES)
                if not piece:
                    break
                self.received += len(piece)
            self.took_s = time.monotonic() - began
        self.ended.set()


def watch(place: Place, relay: int, stop: threading.Event, longest_s: float) -> Seen:
    """Ask and look until told to stop, or for so long."""
    seen, began, looked = Seen([], []), time.monotonic(), 0.0
    with place.visitor() as visitor:
        while time.monotonic() - began < longest_s and not stop.wait(EVERY_S):
            asked = time.perf_counter()
            visitor.ask("/").reply()
            seen.waits.append(time.perf_counter() - asked)
            if time.monotonic() - looked >= MEMORY_EVERY_S:
                looked = time.monotonic()
                seen.memory.append(memory_of(relay))
    return seen


def memory_of(pid: int) -> int:
    """The bytes that are this process's, its share of what it has in common with others included."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.split("Pss:")[1].split()[0]) * 1024


def measured(server: str) -> Run:
    """Quiet, the download, quiet again."""
    with tunnel("--server", server) as running:
        place, relay = running.through, running.relay.process.pid
        before = watch(place, relay, threading.Event(), QUIET_S)
        download = Download(place)
        download.start()
        during = watch(place, relay, download.ended, 2 * LARGE_BYTES / SLOW_BYTES_PER_S)
        after = watch(place, relay, threading.Event(), QUIET_S)
        return Run(server, before, during, after, download.took_s, download.received)


def section(runs: list[Run], busy: tuple[float, float]) -> str:
    """What the documentation says of them."""
    lines = [
        SLOW_HEADING,
        "",
        "50 MiB at no more than 100 kB/s, by `python -m bench.tunnel_slow`: a relay with client and",
        "site for each server, both at once. Another visitor of the same peer asks ten times a second.",
        "Memory is the relay's PSS, looked at each second: the largest value less the last one before the",
        "download; asked for: less than 8 MiB. What other work on the machine does to the p95 is seen in",
        "the quiet minutes before and after.",
        "",
        "| relay on | received | in | p95 before | during | after | the relay grew by | asked for |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        p95 = " | ".join(f"{seen.p95_ms:.1f} ms" for seen in (run.before, run.during, run.after))
        good = "yes" if run.grown < MAX_GROWTH and run.received == LARGE_BYTES else "NO"
        lines.append(
            f"| {run.server} | {run.received / MIB:.1f} MiB | {run.took_s:.0f} s | {p95} | "
            f"{run.grown / MIB:.1f} MiB | {good} |"
        )
    loads = f"The machine's load average: {busy[0]:.1f} before, {busy[1]:.1f} at the end."
    return "\n".join([*lines, "", loads, ""])


def main() -> int:
    """Both servers; written down behind what else is known."""
    began = os.getloadavg()[0]
    with ProcessPoolExecutor(len(SERVERS), mp_context=get_context("spawn")) as pool:
        runs = list(pool.map(measured, SERVERS))
    made = section(runs, (began, os.getloadavg()[0]))
    print(made)
    FIGURES.write_text(FIGURES.read_text().partition(SLOW_HEADING)[0].rstrip() + "\n\n" + made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
