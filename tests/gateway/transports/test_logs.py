"""No query string reaches a log line of the servers: it holds a reconnect token (spec 1.2)."""

import logging

import pytest

from gateway.transports.logs import UVICORN_LOGGERS, PathOnly, hide_query_strings, without_query


@pytest.mark.parametrize("name", UVICORN_LOGGERS)
@pytest.mark.parametrize(
    ("line", "args", "logged"),
    [
        (
            '%s - "%s %s HTTP/%s" %d',
            ("10.0.0.1:5", "GET", "/api/ws/preflight?reconnectToken=x", "1.1", 403),
            '10.0.0.1:5 - "GET /api/ws/preflight HTTP/1.1" 403',
        ),
        (
            '%s - "WebSocket %s" [accepted]',
            ("10.0.0.1:5", "/ws?reconnectToken=x"),
            '10.0.0.1:5 - "WebSocket /ws" [accepted]',
        ),
        ("Who asks?", (), "Who asks?"),
    ],
    ids=["access", "accepted", "no arguments"],
)
def test_paths_are_cut_at_the_query(name: str, line: str, args: tuple[object, ...], logged: str) -> None:
    """In the shapes in which uvicorn logs them; everything else stays."""
    hide_query_strings()
    logger = logging.getLogger(name)
    record = logger.makeRecord(name, logging.INFO, __file__, 1, line, args, None)
    assert logger.filter(record)
    assert record.getMessage() == logged


def test_the_filter_is_installed_once() -> None:
    """However often a server is configured in one process."""
    hide_query_strings()
    hide_query_strings()
    for name in UVICORN_LOGGERS:
        assert sum(isinstance(known, PathOnly) for known in logging.getLogger(name).filters) == 1


def test_what_is_no_string_is_left_alone() -> None:
    """A status stays a number."""
    assert without_query(403) == 403
    assert without_query("/ws?a?b") == "/ws"
