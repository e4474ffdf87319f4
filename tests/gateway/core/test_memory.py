"""What outlives a socket for a minute: conduct per account, last closes per tab (spec 1.6, 1.7)."""

import pytest

from gateway.core.closing import BACKPRESSURE, HEARTBEAT_TIMEOUT
from gateway.core.limits import ViolationWindows
from gateway.core.memory import Conduct, LastCloses
from gateway.core.messages import LastClose


def present(*accounts: str) -> Conduct:
    """The conduct of accounts that came at 0."""
    conduct = Conduct()
    for account in accounts:
        conduct.came(account, 0.0)
    return conduct


def test_sustained_abuse_is_counted_over_all_sockets_of_an_account() -> None:
    """Whichever socket drops: windows are kept per account."""
    conduct = present("anna", "bert")
    assert [conduct.violated("anna", at) for at in (0.0, 10.0)] == [False, False]
    assert not conduct.violated("bert", 20.0)
    assert conduct.violated("anna", 20.0)


def test_while_an_account_is_away_its_windows_stand_still() -> None:
    """Reconnecting is no pardon: forty seconds elsewhere are no clean window."""
    conduct = present("anna")
    conduct.violated("anna", 0.0)
    conduct.violated("anna", 12.0)
    conduct.went("anna", 15.0)
    conduct.came("anna", 55.0)
    assert conduct.violated("anna", 60.0)


def test_an_account_with_another_socket_is_not_away() -> None:
    """Its time runs on."""
    conduct = present("anna", "anna")
    conduct.violated("anna", 0.0)
    conduct.went("anna", 1.0)
    assert (conduct.absent_since, conduct.connections) == ({}, {"anna": 1})
    conduct.violated("anna", 35.0)
    assert conduct.violations["anna"] == ViolationWindows(35.0, 1)


def test_an_account_that_behaved_leaves_nothing_behind() -> None:
    """Only violations are remembered."""
    conduct = present("anna")
    conduct.went("anna", 1.0)
    assert conduct == Conduct()


@pytest.mark.parametrize(("away", "forgotten"), [(59.999, False), (60.0, True)])
def test_violations_are_forgotten_after_a_minute_of_absence(away: float, forgotten: bool) -> None:
    """Counted from the last socket's end."""
    conduct = present("anna")
    conduct.violated("anna", 0.0)
    conduct.went("anna", 5.0)
    conduct.forget(5.0 + away)
    assert (conduct == Conduct()) is forgotten


def test_forgetting_takes_all_that_are_due_and_stops_at_the_first_that_is_not() -> None:
    """The table is in order of absence, so nobody is looked at in vain."""
    conduct = present("a", "b", "c", "d")
    for account, gone in (("c", 1.0), ("a", 2.0), ("b", 30.0)):
        conduct.violated(account, 0.5)
        conduct.went(account, gone)
    conduct.violated("d", 0.5)
    conduct.forget(70.0)
    assert list(conduct.absent_since) == ["b"]
    assert conduct.violations.keys() == {"b", "d"}


def test_a_client_learns_how_its_last_socket_ended() -> None:
    """The newest close counts."""
    closes = LastCloses()
    closes.remember("anna tab", HEARTBEAT_TIMEOUT, 0.0)
    closes.remember("bert tab", HEARTBEAT_TIMEOUT, 1.0)
    closes.remember("anna tab", BACKPRESSURE, 2.0)
    assert closes.of("anna tab", 3.0) == LastClose(1013, "Backpressure")
    assert closes.of("nobody", 3.0) is None
    assert list(closes.closes) == ["bert tab", "anna tab"]


@pytest.mark.parametrize(("later", "known"), [(0.0, True), (59.999, True), (60.0, False)])
def test_a_close_is_known_for_a_minute(later: float, known: bool) -> None:
    """Whether or not anybody has tidied up."""
    closes = LastCloses()
    closes.remember("anna tab", BACKPRESSURE, 5.0)
    assert (closes.of("anna tab", 5.0 + later) is not None) is known
    closes.forget(5.0 + later)
    assert (closes != LastCloses()) is known


def test_old_closes_go_from_the_front() -> None:
    """The rest stays."""
    closes = LastCloses()
    for at, client in enumerate(["a", "b", "c", "a"]):
        closes.remember(client, BACKPRESSURE, float(at))
    closes.forget(62.0)
    assert list(closes.closes) == ["a"]


# ---------- signing in


def drops(conduct: Conduct, account: str, *moments: float) -> bool:
    """Dropped frames at these moments; whether the last is sustained abuse."""
    return [conduct.violated(account, at) for at in moments][-1]


@pytest.mark.parametrize("old_drops", [(), (0.0,), (0.0, 10.0)])
@pytest.mark.parametrize("new_drops", [(), (0.0,), (0.0, 10.0)])
def test_of_two_records_the_worse_stays(old_drops: tuple[float, ...], new_drops: tuple[float, ...]) -> None:
    """Whoever signs in is neither pardoned nor charged for both."""
    conduct = present("session", "user")
    for account, moments in (("session", old_drops), ("user", new_drops)):
        if moments:
            drops(conduct, account, *moments)
    conduct.pass_on("session", "user", 11.0)
    assert conduct.connections == {"user": 2}
    assert "session" not in conduct.violations
    assert conduct.violated("user", 20.0) is (2 in (len(old_drops), len(new_drops)))


def test_windows_stand_still_for_whoever_signs_in_while_away() -> None:
    """A flood, a page change with the sign-in on it, and the flood again: the pause is no clean window."""
    conduct = present("session")
    drops(conduct, "session", 0.0, 10.0)
    conduct.went("session", 11.0)
    conduct.pass_on("session", "user", 31.0)
    conduct.came("user", 41.0)
    assert conduct.violated("user", 50.0)


def test_a_record_that_passes_to_a_user_who_is_away_is_forgotten_in_its_minute() -> None:
    """Nothing is kept for ever: the minute begins at the sign-in."""
    conduct = present("session")
    drops(conduct, "session", 0.0)
    conduct.went("session", 1.0)
    conduct.pass_on("session", "user", 30.0)
    conduct.forget(89.9)
    assert conduct.violations
    conduct.forget(90.0)
    assert (conduct.violations, conduct.absent_since) == ({}, {})


def test_the_windows_of_a_user_who_was_away_end_their_pause_when_a_socket_passes_to_him() -> None:
    """His drops of before count as if he had come by himself."""
    conduct = present("session", "user")
    drops(conduct, "user", 0.0, 10.0)
    conduct.went("user", 11.0)
    conduct.pass_on("session", "user", 31.0)
    assert conduct.absent_since == {}
    assert conduct.violated("user", 40.0)


def test_of_two_last_closes_the_later_is_told_and_all_are_forgotten_in_time() -> None:
    """Tables stay in order of time, so that the front is the oldest."""
    closes = LastCloses()
    closes.remember("user tab", BACKPRESSURE, 0.0)
    closes.remember("other tab", BACKPRESSURE, 1.0)
    closes.remember("session tab", HEARTBEAT_TIMEOUT, 2.0)
    closes.pass_on("session ", "user ")
    assert list(closes.closes) == ["other tab", "user tab"]
    assert closes.of("user tab", 3.0) == LastClose(4002, "Heartbeat timeout")
    closes.forget(61.5)
    assert list(closes.closes) == ["user tab"]
