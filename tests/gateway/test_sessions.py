"""Which sessions have ended, asked of real engines and a real database; what the signals tell at once."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, get_user_model, user_logged_in
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.middleware import SessionMiddleware
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone

from gateway import live, logins, sessions
from gateway.admission import Request, hash_session
from gateway.logins import Login
from gateway.middleware import Gate, admission_of
from gateway.runtime import Runtime
from tests.gateway.house import House
from tests.gateway.test_logins import Tab

BACKEND = "django.contrib.auth.backends.ModelBackend"
ENGINES = ["db", "cached_db", "cache", "file", "signed_cookies"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[str]:
    """Each of Django's session engines."""
    path = f"django.contrib.sessions.backends.{request.param}"
    with override_settings(SESSION_ENGINE=path, SESSION_FILE_PATH=str(tmp_path)):
        yield request.param


def visitor(**data: Any) -> str:
    """The key of a new session."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store.update(data)
    store.create()
    store.save()
    return str(store.session_key)


def signed_in(name: str, backend: str = BACKEND) -> Login:
    """A user's login, as an upgrade finds it."""
    user = get_user_model().objects.create_user(name, password="x")
    return Login(visitor(), user.pk, backend, user.get_session_auth_hash())


def ends(*found: Login) -> list[Login]:
    """Those that have ended."""
    return sessions.ended(found)


# ---------- sessions


def test_a_session_that_exists_has_not_ended(engine: str) -> None:
    """Anonymous or a user's."""
    assert ends(Login(visitor(a=1)), signed_in("ana")) == []


def test_a_session_that_was_deleted_has_ended(engine: str) -> None:
    """Logged out, flushed or cleared away; a cookie that is its own store cannot be deleted."""
    gone, stays = Login(visitor(a=1)), Login(visitor(a=2))
    import_module(settings.SESSION_ENGINE).SessionStore(gone.key).delete(gone.key)
    assert ends(gone, stays) == ([] if engine == "signed_cookies" else [gone])


def test_a_session_that_has_expired_has_ended(engine: str) -> None:
    """Its row or file is still there, nobody has cleared it away yet. A cache clears by itself."""
    gone = Login(visitor(a=1))
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    with override_settings(SESSION_COOKIE_AGE=-1):
        assert ends(gone) == ([] if engine == "cache" else [gone])


# ---------- users


def deactivate(user: Any) -> None:
    user.is_active = False
    user.save()


def change_password(user: Any) -> None:
    user.set_password("another")
    user.save()


def delete(user: Any) -> None:
    user.delete()


@pytest.mark.parametrize("change", [deactivate, change_password, delete])
def test_a_user_who_is_not_signed_in_any_more_has_ended(engine: str, change: Callable[[Any], None]) -> None:
    """Though the session itself is still there (spec 1.7, 4001); other users stay."""
    ana, ben = signed_in("ana"), signed_in("ben")
    change(get_user_model().objects.get(pk=ana.user_pk))
    assert ends(ana, ben) == [ana]


def test_a_backend_that_lets_inactive_users_in_keeps_their_sockets() -> None:
    """The site's own backends decide who may be signed in; one that is not configured any more, nobody."""
    permissive = "django.contrib.auth.backends.AllowAllUsersModelBackend"
    ana = signed_in("ana", permissive)
    deactivate(get_user_model().objects.get(pk=ana.user_pk))
    with override_settings(AUTHENTICATION_BACKENDS=[permissive]):
        assert ends(ana) == []
    assert ends(ana) == [ana]


@pytest.mark.parametrize("name", ["db", "cached_db"])
def test_a_thousand_sockets_cost_four_queries(name: str, django_assert_num_queries: Any) -> None:
    """Two of sessions, two of users: five hundred keys in each, however many sockets there are."""
    with override_settings(SESSION_ENGINE=f"django.contrib.sessions.backends.{name}"):
        until = timezone.now() + timedelta(hours=1)
        Session.objects.bulk_create(Session(f"key{n}", "", until) for n in range(1000))
        User = get_user_model()
        User.objects.bulk_create(User(username=f"user{n}", password="x") for n in range(1000))
        found = [
            Login(f"key{n}", user.pk, BACKEND, user.get_session_auth_hash())
            for n, user in enumerate(User.objects.all())
        ]
        with django_assert_num_queries(4):
            assert ends(*found) == []


def test_anonymous_sockets_cost_no_query_for_users(django_assert_num_queries: Any) -> None:
    """A site on which nobody signs in asks for its sessions only."""
    found = Login(visitor())
    with django_assert_num_queries(1):
        assert ends(found) == []


# ---------- the watch


@pytest.fixture
def house() -> House:
    return House()


async def test_the_watch_ends_the_sockets_of_a_session_that_is_gone(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 4001, and no others; it looks twice, and here the second look comes at once."""
    monkeypatch.setattr(sessions, "CONFIRM_S", 0.0)
    gone, stays = [Tab(house, Login(await sync_to_async(visitor)())).ready() for _ in range(2)]
    assert gone.admission.login is not None
    await Session.objects.filter(session_key=gone.admission.login.key).adelete()
    await sessions.watch(house.runtime)
    assert (gone.closed, stays.closed) == (4001, None)


async def test_a_sign_in_that_comes_between_the_two_looks_ends_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It deletes the old session before it says so: what is missing then is no logout."""
    monkeypatch.setattr(sessions, "CONFIRM_S", 0.0)
    tab, new = Tab(house, Login("deleted-just-now")).ready(), await sync_to_async(signed_in)("ana")
    looking = asyncio.ensure_future(sessions.watch(house.runtime))
    await asyncio.sleep(0)
    logins.sign_in(house.runtime, "deleted-just-now", new)
    await looking
    assert tab.closed is None
    await sessions.watch(house.runtime)
    assert tab.closed is None


async def test_a_database_that_is_down_ends_nobody(house: House) -> None:
    """The watch fails, is told so by its duty, and tries again; sockets that play need no database."""

    def rename(old: str, new: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {old} RENAME TO {new}")

    tab = Tab(house, Login("any")).ready()
    await sync_to_async(rename)("django_session", "gone")
    try:
        with pytest.raises(OperationalError):
            await sessions.watch(house.runtime)
    finally:
        await sync_to_async(rename)("gone", "django_session")
    assert tab.closed is None


async def test_a_store_that_hangs_is_given_up_in_time_and_ends_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is cut short here; while the first look hangs, later ones take no thread of their own."""
    monkeypatch.setattr(sessions, "LOOK_S", 0.01)
    let_go = threading.Event()
    monkeypatch.setattr(sessions, "ended", lambda found: let_go.wait(5) and [])
    tab, before = Tab(house, Login("any")).ready(), threading.active_count()
    try:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await sessions.watch(house.runtime)
        assert threading.active_count() <= before + 1
    finally:
        let_go.set()
    assert tab.closed is None


async def test_without_sockets_the_watch_asks_nothing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle site leaves its database alone."""
    monkeypatch.setattr(sessions, "ended", lambda found: pytest.fail("asked"))
    await sessions.watch(house.runtime)


# ---------- the signals


@pytest.fixture
async def serving(house: House) -> Any:
    """The house's runtime as the gateway of this process, on the test's own loop."""
    live.install(house.runtime)
    live.start()
    yield house.runtime
    live.install(None)


class Page:
    """A browser of Django's own, in a thread beside the loop as under a server."""

    def __init__(self) -> None:
        self.client = Client()

    @property
    def key(self) -> str:
        """The session that its cookie names."""
        return self.client.cookies[settings.SESSION_COOKIE_NAME].value

    async def visits(self) -> "Page":
        """Get a session without signing in."""
        await sync_to_async(self.client.get)("/host")
        return self

    async def signs_in(self, name: str) -> None:
        """Through the login form of the admin."""
        data = {"username": name, "password": "x", "next": "/"}
        response = await sync_to_async(self.client.post)("/admin/login/", data)
        assert response.status_code == 302, response.content

    async def changes_password(self) -> None:
        """Through the admin's form for one's own."""
        data = {"old_password": "x", "new_password1": "another-9-long", "new_password2": "another-9-long"}
        response = await sync_to_async(self.client.post)("/admin/password_change/", data)
        assert response.status_code == 302, response.content


def make_user(name: str) -> Any:
    return get_user_model().objects.create_user(name, password="x", is_staff=True)


async def test_a_sign_in_passes_sockets_to_the_user_and_the_watch_finds_them_alive(
    house: House, serving: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form cycles the key: the old session is gone from the store, and nobody is closed for it."""
    monkeypatch.setattr(sessions, "CONFIRM_S", 0.0)
    user, page = await sync_to_async(make_user)("ana"), await Page().visits()
    tab, old_key = Tab(house, Login(page.key)).ready(), page.key
    await page.signs_in("ana")
    assert page.key != old_key
    assert tab.socket.peer.account == f"user:{user.pk}"
    assert [login.key for login in logins.watched(serving)] == [page.key]
    await sessions.watch(serving)
    assert tab.closed is None


async def test_a_logout_ends_the_sockets_at_once(house: House, serving: Runtime) -> None:
    """Of that session; the user's other devices stay."""
    await sync_to_async(make_user)("ana")
    page, phone = await Page().visits(), await Page().visits()
    for one in (page, phone):
        await one.signs_in("ana")
    user = await get_user_model().objects.aget()
    here, there = [
        Tab(house, Login(one.key, user.pk, BACKEND, user.get_session_auth_hash())).ready()
        for one in (page, phone)
    ]
    await sync_to_async(page.client.post)("/admin/logout/")
    assert (here.closed, there.closed) == (4001, None)


async def test_a_session_that_the_sign_in_had_to_flush_is_known_by_its_new_key(
    house: House, serving: Runtime
) -> None:
    """The same user signs in over a session of his old password: his socket stays and is watched."""
    user, page = await sync_to_async(make_user)("ana"), await Page().visits()
    await page.signs_in("ana")
    tab = Tab(house, Login(page.key, user.pk, BACKEND, "hash of the old password")).ready()

    def outdate() -> None:
        session = page.client.session
        session[HASH_SESSION_KEY] = "hash of the old password"
        session.save()

    await sync_to_async(outdate)()
    await page.signs_in("ana")
    assert tab.closed is None
    assert [login.key for login in logins.watched(serving)] == [page.key]


async def test_another_users_sign_in_over_a_session_ends_the_sockets_of_before(
    house: House, serving: Runtime
) -> None:
    """Two people at one computer."""
    ana, _ = await sync_to_async(make_user)("ana"), await sync_to_async(make_user)("ben")
    page = await Page().visits()
    await page.signs_in("ana")
    tab = Tab(house, Login(page.key, ana.pk, BACKEND, ana.get_session_auth_hash())).ready()
    await page.signs_in("ben")
    assert tab.closed == 4001


async def test_a_sign_in_without_a_session_is_none_of_the_cookies(house: House, serving: Runtime) -> None:
    """Token authentication sends the same signal: the browser's own session has not changed."""
    user, page = await sync_to_async(make_user)("ana"), await Page().visits()
    tab = Tab(house, Login(page.key)).ready()
    request = RequestFactory().get("/", headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={page.key}"})
    request.session = page.client.session
    for given in (request, None, RequestFactory().get("/")):
        await sync_to_async(user_logged_in.send)(type(user), request=given, user=user)
    assert tab.socket.peer.account.startswith("session:")


async def test_a_changed_password_ends_only_the_sockets_of_the_other_sessions(
    house: House, serving: Runtime, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser in which it was changed stays signed in, under another key: no logout (spec 1.7)."""
    monkeypatch.setattr(sessions, "CONFIRM_S", 0.0)
    user, page = await sync_to_async(make_user)("ana"), await Page().visits()
    await page.signs_in("ana")
    old_key, elsewhere = page.key, await sync_to_async(visitor)(browser="another")
    here, there = (
        Tab(house, Login(key, user.pk, BACKEND, user.get_session_auth_hash())).ready()
        for key in (old_key, elsewhere)
    )
    await page.changes_password()
    assert page.key != old_key
    await sessions.watch(serving)
    assert (here.closed, there.closed) == (None, 4001)
    assert here.socket.peer.account == f"user:{user.pk}"
    assert house.hub.by_session.keys() == {hash_session(page.key), hash_session(elsewhere)}


async def test_a_session_that_is_not_anybodys_passes_nothing_on(house: House, serving: Runtime) -> None:
    """An anonymous visitor is the cookie: another one is another visitor."""
    page = await Page().visits()
    tab, before = Tab(house, Login(page.key)).ready(), page.key
    await sync_to_async(import_module(settings.SESSION_ENGINE).SessionStore().delete)(before)
    await page.visits()
    assert page.key != before
    assert [login.key for login in logins.watched(serving)] == [before]
    assert tab.socket.peer.account == Login(before).account


async def test_a_new_key_that_the_browser_is_not_given_is_not_followed(
    house: House, serving: Runtime
) -> None:
    """A view that fails after it took one sends no cookie: the browser keeps the old key, and so do we."""
    user, page = await sync_to_async(make_user)("ana"), await Page().visits()
    await page.signs_in("ana")
    Tab(house, Login(page.key, user.pk, BACKEND, user.get_session_auth_hash())).ready()
    request = RequestFactory().get("/", headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={page.key}"})

    def fails(given: HttpRequest) -> HttpResponse:
        given.session.cycle_key()
        return HttpResponse(status=500)

    request.session = page.client.session
    await sync_to_async(sessions.follow(SessionMiddleware(fails)))(request)
    assert [login.key for login in logins.watched(serving)] == [page.key]


async def test_signals_where_nothing_serves_change_nothing() -> None:
    """A management command, or a site whose sockets are served elsewhere."""
    await sync_to_async(make_user)("ana")
    page = await Page().visits()
    await page.signs_in("ana")
    await sync_to_async(page.client.post)("/admin/logout/")


async def test_a_loop_that_is_stuck_is_logged_and_the_view_goes_on(
    house: House, serving: Runtime, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No answer waits for ever: the watch will find out."""
    monkeypatch.setattr(live, "CALL_TIMEOUT_S", 0.01)
    tab, request = Tab(house, Login("any")).ready(), RequestFactory().get("/")
    request.session = DatabaseStore("a-session-key")
    thread = threading.Thread(target=sessions.signed_out, args=(request,))
    thread.start()
    thread.join(5)  # the loop stands still meanwhile
    assert tab.closed is None
    assert "was not told" in caplog.text


def test_the_login_of_a_session_that_was_found() -> None:
    """Nobody's, a user's, and none if the cookie names no session."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    assert logins.login_of(store, AnonymousUser()) is None
    store.create()
    found = logins.login_of(store, AnonymousUser())
    assert found is not None
    assert (found.key, found.user_pk) == (store.session_key, None)


# ---------- upgrades that found the session before


class Upgrade:
    """An upgrade behind the lookup: what the gate does with it."""

    def __init__(self, key: str) -> None:
        self.scope = {
            "type": "websocket",
            "path": "/ws",
            "headers": [(b"user-agent", b"Firefox")],
            "extensions": {"websocket.http.response": {}},
            "gateway.address": "203.0.113.9",
            "gateway.request": Request([("user-agent", "Firefox")], "", "203.0.113.9", "ws"),
            "session": DatabaseStore(key),
            "user": AnonymousUser(),
        }
        self.accounts: list[str] = []
        self.sent: list[dict[str, Any]] = []

    async def arrives(self) -> "Upgrade":
        await Gate(self._app)(self.scope, self._receive, self._send)
        return self

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.accounts.append(admission_of(scope).peer.account)

    async def _receive(self) -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


async def test_an_upgrade_on_its_way_during_the_sign_in_is_the_users(house: House, serving: Runtime) -> None:
    """It found the anonymous session, which is gone by the time it comes to the gate."""
    coming = Upgrade("the-old-session")
    logins.sign_in(serving, "the-old-session", Login("the-new-session", 7, BACKEND, "hash"))
    assert (await coming.arrives()).accounts == ["user:7"]
    assert house.hub.by_session == {}  # given back after it


async def test_an_upgrade_on_its_way_during_the_logout_is_refused(house: House, serving: Runtime) -> None:
    """A session that is remembered as found opens nothing after its end."""
    coming, other = Upgrade("the-old-session"), Upgrade("another-session")
    logins.end(serving, "the-old-session")
    await coming.arrives()
    assert (coming.accounts, coming.sent[0]["status"]) == ([], 403)
    assert (await other.arrives()).accounts == [Login("another-session").account]
