"""The process stands still, or its time of day jumps, in the middle of a game: nobody notices (spec 1.4).

A laptop's lid and a machine that is moved stop the process; a time server, a summer time and an administrator
step the clock.
"""

import re
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.players import until
from tests.faults.site import Awake, played, site, starts, troubles
from tests.serving import Served

ASLEEP_S = 3.5
"""More than the 2.6 s in which these heartbeats find a silent player dead."""
OF_WATCHES = re.compile("fails; trying again|works again|Traceback")
"""A look that was on its way took too long by the clock: it is said once, and looked again."""
STEPS = ("+1h", "-1h", "+0")
FAKETIME = Path("/usr/lib")


def library() -> str:
    """What lies about the time of day, and about nothing else, to a process that is started with it."""
    found = sorted(FAKETIME.glob("*/faketime/libfaketime.so.1"))
    if not found or shutil.which("faketime") is None:
        pytest.fail("libfaketime is missing: sudo apt-get install faketime")
    return str(found[0])


@pytest.fixture(scope="module")
def offset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that says by how much the server's time of day is wrong; read at each look at the clock."""
    file = tmp_path_factory.mktemp("clock") / "offset"
    file.write_text(STEPS[-1])
    return file


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, offset: Path) -> Iterator[Served]:
    """The site, under a clock that the test sets."""
    environment: dict[str, Any] = {
        "LD_PRELOAD": library(),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    with site(tmp_path_factory.mktemp("process"), **environment) as served:
        yield served


def hour_of(line: str) -> str:
    """The date and hour in front of a line of the log."""
    return line[:13]


def test_a_process_that_stood_still_kills_nobody(server: Served) -> None:
    """Stopped for longer than a silent player has: afterwards every socket is open, and the answer counts."""
    players, asked = starts(server, "Ana", "Ben", "Cleo")
    lines = len(server.lines)
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(ASLEEP_S)  # the process's own time: nothing can be waited for
    server.process.send_signal(signal.SIGCONT)
    beats = [player.beats for player in players]
    until(lambda: all(player.beats >= before + 3 for player, before in zip(players, beats, strict=True)))
    for player in players:
        assert player.answers(asked)["type"] == "ANSWER_ACCEPTED"
    played(players)
    assert not any("socket closed" in line for line in server.lines[lines:])
    assert [line for line in troubles(server) if not OF_WATCHES.search(line)] == []
    for player in players:
        player.socket.close()


def test_a_clock_that_steps_an_hour_changes_nothing_in_a_game(server: Served, offset: Path) -> None:
    """Forwards, back and back again: no session ends, no question does, the response time is what it was, and
    the record's two times of day are as far apart as the game was long.
    """
    began = time.monotonic()
    players, asked = starts(server, "Dan", "Eve")
    eve = players[1]
    lines = len(server.lines)
    for step in STEPS:
        offset.write_text(step)
        beats = eve.beats
        until(lambda beats=beats: eve.beats > beats)  # type: ignore[misc]
        Awake(server, "a visitor")  # writes a line
    until(lambda: len({hour_of(line) for line in server.lines[lines:] if "/host" in line}) >= len(STEPS))
    eve.socket.socket.shutdown(socket.SHUT_RDWR)
    eve.comes_back(server)
    for player in players:
        assert player.answers(asked)["type"] == "ANSWER_ACCEPTED"
    assert eve.hears("YOUR_RESULT")["breakdown"]["responseMs"] <= (time.monotonic() - began) * 1000
    played(players)
    assert server.logged("game stored")
    closed = [line for line in server.lines[lines:] if "socket closed" in line]
    assert len(closed) == 1, "Eve's own"
