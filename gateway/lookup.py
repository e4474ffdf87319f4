"""Whose session an upgrade brings: Channels' ``AuthMiddlewareStack``, bounded in time and remembered for a
moment.

The lookup runs in a thread that all sockets share. A slow database must not keep upgrades hanging (they get a
503, ``unavailable``), and a thousand reconnects at once must not queue on it for sessions that were just
found.
"""

import asyncio
import logging
from typing import Any, Final

from channels.auth import AuthMiddlewareStack
from channels.sessions import CookieMiddleware
from django.conf import settings

from gateway.alarm import Clock, LoopClock
from gateway.asgi import App, Receive, Scope, Send
from gateway.core.admission import UNAVAILABLE
from gateway.middleware import refuse

log = logging.getLogger("gateway.admission")

LOOKUP_S: Final = 2.0
"""Longer than that a session store is not slow but down (spec 1.2)."""
AT_ONCE: Final = 4
"""Lookups that the thread has before it: it never waits for the loop, and the last of them not for long."""
IN_LINE_S: Final = 4.0
"""The line of a reconnect storm included. Longer no client waits for a socket, it comes again."""
REMEMBERED_S: Final = 4.0
"""A found session is not asked for again; with the watch over sessions (``gateway.sessions``) below the 10 s
that its end may take to be noticed (spec 1.7)."""

MAX_REMEMBERED: Final = 10_000
"""Sessions at once: ten full servers that reconnect within those seconds. One more is asked for again."""


class SessionLookup:
    """Puts ``session`` and ``user`` into the scope, or refuses the upgrade."""

    def __init__(self, app: App, clock: Clock | None = None) -> None:
        self._app = app
        self._clock = clock or LoopClock()
        self._stack = AuthMiddlewareStack(_hand_over)
        self._entry = CookieMiddleware(self._look_up)
        self._known: dict[str, tuple[float, dict[str, Any]]] = {}
        self._thread = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look the session up and go on."""
        await self._entry(scope, receive, send)

    async def _look_up(self, scope: Scope, receive: Receive, send: Send) -> None:
        cookie = scope["cookies"].get(settings.SESSION_COOKIE_NAME, "")
        found = self._recall(cookie)
        if found is None:
            found = await self._ask(scope, receive, send)
        if found is None:
            await refuse(scope, receive, send, UNAVAILABLE, scope["gateway.address"])
            return
        if found["session"].session_key:
            self._remember(cookie, found)
        await self._app({**scope, **found}, receive, send)

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> dict[str, Any] | None:
        found: dict[str, Any] = {}
        try:
            # The line is not the store's time: a thousand who come at once would be told that it is down.
            async with asyncio.timeout(IN_LINE_S), self._thread, asyncio.timeout(LOOKUP_S):
                await self._stack({**scope, "gateway.found": found}, receive, send)
        except TimeoutError:
            log.error(
                "the session store takes over %g s, or those in line before over %g", LOOKUP_S, IN_LINE_S
            )
            return None
        except Exception:
            log.exception("the session store failed")
            return None
        return found

    def _recall(self, cookie: str) -> dict[str, Any] | None:
        until, found = self._known.get(cookie, (0.0, {}))
        return found if self._clock.now() < until else None

    def _remember(self, cookie: str, found: dict[str, Any]) -> None:
        """In order of time, so that the old ones are in front."""
        now = self._clock.now()
        while self._known and (
            next(iter(self._known.values()))[0] <= now or len(self._known) >= MAX_REMEMBERED
        ):
            del self._known[next(iter(self._known))]
        self._known.setdefault(cookie, (now + REMEMBERED_S, found))


async def _hand_over(scope: Scope, receive: Receive, send: Send) -> None:
    scope["gateway.found"].update(session=scope["session"], user=scope["user"])
