"""Bounds what a request may send: Django reads every body to its end before it asks anybody what it is for.

Around the pages, whichever server they run on; `WithBodyLimit.body_limit` is for one that keeps bodies whole
(``gateway.transports.bodies``). A tunnel's bodies have limits of their own and do not come by here.
"""

import asyncio
from typing import Any, Final

from gateway.transports.bodies import DISCARD_BYTES, DISCARD_S, BodyLimit, Refusal
from gateway.transports.responses import Headers

MAX_BODY_BYTES: Final = 16 * 2**20
"""The largest file that the importers take (12 MiB), and the form around it."""
STALLED_S: Final = 30.0
"""From one piece of a body to the next: longer, and nobody is sending any more."""

PLAIN: Final = ((b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close"))
TOO_LARGE: Final = Refusal(413, PLAIN, b"The request is larger than %d MiB.\n" % (MAX_BODY_BYTES // 2**20))
STALLED: Final = Refusal(408, PLAIN, b"The rest of the request did not come.\n")


class WithBodyLimit:
    """An ASGI application whose requests have bodies that end."""

    def __init__(self, app: Any, stalled_s: float = STALLED_S) -> None:
        self._app = app
        self._limit = BodyLimit(MAX_BODY_BYTES, TOO_LARGE, stalled_s, STALLED)

    def body_limit(self, headers: Headers, target: bytes) -> BodyLimit:
        """The same for every page."""
        return self._limit

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand on what is not too long, and what is no request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = Body(receive, send, self._limit.stalled_s)
        if announced(scope["headers"]) > MAX_BODY_BYTES:
            await body.refuse(TOO_LARGE)
        else:
            await self._app(scope, body.receive, body.send)


class Body:
    """One request on its way in, and whether it still needs an answer from the application."""

    def __init__(self, receive: Any, send: Any, stalled_s: float) -> None:
        self._receive = receive
        self._send = send
        self._stalled_s = stalled_s
        self._taken = 0
        self._arrives = True
        self._refused = False

    async def receive(self) -> Any:
        """The next event; a disconnect once the body was refused."""
        if self._refused:
            return {"type": "http.disconnect"}
        if not self._arrives:
            return await self._receive()
        try:
            async with asyncio.timeout(self._stalled_s):
                event = await self._receive()
        except TimeoutError:
            await self.refuse(STALLED)
            return {"type": "http.disconnect"}
        self._arrives = bool(event.get("more_body"))
        self._taken += len(event.get("body", b""))
        if self._taken > MAX_BODY_BYTES:
            await self.refuse(TOO_LARGE)
            return {"type": "http.disconnect"}
        return event

    async def send(self, message: Any) -> None:
        """The application's answer, unless there has been one."""
        if not self._refused:
            await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer, and read on for a moment: a connection that is closed on unread bytes is a reset, which
        overtakes the answer.
        """
        self._refused = True
        await self._send(
            {"type": "http.response.start", "status": refusal.status, "headers": [*refusal.headers]}
        )
        await self._send({"type": "http.response.body", "body": refusal.body, "more_body": True})
        await self._discard()
        await self._send({"type": "http.response.body", "body": b""})

    async def _discard(self) -> None:
        left = DISCARD_BYTES
        try:
            async with asyncio.timeout(DISCARD_S):
                while self._arrives and left > 0:
                    event = await self._receive()
                    self._arrives = bool(event.get("more_body"))
                    left -= len(event.get("body", b""))
        except TimeoutError:
            return


def announced(headers: Headers) -> int:
    """What the request says it will send; 0 if it does not say, or nothing that is a number."""
    said = [value for name, value in headers if name == b"content-length"]
    return int(said[0]) if len(said) == 1 and said[0].isdigit() and len(said[0]) < 20 else 0
