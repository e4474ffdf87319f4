"""What a stranger can make the process remember has an end, and the oldest goes first.

The tables themselves are tested beside their modules; here each is filled past its bound.
"""

from typing import Any

import pytest

from gateway import lookup
from gateway.core import closing, guard, limits, memory
from gateway.core.guard import Guard
from gateway.core.limits import KeyedBuckets, KeyedWindows
from gateway.core.memory import Conduct, LastCloses
from gateway.core.strikes import LIMIT, Strike, What
from gateway.logins import MAX_PASSED, Login, Passed
from gateway.lookup import SessionLookup
from gateway.testing import VirtualClock
from rooms.core.rules import BANS_MAX, DEPARTED_MAX
from rooms.core.seats import Seat, Seats
from rooms.core.shapes import Avatar

FEW = 50
"""In place of thousands, where a bound is looked up when it is used."""


async def no_app(scope: Any, receive: Any, send: Any) -> None:
    """Never called."""


def test_limiter_keys_that_are_all_busy_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of new accounts within one window: none is idle, and the longest unused goes."""
    monkeypatch.setattr(limits, "MAX_KEYS", FEW)
    windows, buckets = KeyedWindows(), KeyedBuckets(5.0, 0.1)
    for number in range(4 * FEW):
        windows.window(f"key {number}", 5, 60, 1.0).allow(1.0)
        buckets.bucket(f"key {number}", 1.0).take(1.0)
    newest = [f"key {number}" for number in range(3 * FEW, 4 * FEW)]
    assert list(windows.windows) == newest
    assert list(buckets.buckets) == newest


def test_conduct_and_last_closes_of_the_absent_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of accounts that misbehave and go, and tabs that close, all within their minute."""
    monkeypatch.setattr(memory, "MAX_ABSENT", FEW)
    conduct, closes = Conduct(), LastCloses()
    for number in range(4 * FEW):
        conduct.forget(1.0)
        conduct.came(f"account {number}", 1.0)
        conduct.violated(f"account {number}", 1.0)
        conduct.went(f"account {number}", 1.0)
        closes.forget(1.0)
        closes.remember(f"tab {number}", closing.DROPPED, 1.0)
    assert len(conduct.violations) == len(conduct.absent_since) == FEW + 1
    assert len(closes.closes) == FEW + 1
    assert f"tab {4 * FEW - 1}" in closes.closes


def test_remembered_sessions_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cookies are free: whoever has ten thousand of them makes the process ask again, not grow."""
    monkeypatch.setattr(lookup, "MAX_REMEMBERED", FEW)
    clock = VirtualClock()
    sessions = SessionLookup(no_app, clock)
    for number in range(4 * FEW):
        sessions._remember(f"cookie {number}", {})
    assert list(sessions._known) == [f"cookie {number}" for number in range(3 * FEW, 4 * FEW)]


def test_sign_ins_and_logouts_of_a_moment_ago_have_a_bound() -> None:
    """Each change looks at all of them."""
    passed = Passed()
    for number in range(MAX_PASSED + FEW):
        passed.on(f"key {number}", None, 1.0)
    assert len(passed._to) == MAX_PASSED
    assert passed.current(Login(f"key {MAX_PASSED}"), 1.0) is None
    forgotten = Login("key 0")
    assert passed.current(forgotten, 1.0) is forgotten


def test_sentences_that_nobody_stores_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is away, and the accounts that are shut out are many."""
    monkeypatch.setattr(guard, "MAX_SENTENCES", 3)
    ours = Guard()
    for number in range(5):
        for _ in range(LIMIT):
            ours._strike(Strike(1.0, What.WRONG_TOKEN, f"session:{number}", "203.0.113.9", None))
    assert list(ours.sentences) == ["session:2", "session:3", "session:4"]


def seat(number: int) -> Seat:
    """Somebody of an account of their own."""
    ids = f"seat-{number}"
    return Seat(
        ids, f"session:{number}", None, "", "Ana", f"ana {number}", Avatar(), number, f"conn-{number}"
    )


def test_departed_seats_and_bans_of_a_room_have_a_bound() -> None:
    """People who come and go, each with a new session, in a game that never ends."""
    seats = Seats()
    for number in range(DEPARTED_MAX + FEW):
        came = seat(number)
        seats.add(came, str(came.conn_id))
        seats.depart(came, 1.0)
    assert len(seats.departed) == DEPARTED_MAX
    assert next(iter(seats.departed)) == f"seat-{FEW}"
    seats.ban(seat(number) for number in range(BANS_MAX + FEW))
    assert len(seats.bans) == BANS_MAX
    assert seats.is_banned(f"session:{BANS_MAX + FEW - 1}")
    assert not seats.is_banned("session:0")
