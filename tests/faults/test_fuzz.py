"""Whatever bytes and messages a client sends, it costs nobody else anything (spec 1.3).

Real sockets, random garbage, a neighbour that must hear each of its words back all the while. Nothing is
traced, the log grows by a few lines a socket however much was sent, and the process ends up where it began.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings

from tests.conformance.raw import BINARY, CLOSE, PING, PONG, TEXT, Raw, frame
from tests.faults.garbage import hostile_bytes, hostile_messages
from tests.faults.neighbour import Neighbour, knock
from tests.faults.strict import strictly
from tests.faults.torn import NOTHING, counters, settled
from tests.gateway.wire.client import Browser
from tests.serving import Served

EXAMPLES = 120
"""For each of the two on each of two servers; together they take about fifteen seconds."""
LINES_A_SOCKET = 6
LINES_BESIDE = 20
"""The neighbour, and requests that the test itself makes at its begin and end."""
FLOOD = 3_000
FUZZ = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def undisturbed(server: Served, browser: Browser) -> Iterator[None]:
    """Around each test: the neighbour, and what must be so after it."""
    lines, sockets = len(server.lines), _sockets(server)
    with Neighbour(Browser(server)):
        yield
    assert settled(browser) == NOTHING
    assert "Traceback" not in server.log
    assert "ERROR" not in server.log
    assert _lines(server, lines) <= (_sockets(server) - sockets) * LINES_A_SOCKET + LINES_BESIDE


@FUZZ
@given(sent=hostile_bytes())
def test_no_bytes_disturb_anybody(server: Served, browser: Browser, sent: bytes) -> None:
    """Frames with false lengths, wrong masks, reserved bits and opcodes, stray fragments, noise."""
    with knock(browser) as raw:
        with suppress(ConnectionError):  # it may be thrown out halfway
            raw.send(sent)
        counters(browser)  # by its answer the server has read what was sent before
        raw.reset()
    assert "Traceback" not in server.log


@FUZZ
@given(messages=hostile_messages())
def test_no_message_costs_more_than_an_answer(
    server: Served, browser: Browser, messages: list[str | bytes]
) -> None:
    """Each is answered by at most one frame that a browser can read, none is our fault, the socket lives, and
    its next command works.
    """
    with knock(browser) as raw:
        for message in messages:
            text = isinstance(message, str)
            raw.send(frame(TEXT if text else BINARY, message.encode() if text else message))
        raw.text('{"type":"SIT","word":"survivor"}')
        answers = []
        while not answers or answers[-1] != {"type": "SEATED", "seat": "seat-survivor"}:
            got = raw.receive()
            assert got.opcode == TEXT, got
            answers.append(strictly(got.payload))
        raw.close(1000)
        assert raw.closed_with()[0] == 1000
    errors = [answer for answer in answers if answer["type"] == "ERROR"]
    assert len(errors) <= len(messages)
    assert {error["statusCode"] for error in errors} <= {400, 403, 404, 413, 429}


def test_a_flood_of_garbage_is_neither_answered_nor_logged_frame_by_frame(browser: Browser) -> None:
    """The budget lets 150 through to be told what is wrong, ten more are told that it is too much, the rest
    is only counted. A flood that runs into the next window may have as much once more.
    """
    with knock(browser) as raw:
        raw.send(frame(TEXT, b"{") * FLOOD)
        raw.send(frame(PING))
        codes = _codes_until_pong(raw)
        raw.close(1000)
        raw.closed_with()
    told, warned = codes.count("VALIDATION_ERROR"), codes.count("RATE_LIMIT_EXCEEDED")
    assert told + warned == len(codes)
    assert 150 <= told <= 2 * 150
    assert 10 <= warned <= 2 * 10


def _codes_until_pong(raw: Raw) -> list[str]:
    codes = []
    while (got := raw.receive()).opcode != PONG:
        assert got.opcode != CLOSE, got
        codes.append(strictly(got.payload)["code"])
    return codes


def _sockets(server: Served) -> int:
    return sum("gateway: socket closed" in line for line in server.lines)


def _lines(server: Served, since: int) -> int:
    """The lines of sockets: each page that the test asked for has its own in the access log."""
    return sum('"GET /counters' not in line and '"GET /inside' not in line for line in server.lines[since:])
