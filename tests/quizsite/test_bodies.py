"""quizsite.bodies: what a request may send, in bytes and in time. On the wire: ``tests/security``."""

import asyncio
from typing import Any

import pytest

from quizsite import bodies
from quizsite.bodies import MAX_BODY_BYTES, STALLED_S, WithBodyLimit, announced

PIECE = 2**20


class Visit:
    """One request against an application that reads its body to the end and answers with its length."""

    stalled_s = STALLED_S

    def __init__(self, *pieces: bytes, ends: bool = True, **headers: str) -> None:
        self.told: list[Any] = []
        self.read: list[int] = []
        self.disconnected = False
        last = len(pieces) - 1
        self._events = [
            {"type": "http.request", "body": piece, "more_body": index < last or not ends}
            for index, piece in enumerate(pieces)
        ]
        lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        self._scope = {"type": "http", "headers": lines}

    async def run(self) -> "Visit":
        await WithBodyLimit(self._app, self.stalled_s)(self._scope, self._receive, self._send)
        return self

    @property
    def status(self) -> int:
        """Of the one answer that there may be."""
        (start,) = [message for message in self.told if message["type"] == "http.response.start"]
        status: int = start["status"]
        return status

    async def _receive(self) -> Any:
        if not self._events:
            await asyncio.sleep(3600)
        return self._events.pop(0)

    async def _send(self, message: Any) -> None:
        self.told.append(message)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                self.disconnected = True
                break
            self.read.append(len(event["body"]))
            if not event["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def test_a_body_within_the_limit_is_the_applications() -> None:
    """To the last byte that is allowed."""
    visit = await Visit(*[b"x" * PIECE] * (MAX_BODY_BYTES // PIECE)).run()
    assert visit.status == 200
    assert sum(visit.read) == MAX_BODY_BYTES


async def test_a_body_that_says_its_length_is_refused_before_anybody_reads_it() -> None:
    """The application does not hear of it; what is on its way is thrown away, so that the answer arrives."""
    visit = await Visit(b"x" * PIECE, b"", content_length=str(MAX_BODY_BYTES + 1)).run()
    assert visit.status == 413
    assert visit.read == []
    assert visit.told[-1] == {"type": "http.response.body", "body": b""}


async def test_a_body_that_grows_is_refused_where_it_goes_over() -> None:
    """The application is told that its visitor has gone, and what it would say then goes nowhere."""
    visit = await Visit(*[b"x" * PIECE] * (MAX_BODY_BYTES // PIECE + 5)).run()
    assert visit.status == 413
    assert sum(visit.read) == MAX_BODY_BYTES
    assert visit.disconnected


async def test_a_body_that_stops_coming_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """408 after the pause between two pieces."""
    monkeypatch.setattr(bodies, "DISCARD_S", 0.01)
    visit = Visit(b"half of it", ends=False)
    visit.stalled_s = 0.01
    await visit.run()
    assert visit.status == 408
    assert visit.disconnected


async def test_what_is_no_request_passes_untouched() -> None:
    """Sockets have limits of their own."""
    seen: list[Any] = []

    async def app(*given: Any) -> None:
        seen.extend(given)

    given = ({"type": "websocket"}, object(), object())
    await WithBodyLimit(app)(*given)
    assert tuple(seen) == given


def test_a_server_that_keeps_bodies_whole_is_told_the_limit() -> None:
    """In bytes and in time, and what to answer beyond it."""
    limit = WithBodyLimit(None).body_limit([], b"/")
    assert (limit.max_bytes, limit.too_large.status) == (MAX_BODY_BYTES, 413)
    assert (limit.stalled_s, limit.stalled.status) == (STALLED_S, 408)


@pytest.mark.parametrize("said", ["", "-1", "0x10", "1e9", "9" * 40, "1,2"])
def test_a_length_that_is_none_says_nothing(said: str) -> None:
    """The body is counted then, as one without a length."""
    assert announced([(b"content-length", said.encode())]) == 0
    assert announced([(b"content-length", b"5"), (b"content-length", b"6")]) == 0
