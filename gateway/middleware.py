"""Admission as ASGI middleware, in the order of spec 1.2: `Entrance` before anything is loaded, `Gate` once
the session is.

Between the two stands Channels' ``AuthMiddlewareStack``. A refusal is a real HTTP response to the upgrade
request. `Gate` owns the slot of an admitted attempt for the socket's whole life, in one ``finally``.
"""

import logging
from typing import Final

from gateway import admission, live
from gateway.admission import Attempt, Request
from gateway.asgi import App, Receive, Scope, Send
from gateway.core.admission import Refusal, early_refusal
from gateway.judging import early_facts_of
from gateway.logins import Login, login_of
from gateway.runtime import Admission
from gateway.turns import turn

log = logging.getLogger("gateway.admission")

DENIAL: Final = "websocket.http.response"
ORIGIN_MAX_CHARS: Final = 200
"""Of a refused origin in the log: it is the client's text, and headers may be long."""


class Entrance:
    """Origin, draining, blocked addresses: checks that need no database."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through with its address in the scope, or refuse it."""
        await turn()
        runtime = live.start()
        request = request_of(scope)
        address = admission.client_address(request, runtime.config)
        refusal = early_refusal(early_facts_of(runtime, request, address))
        if refusal is not None:
            await refuse(scope, receive, send, refusal, address)
            return
        await self._app({**scope, "gateway.request": request, "gateway.address": address}, receive, send)


class Gate:
    """Session, caps, shield, ticket: the checks of the late table, and the slot."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit the attempt and give its slot back whatever happens, or refuse it."""
        runtime = live.runtime()
        found = login_of(scope["session"], scope["user"])
        login = runtime.passed.current(found, runtime.clock.now())
        outcome = runtime.admit(_attempt(scope, login), login)
        if isinstance(outcome, Refusal):
            await refuse(scope, receive, send, outcome, scope["gateway.address"])
            return
        try:
            await self._app({**scope, "gateway.admission": outcome}, receive, send)
        finally:
            runtime.release(outcome)


def request_of(scope: Scope) -> Request:
    """The upgrade request, as it came."""
    client = scope.get("client")
    query = scope.get("query_string", b"").decode("latin-1")
    return Request(
        admission.decoded(scope["headers"]), query, client[0] if client else None, scope.get("scheme", "ws")
    )


def admission_of(scope: Scope) -> Admission:
    """What `Gate` admitted."""
    admitted: Admission = scope["gateway.admission"]
    return admitted


async def refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal, address: str) -> None:
    """Answer the upgrade with the refusal; a server without denial responses can only say 403."""
    runtime = live.runtime()
    runtime.counts.refuse(refusal.code, runtime.clock.now())
    log_refusal(refusal, address, admission.decoded(scope["headers"]), scope["path"])
    await receive()
    if DENIAL not in scope.get("extensions", {}):
        await send({"type": "websocket.close"})
        return
    headers = [("Content-Type", "application/json"), *admission.refusal_headers(refusal)]
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers]
    await send({"type": f"{DENIAL}.start", "status": refusal.status, "headers": encoded})
    await send({"type": f"{DENIAL}.body", "body": admission.refusal_body(refusal)})


def log_refusal(refusal: Refusal, address: str, headers: list[tuple[str, str]], path: str) -> None:
    """One line a refusal: code, address, origin and the path without its query, which holds the ticket."""
    origin = next((value for name, value in headers if name == "origin"), "")[:ORIGIN_MAX_CHARS]
    log.warning(
        "refused %s",
        refusal.code,
        extra={"code": refusal.code, "ip": address, "origin": origin, "path": path},
    )


def _attempt(scope: Scope, login: Login | None) -> Attempt:
    return admission.attempt_by(
        None if login is None else login.user_pk,
        None if login is None else login.key,
        scope["gateway.address"],
        scope["gateway.request"],
    )
