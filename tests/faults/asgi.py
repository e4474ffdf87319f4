"""The toy game behind a door: an upgrade that asks to die at a stage is held there until its client is gone.

The stage is named in the query, ``?dies=before-admission`` or ``?dies=before-accept``. So a test does not
hope to hit the moment, it is held open for it.
"""

import asyncio
from typing import Any
from urllib.parse import parse_qs

from gateway.asgi import Receive, Scope, Send
from gateway.transports.port import EXTENSION
from tests.toy_game.asgi import application as toy

BEFORE_ADMISSION = "before-admission"
BEFORE_ACCEPT = "before-accept"
LOOK_S = 0.001
LOOKS = 5_000
"""A client that asked to die and lives on is let in after this many."""


_inside: set[int] = set()


def inside() -> int:
    """How many sockets are on their way in, open, or on their way out."""
    return len(_inside)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """The toy's pages, and its sockets through the door."""
    if scope["type"] != "websocket":
        await toy(scope, receive, send)
        return
    _inside.add(id(scope))
    try:
        await _let_in(scope, receive, send)
    finally:
        _inside.remove(id(scope))


async def _let_in(scope: Scope, receive: Receive, send: Send) -> None:
    stage = parse_qs(scope["query_string"].decode("latin-1")).get("dies", [""])[0]
    port = scope["extensions"][EXTENSION]

    async def receive_late() -> Any:
        # The consumer takes its first event between admission and accept.
        await _until_gone(port)
        return await receive()

    if stage == BEFORE_ADMISSION:
        await _until_gone(port)
    await toy(scope, receive_late if stage == BEFORE_ACCEPT else receive, send)


async def _until_gone(port: Any) -> None:
    """The server's own end of it: the port has heard that the connection is lost."""
    for _ in range(LOOKS):
        if port.phase.value == "gone":
            return
        await asyncio.sleep(LOOK_S)
