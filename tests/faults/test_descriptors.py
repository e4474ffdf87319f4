"""File descriptors run out: new connections are turned away, with one line of the log, and old ones live.

The limit is lowered while the server runs, to just above what it uses.
"""

import logging
import resource
import socket
from contextlib import ExitStack

import pytest

from gateway.transports.descriptors import KEPT_BACK, TOLD_EVERY_S, Descriptors
from tests.faults.neighbour import Neighbour
from tests.faults.players import until
from tests.faults.torn import descriptors
from tests.gateway.wire.client import Browser
from tests.serving import Served

ROOM = 12
CROWD = 40


def limit(server: Served, to: int) -> None:
    """How many descriptors the server may have, from now on."""
    hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (to, hard))


def ended(peers: list[socket.socket]) -> int:
    """How many of them the server has ended; the others say nothing."""
    count = 0
    for peer in peers:
        peer.settimeout(0.05)
        try:
            count += peer.recv(1) == b""
        except ConnectionError:
            count += 1
        except TimeoutError:
            continue
    return count


def test_a_crowd_beyond_the_limit_is_turned_away_and_nobody_else_is_harmed(
    server: Served, browser: Browser
) -> None:
    """The old socket is heard, a page that has its connection is served, and the operator has one line; with
    the crowd gone everybody gets in.
    """
    before = descriptors(server)
    with Neighbour(browser) as neighbour, ExitStack() as open_peers:
        until(lambda: neighbour.heard > 0)
        had = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[0]
        limit(server, before + KEPT_BACK + ROOM)
        crowd = [
            open_peers.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            for _ in range(CROWD)
        ]
        assert server.logged("new connections are turned away")
        assert CROWD - ROOM - 2 <= ended(crowd) <= CROWD - 1
        assert descriptors(server) < before + KEPT_BACK + ROOM
        limit(server, had)
    assert browser.get("/session").status == 200
    assert sum("turned away" in line for line in server.lines) == 1
    assert "Traceback" not in server.log


def test_one_line_a_minute_tells_how_many_were_turned_away(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what is in use, what is allowed, and what to raise."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 100))
    now = 5.0
    ours = Descriptors(lambda: now)
    assert [ours.is_too_many(number) for number in (3, 99 - KEPT_BACK, 100 - KEPT_BACK, 99)] == [
        *(False, False, True, True),
    ]
    assert len(caplog.records) == 1
    assert caplog.records[0].levelno == logging.ERROR
    now += TOLD_EVERY_S
    ours.is_too_many(99)
    assert "(3 so far): 99 of the 100" in caplog.text


def test_a_process_without_a_limit_turns_nobody_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """``ulimit -n unlimited`` is a number like any other to the kernel, and -1 to Python."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert not Descriptors().is_too_many(10**6)
