"""Start a contestant on the first core, look at its counts, end it.

Its output goes to a file, so that nobody has to read along while something is measured. What the load
generator does is in ``bench.generator``.
"""

import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.contestants import HOME, Contestant

START_S = 30.0
STOP_S = 15.0
LOOK_S = 0.05
TOKEN = "bench"
METRIC = re.compile(r'^(gateway_\w+?)(?:_total)?(?:\{\w+="([^"]*)"\})? ([0-9.e+]+)$')


def server_core() -> int:
    """The first core that we may use; the generator has the last."""
    return min(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Running:
    """A started contestant."""

    contestant: Contestant
    process: subprocess.Popen[bytes]
    port: int
    log: Path


@contextmanager
def running(contestant: Contestant) -> Iterator[Running]:
    """The contestant, listening, for the length of a ``with``."""
    logs = HOME / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    log = logs / f"{contestant.name.replace(' ', '-')}.log"
    with log.open("wb") as output:
        process = _start(contestant, port, output)
        try:
            _wait_until_it_listens(process, port, log)
            yield Running(contestant, process, port, log)
        finally:
            _stop(process)


def counts(server: Running) -> dict[tuple[str, str], int]:
    """What the gateway counts of itself, by name and label; only of ours."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=START_S) as response:
        lines = response.read().decode().splitlines()
    found = (METRIC.match(line) for line in lines)
    return {(match[1], match[2] or ""): int(float(match[3])) for match in found if match}


def colyseus_seats(server: Running, sockets: int, rooms: int, to: Path) -> None:
    """A seat for each socket, as Colyseus gives them out by HTTP: a path for each goes to the file."""
    lines = []
    for index in range(sockets):
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.port}/matchmake/joinOrCreate/table",
            json.dumps({"table": str(index % rooms)}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=START_S) as response:
            seat = json.load(response)
        lines.append(f"/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}\n")
    to.write_text("".join(lines))


def _start(contestant: Contestant, port: int, output: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [word.format(port=port) for word in contestant.command]
    environment = {"PATH": os.environ["PATH"], "HOME": str(HOME), "PYTHONPATH": str(contestant.folder)}
    return subprocess.Popen(
        ["taskset", "-c", str(server_core()), *command],
        cwd=contestant.folder,
        env={**environment, **contestant.environment},
        stdout=output,
        stderr=subprocess.STDOUT,
    )


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(LOOK_S)
    raise RuntimeError(f"{process.args!r} does not listen:\n{log.read_text(errors='replace')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
