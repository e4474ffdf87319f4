"""Which log lines belong to one request or one socket: an id for each, in every line and in the answer.

A player who reads ``X-Request-ID`` to the operator names the lines to look at. It is drawn here and never
taken from a client, whose words would stand in every line.
"""

import logging
import secrets
from contextvars import ContextVar
from typing import Any, Final

HEADER: Final = b"x-request-id"
ID_BYTES: Final = 6
"""48 random bits: no two requests that anybody compares have the same."""
STARTS: Final = frozenset({"http.response.start", "websocket.http.response.start", "websocket.accept"})

_current: ContextVar[str | None] = ContextVar("request_id", default=None)


class WithRequestId:
    """An ASGI application with an id for each of its requests."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand on under an id of its own."""
        request_id = secrets.token_hex(ID_BYTES)

        async def answered(message: Any) -> None:
            if message["type"] in STARTS:
                named = (HEADER, request_id.encode())
                message = {**message, "headers": [*message.get("headers", ()), named]}
            await send(message)

        token = _current.set(request_id)
        try:
            await self._app(scope, receive, answered)
        finally:
            _current.reset(token)


class RequestId(logging.Filter):
    """Writes the id of the request that a line belongs to into it; other lines have none."""

    def filter(self, record: logging.LogRecord) -> bool:
        request_id = _current.get()
        if request_id is not None:
            record.request_id = request_id
        return True
