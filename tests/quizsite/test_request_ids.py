"""quizsite.request_ids: lines of one request have one id, and the answer names it."""

import asyncio
import logging
from typing import Any

import pytest

from quizsite.request_ids import RequestId, WithRequestId

log = logging.getLogger("quizsite.tests")


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.handler.addFilter(RequestId())
    caplog.set_level(logging.INFO)
    return caplog


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Say something before and after a wait, and answer."""
    log.info("asked")
    await asyncio.sleep(0)
    await send({"type": scope["answer"], "status": 200, "headers": [(b"content-type", b"text/plain")]})
    log.info("answered")


async def ask(kind: str = "http.response.start") -> dict[bytes, bytes]:
    """The headers of one answer."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await WithRequestId(answer)({"type": "http", "answer": kind}, None, send)
    return dict(sent[0]["headers"])


@pytest.mark.parametrize("kind", ["http.response.start", "websocket.http.response.start", "websocket.accept"])
async def test_an_answer_names_its_request(kind: str) -> None:
    """A page, a refused upgrade and an accepted one alike; what else it says stays."""
    headers = await ask(kind)
    assert len(headers[b"x-request-id"]) == 12
    assert headers[b"content-type"] == b"text/plain"


async def test_requests_at_the_same_time_keep_their_ids_apart(lines: pytest.LogCaptureFixture) -> None:
    """Their lines stand mixed in the log, and an operator takes one request's out by its id."""
    first, second = await asyncio.gather(ask(), ask())
    told = {
        headers[b"x-request-id"].decode(): [
            record.getMessage()
            for record in lines.records
            if getattr(record, "request_id", "") == headers[b"x-request-id"].decode()
        ]
        for headers in (first, second)
    }
    assert list(told.values()) == [["asked", "answered"], ["asked", "answered"]]


async def test_a_line_outside_of_requests_has_none(lines: pytest.LogCaptureFixture) -> None:
    """A duty's lines, or those of the start."""
    await ask()
    log.info("by itself")
    assert not hasattr(lines.records[-1], "request_id")
