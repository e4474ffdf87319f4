"""What the relay itself says to a visitor (spec 6.3): one table of answers, and how they are sent.

Each carries ``X-Tunnel-Error`` and is JSON or a small page. An answer to a request whose body still arrives
leaves the connection open for a moment: closing it with unread bytes would be a reset, which overtakes it.
"""

import asyncio
import html
import json
from enum import Enum
from typing import Any, Final

from gateway.transports.bodies import DISCARD_BYTES, DISCARD_S
from tunnel.core.frames import Headers, Stop
from tunnel.core.headers import encoded, values


class Answer(Enum):
    """Slug, status and text."""

    BAD_HOST = ("bad_host", 400, "This address names no tunnel.")
    BAD_REQUEST = ("bad_request", 400, "This request can be read in more than one way.")
    NO_PEER = ("no_peer", 404, "Nobody serves this name.")
    BODY_STALLED = ("body_stalled", 408, "The request's body stopped arriving.")
    TOO_LARGE = ("too_large", 413, "The request's body is too large.")
    UPGRADE_REQUIRED = ("upgrade_required", 426, "This address is for tunnel clients.")
    QUEUE_FULL = ("queue_full", 429, "Too many requests are waiting for this tunnel.")
    TOO_MANY_TRIES = ("too_many_tries", 429, "Too many failed logins; try again in a minute.")
    HEAD_TOO_LARGE = ("head_too_large", 431, "The request's headers are too large.")
    GONE = ("peer_gone", 502, "The tunnel's other end has gone.")
    REFUSED = ("target_refused", 502, "The tunnel's other end cannot reach its server.")
    BROKEN = ("target_broken", 502, "The server behind the tunnel broke off.")
    BAD_HEAD = ("bad_head", 502, "The server behind the tunnel answered with something that is not HTTP.")
    AWAY = ("peer_away", 503, "The tunnel's other end is away; it may be back in a moment.")
    BUSY = ("busy", 503, "The relay has no room for this request.")
    TIMEOUT = ("timeout", 504, "The server behind the tunnel did not answer in time.")

    def __init__(self, slug: str, status: int, text: str) -> None:
        self.slug = slug
        self.status = status
        self.text = text


RETRY_AFTER_S: Final = {Answer.QUEUE_FULL: 1, Answer.AWAY: 3, Answer.BUSY: 5, Answer.TOO_MANY_TRIES: 60}
OF_STOP: Final = {
    Stop.REFUSED: Answer.REFUSED,
    Stop.BROKEN: Answer.BROKEN,
    Stop.TOO_LARGE: Answer.TOO_LARGE,
    Stop.TIMEOUT: Answer.TIMEOUT,
    Stop.OVERLOAD: Answer.BUSY,
    Stop.GOING: Answer.GONE,
    Stop.PROTOCOL: Answer.BAD_HEAD,
    Stop.REPLACED: Answer.GONE,
    Stop.CANCELLED: Answer.BROKEN,
}
"""What a visitor is told whose stream ended so before its response began."""


def wants_json(headers: Headers) -> bool:
    """A page for browsers, JSON for everybody else."""
    return not any("text/html" in value for value in values(headers, "accept"))


def message(answer: Answer, as_json: bool) -> tuple[Headers, bytes]:
    """The answer's headers and body."""
    if as_json:
        kind, text = "application/json", json.dumps({"error": answer.slug, "message": answer.text})
    else:
        kind, text = "text/html; charset=utf-8", _page(answer)
    body = text.encode()
    retry = RETRY_AFTER_S.get(answer)
    headers = (
        ("content-type", kind),
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-tunnel-error", answer.slug),
        *((("retry-after", str(retry)),) if retry else ()),
    )
    return headers, body


async def send_http(
    answer: Answer, headers: Headers, receive: Any, send: Any, body_open: bool = False
) -> None:
    """Answer an HTTP request. ``body_open``: its body may still be arriving."""
    own, body = message(answer, wants_json(headers))
    closing = (("connection", "close"),) if body_open else ()
    await send({"type": "http.response.start", "status": answer.status, "headers": encoded((*own, *closing))})
    await send({"type": "http.response.body", "body": body, "more_body": body_open})
    if body_open:
        await discard(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def send_websocket(answer: Answer, scope: Any, headers: Headers, send: Any) -> None:
    """Answer an upgrade, before it was accepted."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close", "code": 1013})
        return
    own, body = message(answer, wants_json(headers))
    start = {"type": "websocket.http.response.start", "status": answer.status, "headers": encoded(own)}
    await send(start)
    await send({"type": "websocket.http.response.body", "body": body, "more_body": False})


async def discard(receive: Any) -> None:
    """Read what still comes of a body, within bounds."""
    left = DISCARD_BYTES
    try:
        async with asyncio.timeout(DISCARD_S):
            while left > 0:
                event = await receive()
                left -= len(event.get("body", b""))
                if event["type"] == "http.disconnect" or not event.get("more_body"):
                    return
    except TimeoutError:
        return  # it had its moment


def _page(answer: Answer) -> str:
    text = html.escape(answer.text)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{answer.status} · {text}</title>'
        "<body style='font:1.1rem/1.5 system-ui;max-width:34rem;margin:15vh auto;padding:1rem'>"
        f"<h1 style='font-size:1.5rem'>{text}</h1><p>{answer.status} · {answer.slug}</p></html>"
    )
