"""The session lookup: found sessions are remembered for seconds, a store that is down is a 503 in time."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.test import override_settings

from gateway import conf, live, lookup
from gateway.lookup import SessionLookup
from gateway.runtime import Runtime
from gateway.testing import VirtualClock
from tests.toy_game.game import Parlour

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _gateway() -> Iterator[None]:
    """Refusals are counted in the gateway of the process."""
    live.install(Runtime(Parlour, conf.config(), VirtualClock()))
    yield
    live.install(None)


class Visit:
    """One upgrade through the lookup; what came out."""

    def __init__(self) -> None:
        self.found: Any = None
        self.sent: list[dict[str, Any]] = []

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        """What stands behind the lookup."""
        self.found = scope

    async def receive(self) -> dict[str, Any]:
        """The upgrade."""
        return {"type": "websocket.connect"}

    async def send(self, message: dict[str, Any]) -> None:
        """The refusal."""
        self.sent.append(message)

    @property
    def status(self) -> int | None:
        """Of the refusal, if there is one."""
        return self.sent[0]["status"] if self.sent else None


async def visit(site: SessionLookup, cookie: str) -> Visit:
    """Bring a session cookie."""
    made = Visit()
    site._app = made.app
    scope = {
        "type": "websocket",
        "path": "/ws",
        "headers": [(b"cookie", f"sessionid={cookie}".encode())],
        "extensions": {"websocket.http.response": {}},
        "gateway.address": "203.0.113.9",
    }
    await site(scope, made.receive, made.send)
    return made


def new_session() -> str:
    """The key of a session that exists."""
    store = SessionStore()
    store.create()
    assert store.session_key is not None
    return store.session_key


async def test_the_session_and_the_user_are_found() -> None:
    """As Channels' own stack finds them."""
    key = await sync_to_async(new_session)()
    made = await visit(SessionLookup(Visit().app, VirtualClock()), key)
    assert made.found["session"].session_key == key
    assert made.found["user"].is_anonymous


async def test_a_cookie_of_no_session_has_no_key() -> None:
    """Nothing is created for it, and the gate will refuse it."""
    made = await visit(SessionLookup(Visit().app, VirtualClock()), "a" * 32)
    assert made.found["session"].session_key is None


async def test_a_found_session_is_not_asked_for_again_for_some_seconds() -> None:
    """A reconnect storm must not queue on one database thread; after that the store is asked anew."""
    clock = VirtualClock()
    site = SessionLookup(Visit().app, clock)
    key = await sync_to_async(new_session)()
    await visit(site, key)
    await sync_to_async(SessionStore(key).delete)()
    clock.advance(lookup.REMEMBERED_S - 0.1)
    assert (await visit(site, key)).found["session"].session_key == key
    clock.advance(0.2)
    assert (await visit(site, key)).found["session"].session_key is None


async def test_what_was_remembered_is_forgotten_in_time() -> None:
    """The table holds no more than the sessions of the last seconds."""
    clock = VirtualClock()
    site = SessionLookup(Visit().app, clock)
    for _ in range(3):
        await visit(site, await sync_to_async(new_session)())
        clock.advance(lookup.REMEMBERED_S)
    assert len(site._known) == 1


async def test_a_store_that_is_too_slow_is_a_503_that_says_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An upgrade must not hang with it; the bound is cut short here, the slowness is real."""
    monkeypatch.setattr(lookup, "LOOKUP_S", 0.05)
    with override_settings(SESSION_ENGINE="tests.gateway.slow_sessions"):
        made = await visit(SessionLookup(Visit().app, VirtualClock()), "b" * 32)
    assert made.found is None
    assert made.status == 503
    assert (b"retry-after", b"5") in made.sent[0]["headers"]


async def test_those_who_wait_for_their_turn_are_not_told_that_the_store_is_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each lookup is well within its bound, all of them together are far beyond it: everybody is let in."""
    monkeypatch.setattr(lookup, "LOOKUP_S", 0.5 * lookup.AT_ONCE + 1.0)
    monkeypatch.setattr(lookup, "IN_LINE_S", 60.0)
    with override_settings(SESSION_ENGINE="tests.gateway.slow_sessions"):
        site = SessionLookup(Visit().app, VirtualClock())
        crowd = [visit(site, str(number) * 32) for number in range(2 * lookup.AT_ONCE)]
        made = await asyncio.gather(*crowd)
    assert [each.status for each in made] == [None] * len(made)


async def test_a_line_that_does_not_move_is_a_503_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a store that is down nobody waits longer than a client would."""
    monkeypatch.setattr(lookup, "IN_LINE_S", 0.05)
    with override_settings(SESSION_ENGINE="tests.gateway.slow_sessions"):
        site = SessionLookup(Visit().app, VirtualClock())
        crowd = [visit(site, str(number) * 32) for number in range(lookup.AT_ONCE + 1)]
        made = await asyncio.gather(*crowd)
    assert [each.status for each in made] == [503] * len(made)


async def test_a_store_that_fails_is_a_503_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A traceback for us, a clear answer for the client."""

    def drop() -> None:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE django_session RENAME TO gone")

    def restore() -> None:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE gone RENAME TO django_session")

    await sync_to_async(drop)()
    try:
        made = await visit(SessionLookup(Visit().app, VirtualClock()), "c" * 32)
    finally:
        await sync_to_async(restore)()
    assert made.status == 503
    assert "the session store failed" in caplog.text
