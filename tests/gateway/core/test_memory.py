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
