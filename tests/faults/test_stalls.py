"""A peer that stalls, in every phase of the handshake or in the body of a request: it holds a place for
seconds, and nobody waits for it. On both servers.

What comes after the handshake is found by the heartbeat (``tests/faults/test_network.py``), what comes before
has clocks of its own. All at once: each peer stalls beside a neighbour that is heard all the while.
"""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conformance.raw import Raw
from tests.faults.neighbour import Neighbour
from tests.faults.torn import descriptors, settled, upgrade
from tests.gateway.wire.client import Browser
from tests.serving import Served, serving

HAND_MADE = {"HEARTBEAT_INTERVAL_MS": 600_000}
"""The neighbour answers none."""
ENDED_S = 8.0
"""The head's 0.6 s, on a machine that is busy."""
SERVERS = ("uvicorn", "daphne")
SLOW_LINES = 12
SLOW_PIECES = 15
SLOW_PAUSE_S = 0.1


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of little patience."""
    data: Path = tmp_path_factory.mktemp("stalls")
    chosen = ("--server", request.param)
    with serving("tests.faults.stalling", data, *chosen, TOY_GATEWAY=json.dumps(HAND_MADE)) as served:
        yield served


@pytest.fixture
def browser(server: Served) -> Browser:
    """Somebody who has a session."""
    return Browser(server)


def connected(server: Served, said: bytes) -> socket.socket:
    """A peer that says this, and nothing more."""
    peer = socket.create_connection(("127.0.0.1", server.port))
    peer.sendall(said)
    peer.settimeout(ENDED_S)
    return peer


def heard(peer: socket.socket) -> bytes:
    """All that it is told until the server ends it; `TimeoutError` if the server does not."""
    got = b""
    try:
        while data := peer.recv(65_536):
            got += data
    except ConnectionResetError:
        pass
    return got


def test_a_peer_that_stalls_is_let_go_in_whatever_phase(server: Served, browser: Browser) -> None:
    """Silent from the start, in the request line, in a header, before the empty line; after a first request
    in the head of the second. The others notice nothing.
    """
    request = upgrade(browser)
    page = b"GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    phases = {
        "silent": (b"", b""),
        "request line": (request[:6], b"HTTP/1.1 408"),
        "header": (request[:60], b"HTTP/1.1 408"),
        "before the empty line": (request[:-2], b"HTTP/1.1 408"),
        "second request": (page + page[:20], b"HTTP/1.1 200"),
    }
    browser.get("/counters")
    before = descriptors(server)
    with ExitStack() as open_peers, Neighbour(Browser(server)):
        peers = {
            phase: open_peers.enter_context(connected(server, said)) for phase, (said, _) in phases.items()
        }
        answers = {phase: heard(peer) for phase, peer in peers.items()}
    for phase, (_, begins) in phases.items():
        assert answers[phase].startswith(begins), phase
    assert b"HTTP/1.1 408" in answers["second request"]
    assert answers["silent"] == b""
    assert settled(browser)["slots"] == 0
    assert descriptors(server) <= before + 2
    assert "Traceback" not in server.log
    assert sum("does not end" in line for line in server.lines) == 4


def test_a_header_a_moment_buys_no_time(server: Served) -> None:
    """The clock runs from the first byte to the last one of the head, not between two of them."""
    peer = connected(server, b"GET / HTTP/1.1\r\n")
    began = time.monotonic()
    try:
        for number in range(SLOW_LINES):
            peer.sendall(b"X-%d: y\r\n" % number)
            time.sleep(SLOW_PAUSE_S)
    except ConnectionError:
        pass  # it was let go in between
    assert heard(peer).startswith(b"HTTP/1.1 408") or time.monotonic() - began < SLOW_LINES * SLOW_PAUSE_S + 1
    peer.close()


def test_a_head_without_end_is_cut_off(server: Served) -> None:
    """Header lines are kept until the head is whole: so many and no more (Twisted has a bound of its own)."""
    with Raw(server.port) as raw:
        raw.send(b"GET / HTTP/1.1\r\n")
        assert raw.push(b"X-Padding: " + b"y" * 4000 + b"\r\n", at_most=8 * 2**20) < 8 * 2**20
    if "uvicorn" in server.process.args:  # type: ignore[operator]
        assert server.logged("status=431")


FRAMINGS = {
    "length": b"Content-Length: 10\r\n\r\nhalf",
    "chunks": b"Transfer-Encoding: chunked\r\n\r\n4\r\nha",
}


@pytest.mark.parametrize("body", FRAMINGS.values(), ids=FRAMINGS)
def test_a_body_that_stalls_is_answered_in_words_and_ends_its_connection(server: Served, body: bytes) -> None:
    """Whether it said its length or not, and in the middle of a chunk."""
    head = f"POST /session HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode()
    with connected(server, head + body) as peer:
        told = heard(peer)
    assert told.startswith(b"HTTP/1.1 408")
    assert b"\r\nconnection: close\r\n" in told.lower()
    assert b"The rest of the request did not come." in told
    assert told.count(b"HTTP/1.1") == 1
    assert "Traceback" not in server.log


def test_a_slow_body_is_waited_for_as_long_as_it_comes(server: Served) -> None:
    """The clock runs from piece to piece: a large file from a phone takes its minutes."""
    head = f"POST /session HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
    with connected(server, f"{head}Content-Length: {SLOW_PIECES}\r\n\r\n".encode()) as peer:
        for _ in range(SLOW_PIECES):
            time.sleep(SLOW_PAUSE_S)
            peer.sendall(b"x")
        told = heard(peer)
    assert told.startswith(b"HTTP/1.1 ")
    assert not told.startswith(b"HTTP/1.1 408")


def test_a_slow_answer_is_not_broken_into_by_a_late_request(server: Served) -> None:
    """While a response is on its way the head behind it may take its time: a 408 would land in its middle."""
    page = f"GET /slow HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    with connected(server, page + page[:10]) as peer:
        told = heard(peer)
    assert told.startswith(b"HTTP/1.1 200")
    assert told.index(b"at last") < told.index(b"HTTP/1.1 408")
