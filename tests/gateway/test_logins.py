"""Sign-ins and ended sessions, as the sockets see them: the real runtime and game on a virtual clock."""

import json
import logging
from typing import Any

import msgspec
import pytest

from gateway import logins
from gateway.admission import Attempt, hash_session, hash_token, parse_query
from gateway.contract import Ticket
from gateway.core import closing
from gateway.core.blocklist import Block, Blocklist, Kind
from gateway.core.machine import to_state
from gateway.logins import Login
from gateway.runtime import Admission
from gateway.testing import RecordingPort
from tests.gateway.house import PARLOUR, House

OLD, NEW = "old-session-key", "new-session-key"
ANA = Login(NEW, 7, "backend", "hash")


class Tab:
    """A socket whose session is watched; ``ready`` completes its handshake."""

    def __init__(self, house: House, login: Login, query: str = "") -> None:
        self.house = house
        self.port = RecordingPort()
        made = Attempt(hash_session(login.key), login.account, "203.0.113.9", "Firefox", parse_query(query))
        admission = house.runtime.admit(made, login)
        assert isinstance(admission, Admission), admission
        self.admission = admission
        self.socket = house.runtime.accept(admission, self.port)

    def ready(self) -> "Tab":
        self.house.runtime.open(self.admission, self.socket)
        return self

    def says(self, type_: str, **fields: Any) -> "Tab":
        self.socket.received(msgspec.json.encode({"type": type_, **fields}))
        return self

    @property
    def closed(self) -> int | None:
        """The code that its socket was closed with."""
        return None if self.port.closed is None else self.port.closed.code


@pytest.fixture
def house() -> House:
    return House()


def test_who_signs_in_keeps_socket_and_seat_and_is_the_user_from_then_on(house: House) -> None:
    """Signing in is no logout (spec 1.7): the seat opens to the user's ticket, and to nobody else's."""
    tab = Tab(house, Login(OLD)).ready().says("SIT", word="ana")
    logins.sign_in(house.runtime, OLD, ANA)
    assert tab.closed is None
    assert tab.says("SAY", text="still here").port.sent[-1]["text"] == "still here"
    assert tab.socket.peer.account == tab.admission.peer.account == "user:7"
    claim = Ticket("parlour", "seat-ana", hash_token("ana"))
    assert house.runtime.game.check_claim(claim, "user:7") is not None
    assert house.runtime.game.check_claim(claim, Login(OLD).account) is None


def test_the_next_socket_of_the_user_takes_the_seat_over(house: House) -> None:
    """With the new cookie and the old ticket; the counters hold one socket."""
    old = Tab(house, Login(OLD)).ready().says("SIT", word="ana")
    logins.sign_in(house.runtime, OLD, ANA)
    new = Tab(house, ANA, PARLOUR.format("ana")).ready()
    assert new.port.types()[:2] == ["CONNECTED", "SEATED"]
    assert old.closed == 1000
    assert house.hub.by_session == {hash_session(NEW): 1}


def test_a_player_who_is_away_finds_his_seat_after_signing_in(house: House) -> None:
    """The game's page was left for the form's: no socket is open, and the seat is the user's."""
    away = Tab(house, Login(OLD)).ready().says("SIT", word="ana")
    house.runtime.close(away.admission, away.socket, closing.DROPPED)
    house.runtime.release(away.admission)
    logins.sign_in(house.runtime, OLD, ANA)
    assert Tab(house, ANA, PARLOUR.format("ana")).ready().port.types() == ["CONNECTED", "SEATED"]


def test_a_handshake_in_progress_becomes_the_users(house: House) -> None:
    """It was admitted with the old session and opens as the user: its ticket is looked at with his name."""
    Tab(house, Login(OLD)).ready().says("SIT", word="ana")
    coming = Tab(house, Login(OLD), PARLOUR.format("ana"))
    logins.sign_in(house.runtime, OLD, ANA)
    assert coming.ready().port.types()[:2] == ["CONNECTED", "SEATED"]
    assert coming.closed is None


def test_an_upgrade_that_found_the_session_before_the_sign_in_comes_as_the_user(house: House) -> None:
    """Found, or remembered, as it was; admitted after it is the user's. After ten seconds nobody can."""
    passed = house.runtime.passed
    logins.sign_in(house.runtime, OLD, ANA)
    assert passed.current(Login(OLD), house.clock.now()) is ANA
    house.clock.advance(logins.PASSED_S)
    late = Login(OLD)
    assert passed.current(late, house.clock.now()) is late
    assert passed.current(None, house.clock.now()) is None


def test_what_passed_on_is_followed_to_its_end(house: House) -> None:
    """Signed in, signed in again, logged out: the first cookie opens nothing any more."""
    third = Login("third-key", 7, "backend", "hash")
    logins.sign_in(house.runtime, OLD, ANA)
    logins.sign_in(house.runtime, NEW, third)
    assert house.runtime.passed.current(Login(OLD), house.clock.now()) is third
    logins.end(house.runtime, third.key)
    assert house.runtime.passed.current(Login(OLD), house.clock.now()) is None


def test_a_users_sockets_end_when_another_user_signs_in_over_him(house: House) -> None:
    """That sign-in has ended his session; his seats elsewhere are his own and do not change hands."""
    ben = Tab(house, Login(OLD, 8, "backend", "hash")).ready().says("SIT", word="ben")
    coming = Tab(house, Login(OLD, 8, "backend", "hash"))
    logins.sign_in(house.runtime, OLD, ANA)
    assert ben.closed == coming.ready().closed == 4001
    claim = Ticket("parlour", "seat-ben", hash_token("ben"))
    assert house.runtime.game.check_claim(claim, "user:7") is None


def test_a_user_who_signs_in_again_keeps_his_sockets(house: House) -> None:
    """The same user under a new key: only the session changes, and the watch looks at the new one."""
    tab = Tab(house, Login(OLD, 7, "backend", "hash")).ready()
    logins.sign_in(house.runtime, OLD, ANA)
    assert tab.closed is None
    assert [login.key for login in logins.watched(house.runtime)] == [NEW]
    assert house.hub.by_session == {hash_session(NEW): 1}


def test_a_blocked_user_who_signs_in_is_closed_as_blocked(house: House) -> None:
    """His block is of the account: as nobody he could open a socket, as himself he may not keep it."""
    tab = Tab(house, Login(OLD)).ready()
    block = Block(1, Kind.ACCOUNT, "user:7", None, automatic=False)
    house.runtime.guard.swap(Blocklist.of(1, [block], house.clock.now()))
    logins.sign_in(house.runtime, OLD, ANA)
    assert tab.closed == 4004


def test_an_ended_session_ends_its_sockets_and_its_handshakes_with_4001(house: House) -> None:
    """Others stay. The seat goes at once: the client does not come back by itself."""
    tab, coming = Tab(house, Login(OLD)).ready().says("SIT", word="ana"), Tab(house, Login(OLD))
    other = Tab(house, Login("another")).ready()
    logins.end(house.runtime, OLD)
    assert (tab.closed, other.closed) == (4001, None)
    assert coming.ready().port.types() == []
    assert coming.closed == 4001
    assert house.runtime.passed.current(Login(OLD), house.clock.now()) is None


def test_a_session_is_watched_once_however_many_sockets_it_has(house: House) -> None:
    """And no longer than its last one lives."""
    tabs = [Tab(house, Login(OLD)).ready() for _ in range(3)]
    assert [login.key for login in logins.watched(house.runtime)] == [OLD]
    for tab in tabs:
        house.runtime.close(tab.admission, tab.socket, closing.DROPPED)
        house.runtime.release(tab.admission)
    assert logins.watched(house.runtime) == []


def test_budgets_and_conduct_follow_the_sign_in(house: House) -> None:
    """The last of fifty words was said before it: the user may say no more than the session might."""
    tab = Tab(house, Login(OLD)).ready()
    for _ in range(50):
        tab.says("SAY", text="x")
    logins.sign_in(house.runtime, OLD, ANA)
    assert tab.says("SAY", text="x").port.sent[-1]["code"] == "RATE_LIMIT_EXCEEDED"


def test_a_session_key_is_in_no_state_log_or_text(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever reads a key is that player: counters, states and texts have its hash at most."""
    with caplog.at_level(logging.DEBUG):
        tab = Tab(house, Login(OLD)).ready()
        logins.sign_in(house.runtime, OLD, ANA)
        house.runtime.close(tab.admission, tab.socket, closing.DROPPED)
        shown = [caplog.text, json.dumps(to_state(house.hub)), repr(tab.admission), repr(ANA)]
        shown += [str(record.__dict__) for record in caplog.records]
    assert not [text for text in shown if OLD in text or NEW in text]
