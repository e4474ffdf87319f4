"""Do the sessions behind the open sockets still exist, and their users (spec 1.7, 4001)?

A duty looks every few seconds, in a thread and with a few queries for all sockets together; two signals tell
of sign-ins and logouts at once, responses of sessions that go on under another key. What follows for the
sockets is in ``gateway.logins``.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    get_user_model,
    load_backend,
)
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.backends.signed_cookies import SessionStore as CookieStore
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.decorators import sync_and_async_middleware

from gateway import live, logins
from gateway.beside import Lane
from gateway.duties import Duty
from gateway.logins import Login
from gateway.runtime import Runtime

log = logging.getLogger("gateway.sessions")

EVERY_S: Final = 4.0
"""With `CONFIRM_S`, and the seconds for which upgrades remember a session (``gateway.lookup``), below the
10 s of spec 1.7."""
LOOK_S: Final = 2.0
"""A store that takes longer is down, and then nobody is closed."""
CONFIRM_S: Final = 1.0
"""A sign-in deletes the old session before it says so, and its new one may wait for a commit: what is gone is
looked for again, after longer than the rest of a request takes."""
AT_ONCE: Final = 500
"""Keys in one query: below what every database takes (Oracle: 1000)."""

_lane: Final = Lane("gateway-sessions")


async def watch(runtime: Runtime) -> None:
    """End the sockets whose session is gone, or whose user is not signed in by it any more."""
    gone = await _look(logins.watched(runtime))
    if gone:
        await asyncio.sleep(CONFIRM_S)
        gone = await _look(gone)
    for login in gone:
        log.info("a session has ended", extra={"account": login.account})
        logins.end(runtime, login.key)


WATCH: Final = Duty("the watch over sessions", EVERY_S, watch)


async def _look(found: Sequence[Login]) -> list[Login]:
    return await _lane(lambda: ended(found), LOOK_S) if found else []


def ended(found: Sequence[Login]) -> list[Login]:
    """Those logins that are none any more. In a thread: it asks the session store and the database."""
    alive = living([login.key for login in found])
    pks = {login.user_pk for login in found if login.user_pk is not None and login.key in alive}
    users = get_user_model()._default_manager.in_bulk(pks)  # in as few queries as the database allows
    return [login for login in found if login.key not in alive or not _signed_in(login, users)]


# ---------- sessions


def living(keys: Sequence[str]) -> set[str]:
    """The keys whose sessions exist and have not expired."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    if issubclass(store, DatabaseStore):  # cached_db too: each of its sessions has a row
        return set(_with_rows(store, keys))
    return {key for key in keys if _lives(store, key)}


def _with_rows(store: type[DatabaseStore], keys: Sequence[str]) -> Iterator[str]:
    rows = store.get_model_class()._default_manager.filter(expire_date__gt=timezone.now())
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        yield from rows.filter(session_key__in=some).values_list("session_key", flat=True)


def _lives(store: Any, key: str) -> bool:
    """Asked of the engine itself. It must exist and load: a file stays when its session has expired."""
    if issubclass(store, CookieStore):
        return _is_valid(store(key))
    session = store(key)
    if not session.exists(key):
        return False
    session.load()  # gives a session that has expired another key, or none
    return bool(session.session_key == key)


def _is_valid(session: CookieStore) -> bool:
    """A cookie is its own store: nobody can delete it, it only grows old. ``load`` would hide that."""
    try:
        signing.loads(
            session.session_key,
            serializer=session.serializer,
            max_age=session.get_session_cookie_age(),
            salt="django.contrib.sessions.backends.signed_cookies",
        )
    except signing.BadSignature:
        return False
    return True


# ---------- users


def _signed_in(login: Login, users: dict[Any, Any]) -> bool:
    """As `django.contrib.auth.get_user` judges: the user is there, may sign in, has the same password."""
    if login.user_pk is None:
        return True
    user = users.get(login.user_pk)
    if user is None or login.backend not in settings.AUTHENTICATION_BACKENDS:
        return False
    may = getattr(load_backend(login.backend), "user_can_authenticate", _is_active)
    return bool(may(user)) and constant_time_compare(login.auth_hash, user.get_session_auth_hash())


def _is_active(user: Any) -> bool:
    return bool(user.is_active)


# ---------- what the signals tell at once


def signed_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    """Receives ``user_logged_in``: sockets that came with the request's old cookie are the user's."""
    session = getattr(request, "session", None)
    if request is None or session is None or session.get(SESSION_KEY) != user._meta.pk.value_to_string(user):
        return  # a sign-in without a session, by a token for example, is none of the cookie's
    old_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not old_key:
        return
    if not session.session_key:
        session.save()  # flushed on the way: it gets its new key now and not after the view
    login = logins.login_of(session, user)
    if login is not None:
        _tell(lambda runtime: logins.sign_in(runtime, old_key, login))


def signed_out(request: HttpRequest | None, **_: Any) -> None:
    """Receives ``user_logged_out``, which is sent while the session still has its key."""
    key = getattr(getattr(request, "session", None), "session_key", None)
    if key:
        _tell(lambda runtime: logins.end(runtime, key))


def connect() -> None:
    """Listen to both; Django's own, so they come from every login and logout view there is."""
    user_logged_in.connect(signed_in, dispatch_uid="gateway.sessions")
    user_logged_out.connect(signed_out, dispatch_uid="gateway.sessions")


# ---------- what a response tells at once


@sync_and_async_middleware
def follow(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware, to stand before that of sessions: sockets follow the session of a user to its new key.

    Django gives it one when a password is changed, and sends no signal. A site that leaves this out has the
    sockets of whoever does so ended by the watch, as those of the same user's other sessions are.
    """

    def followed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        _renewed(request, response)
        return response

    async def answer_async(request: HttpRequest) -> HttpResponseBase:
        return followed(request, await get_response(request))

    def answer(request: HttpRequest) -> HttpResponseBase:
        return followed(request, get_response(request))

    return answer_async if iscoroutinefunction(get_response) else answer


def _renewed(request: HttpRequest, response: HttpResponseBase) -> None:
    """Believes only what the browser is really given: a view that failed may have taken another key in vain.

    After a sign-in this says once more what the signal said, which changes nothing.
    """
    old_key, cookie = (
        cookies.get(settings.SESSION_COOKIE_NAME) for cookies in (request.COOKIES, response.cookies)
    )
    if not old_key or cookie is None or cookie.value == old_key:
        return
    login = _login_in(request.session)
    if login is not None:
        _tell(lambda runtime: logins.sign_in(runtime, old_key, login))


def _login_in(session: Any) -> Login | None:
    """By what the session says, which is loaded; to ask for the user is not allowed everywhere (async)."""
    if SESSION_KEY not in session:
        return None
    user_pk = get_user_model()._meta.pk.to_python(session[SESSION_KEY])
    backend, auth_hash = session.get(BACKEND_SESSION_KEY, ""), session.get(HASH_SESSION_KEY, "")
    return Login(session.session_key, user_pk, backend, auth_hash)


def _tell(change: Callable[[Runtime], None]) -> None:
    """The gateway of this process, if one serves here; if its loop is stuck, the watch finds out later."""
    try:
        live.call(change)
    except live.NotServingError:
        return
    except live.LoopStuckError:
        log.exception("a sign-in or logout was not told to the gateway")
