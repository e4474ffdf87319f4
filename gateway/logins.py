"""Whose session stands behind each admitted socket, and what becomes of it when that session signs in or ends
(spec 1.7, 4001).

The one place that knows session keys, which never leave it: no log line, no snapshot and no counter holds
one. On the loop, like all live state; who looks whether a session still exists is ``gateway.sessions``.
"""

from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY
from msgspec import Struct, structs

from gateway.admission import account_of, hash_session
from gateway.contract import Peer, Ticket
from gateway.core import closing
from gateway.core.closing import Ending
from gateway.core.hub import SignedIn

if TYPE_CHECKING:
    from gateway.runtime import Runtime

PASSED_S: Final = 10.0
"""An upgrade may bring a session as it was found that long ago: remembered for seconds, looked up for some
more (``gateway.lookup``)."""

MAX_PASSED: Final = 1_000
"""Sessions at once; each change looks at all of them. What is forgotten too early is noticed by the watch
over sessions (``gateway.sessions``)."""


class Login:
    """What a session said when it was found: its key and, if somebody is signed in, who and how."""

    __slots__ = ("auth_hash", "backend", "key", "user_pk")

    def __init__(self, key: str, user_pk: Any = None, backend: str = "", auth_hash: str = "") -> None:
        self.key = key
        self.user_pk = user_pk
        self.backend = backend
        self.auth_hash = auth_hash

    @property
    def account(self) -> str:
        """Who acts."""
        return account_of(self.user_pk, self.key)


def login_of(session: Any, user: Any) -> Login | None:
    """The login of a session that was loaded; None if it does not exist."""
    if not session.session_key:
        return None
    if not user.is_authenticated:
        return Login(session.session_key)
    backend, auth_hash = session.get(BACKEND_SESSION_KEY, ""), session.get(HASH_SESSION_KEY, "")
    return Login(session.session_key, user.pk, backend, auth_hash)


class Admission(Struct):
    """An admitted attempt: a slot that is given back exactly once.

    ``address`` is the client's own, ``login`` its session's (None: nobody watches it). ``doomed`` ends the
    socket as soon as its handshake is complete, ``ending`` is set when it has ended.
    """

    peer: Peer
    ticket: Ticket | None
    address: str
    since: float
    login: Login | None = None
    doomed: Ending | None = None
    ending: Ending | None = None


class Passed:
    """The sessions that have just signed in or ended: upgrades may still come that found them as they were.

    In order of time, so that what is too old is in front. None: the session has ended.
    """

    def __init__(self) -> None:
        self._to: dict[str, tuple[float, Login | None]] = {}

    def on(self, key: str, login: Login | None, now: float) -> None:
        """The session of ``key`` is that of ``login`` from now on."""
        self._to = {
            old: (until, login if to is not None and to.key == key else to)
            for old, (until, to) in self._to.items()
            if until > now and old != key
        }
        while len(self._to) >= MAX_PASSED:
            del self._to[next(iter(self._to))]
        self._to[key] = (now + PASSED_S, login)

    def current(self, login: Login | None, now: float) -> Login | None:
        """What became of a login that was found; None if it has ended, or was none."""
        until, to = self._to.get("" if login is None else login.key, (0.0, None))
        return to if now < until else login


def watched(runtime: "Runtime") -> list[Login]:
    """The logins behind all admitted sockets, each session once."""
    return list({admission.login.key: admission.login for admission in _admitted(runtime)}.values())


def sign_in(runtime: "Runtime", old_key: str, login: Login) -> None:
    """The session of ``old_key`` signed in and is that of ``login`` now; signing in is no logout.

    What nobody had signed in before is the user's now: sockets, seats, budgets, conduct. Sockets of another
    user end: the sign-in has ended that user's session. So do those of a user who is blocked.
    """
    now = runtime.clock.now()
    nobody = account_of(None, old_key)
    for admission in _admitted(runtime, old_key):
        if admission.peer.account in (nobody, login.account):
            admission.login = login
            _rename(runtime, admission, login.account)
            if runtime.guard.closes(admission.address, login.account, now):
                runtime.end(admission, closing.BLOCKED)
        else:
            runtime.end(admission, closing.UNAUTHORIZED)
    for account in (nobody, login.account):
        runtime.hub.apply(
            SignedIn(hash_session(old_key), account, hash_session(login.key), login.account), now
        )
    runtime.actions.pass_on(nobody, login.account, now)
    runtime.game.move_account(nobody, login.account, now)
    runtime.passed.on(old_key, login, now)


def end(runtime: "Runtime", key: str) -> None:
    """The session is no more, or nobody's: its sockets end, and upgrades that found it are refused."""
    for admission in _admitted(runtime, key):
        runtime.end(admission, closing.UNAUTHORIZED)
    runtime.passed.on(key, None, runtime.clock.now())


def _rename(runtime: "Runtime", admission: Admission, account: str) -> None:
    admission.peer = structs.replace(admission.peer, account=account)
    socket = runtime.sockets.live.get(admission.peer.conn_id)
    if socket is not None:
        socket.peer = admission.peer


def _admitted(runtime: "Runtime", key: str | None = None) -> list[Admission]:
    found = runtime.admitted.values()
    return [one for one in found if one.login is not None and key in (None, one.login.key)]
