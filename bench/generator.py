"""The load generator (``bench/load``, in C): compile it, run it on the last core, and hold its counts against
the server's own.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.contestants import HOME
from bench.servers import Running, colyseus_seats, counts

SOURCES = Path(__file__).resolve().parent / "load"
PROGRAM = HOME / "load"
COOKIES = HOME / "cookies"
SEATS = HOME / "seats"
AT_MOST_S = 600
LOG_SHOWN = 2000
"""Characters of a server's log that go into an error."""
ADDRESSES = 200
"""Loopback addresses of the clients, from 127.0.1.1 on."""
ENDING_SHARE = 0.01
"""Of sockets may be due for a heartbeat just while they end: that takes milliseconds, and it is every 7 s."""

Result = dict[str, Any]
"""What the generator prints at its end."""


class CountsDifferError(Exception):
    """The server's own metrics and the generator do not agree: whatever was measured is worth nothing."""


def compile_program() -> None:
    """Unless it is newer than its sources."""
    sources = sorted(SOURCES.iterdir())
    if PROGRAM.exists() and PROGRAM.stat().st_mtime > max(file.stat().st_mtime for file in sources):
        return
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit(
            "The load generator needs a C compiler; get one with: sudo apt-get install gcc libc6-dev"
        )
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    files = [str(file) for file in sources if file.suffix == ".c"]
    subprocess.run([compiler, "-O2", "-Wall", "-std=gnu11", "-o", str(PROGRAM), *files], check=True)


def load(server: Running, scenario: str, options: Mapping[str, object]) -> Result:
    """One run of a scenario, counted on both sides; raises `CountsDifferError`."""
    ours = server.contestant.ours
    before = counts(server) if ours else {}
    with _started(server, scenario, {**server.contestant.dialects[scenario], **options}) as program:
        tally = program.stand_still() if program.quiz else {}
        after = counts(server) if ours and program.quiz else {}
        result = program.result()
    if ours:
        after = after or counts(server)
        compare({key: value - before.get(key, 0) for key, value in after.items()}, {**result, **tally})
    return result


def compare(spent: Mapping[tuple[str, str], int], result: Result) -> None:
    """Every frame that one side has counted, the other has too.

    Sockets that were lost or cut took with them what was under way, and nobody can say how much: then what
    was counted on the far side may be less, and is never more. What the outbox dropped for slow readers never
    went. A heartbeat that falls due between the client's close and the socket's end is counted and goes
    nowhere: such are taken out if they are few, and told.
    """
    whole = result["lost"] == 0 and result["scenario"] != "storm"
    dropped = sum(spent.get(("gateway_dropped", reason), 0) for reason in ("slow_reader", "replaced"))
    out = {label: count for (name, label), count in spent.items() if name == "gateway_frames_out" and count}
    pairs = {
        "frames in": (result["sent"], spent[("gateway_frames_in", "")]),
        "frames out": (sum(out.values()) - dropped, result["heard"]),
    }
    if not dropped:
        types = {*out, *result["types"]}
        pairs |= {kind: (out.get(kind, 0), result["types"].get(kind, 0)) for kind in types}
    ending = spent.get(("gateway_frames_out", "HEARTBEAT"), 0) - result["types"].get("HEARTBEAT", 0)
    if 0 < ending <= 1 + result["opened"] * ENDING_SHARE:
        result["heartbeats_to_closed_sockets"] = ending
        pairs["frames out"] = (pairs["frames out"][0] - ending, pairs["frames out"][1])
        del pairs["HEARTBEAT"]
    wrong = [
        f"{what}: {sent} sent, {arrived} arrived"
        for what, (sent, arrived) in pairs.items()
        if sent != arrived and (whole or arrived > sent)
    ]
    if result["scenario"] != "flood" and spent.get(("gateway_dropped", "over_budget"), 0):
        wrong.append("frames were dropped over budget")
    if wrong:
        raise CountsDifferError("; ".join(wrong))


class _Program:
    """The generator at work."""

    def __init__(self, server: Running, scenario: str, words: list[bytes], quiz: bool) -> None:
        core = str(max(os.sched_getaffinity(0)))
        self.quiz = quiz
        self.process = subprocess.Popen(
            ["taskset", "-c", core, str(PROGRAM), scenario, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._what = f"{server.contestant.name}, {scenario}"
        self._log = server.log

    def stand_still(self) -> Result:
        """Wait until nothing is under way: what was counted until then. It goes on with `result`."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        tally: Result = json.loads(line) if line else {}
        return tally

    def result(self) -> Result:
        """Wait for the end."""
        out, errors = self.process.communicate(b"go on\n", timeout=AT_MOST_S)
        if self.process.returncode:
            said = self._log.read_text(errors="replace")[-LOG_SHOWN:]
            raise RuntimeError(f"{self._what}: {errors.decode(errors='replace')}\n{said}")
        result: Result = json.loads(out)
        return result


@contextmanager
def _started(server: Running, scenario: str, options: Mapping[str, object]) -> Iterator[_Program]:
    given: dict[str, object] = {
        "port": server.port,
        "pid": server.process.pid,
        "cookies": COOKIES,
        "addresses": ADDRESSES,
        **options,
    }
    if given.get("colyseus"):
        colyseus_seats(server, int(str(given["sockets"])), int(str(given.get("rooms", 1))), SEATS)
        given["targets"] = SEATS
    words = [_word(name, value) for name, value in given.items()]
    program = _Program(server, scenario, words, bool(given.get("quiz")))
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.process.kill()
            program.process.wait()


def _word(name: str, value: object) -> bytes:
    return name.encode() + b"=" + (value if isinstance(value, bytes) else str(value).encode())
