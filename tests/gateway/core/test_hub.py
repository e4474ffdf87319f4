"""The hub: who is counted, who replaces whom, what a client hears of its last socket (spec 1.2, 1.6, 1.7)."""

import pytest

from gateway.core import closing
from gateway.core.admission import CapsPolicy, LateFacts, Seat, late_refusal
from gateway.core.closing import NEW_SESSION_OPENED, SEAT_ATTACHED_ELSEWHERE
from gateway.core.hub import Admit, EndSocket, Gone, Hub, Open, SignedIn, Violated
from gateway.core.messages import LastClose
from gateway.core.slots import Stage
from tests.gateway.core.vocabulary import reloaded

NOW = 100.0


def admit(
    hub: Hub,
    conn_id: str,
    tab: str | None = None,
    holder: str | None = None,
    session: str = "s",
    address: str = "a",
) -> None:
    """An attempt passed all checks."""
    assert hub.apply(Admit(conn_id, session, address, f"account of {session}", tab, holder), NOW) == ()


def opens(hub: Hub, conn_id: str) -> tuple[EndSocket, ...]:
    """A handshake completes."""
    return hub.apply(Open(conn_id), NOW)


def ends(hub: Hub, conn_id: str, ending: closing.Ending | None = closing.DROPPED, now: float = NOW) -> None:
    """A socket, or an attempt, is gone."""
    assert hub.apply(Gone(conn_id, ending), now) == ()


def connect(
    hub: Hub, conn_id: str, tab: str | None = None, holder: str | None = None
) -> tuple[EndSocket, ...]:
    """An attempt that succeeds."""
    admit(hub, conn_id, tab, holder)
    return opens(hub, conn_id)


def counted(hub: Hub, session: str = "s", address: str = "a") -> tuple[int, int]:
    """The two counters."""
    return hub.sockets_of(session, address, None)


def admitted(hub: Hub, tab: str | None = None, holder: str | None = None) -> bool:
    """Whether one more attempt would pass the session's cap."""
    by_session, by_address = hub.sockets_of("s", "a", hub.predecessor_of("s", tab, holder))
    seat = Seat.NONE if holder is None else Seat.GOOD
    facts = LateFacts(True, by_session, by_address, 55, False, None, seat)
    return late_refusal(facts, CapsPolicy()) is None


# ---------- counting


def test_a_slot_is_reserved_at_admission_and_given_back_once() -> None:
    """Opening moves nothing; the end gives back, of an attempt as of a socket."""
    hub = Hub()
    admit(hub, "c1")
    assert counted(hub) == (1, 1)
    opens(hub, "c1")
    assert counted(hub) == (1, 1)
    admit(hub, "c2")
    ends(hub, "c2", None)
    ends(hub, "c1")
    assert (counted(hub), hub) == ((0, 0), Hub())


def test_sessions_and_addresses_are_counted_apart() -> None:
    """Two counters, each of its own."""
    hub = Hub()
    for conn_id, session, address in (("c1", "s", "a"), ("c2", "s", "b"), ("c3", "t", "a")):
        admit(hub, conn_id, session=session, address=address)
    assert [counted(hub, *who) for who in (("s", "a"), ("s", "b"), ("t", "b"), ("u", "c"))] == [
        *((2, 2), (2, 1)),
        *((1, 1), (0, 0)),
    ]


@pytest.mark.parametrize("event", [Open("nobody"), Gone("nobody", None), Violated("nobody")])
def test_an_unknown_connection_is_our_own_fault(event: Open | Gone | Violated) -> None:
    """Never ignored: something was given back twice."""
    hub = Hub()
    with pytest.raises(KeyError, match="nobody"):
        hub.apply(event, NOW)
    assert hub == Hub()


def test_a_socket_opens_once() -> None:
    """An illegal move raises and changes nothing."""
    hub = Hub()
    connect(hub, "c1", "tab")
    with pytest.raises(ValueError, match="from open to open"):
        opens(hub, "c1")
    assert counted(hub) == (1, 1)


# ---------- replacement


def test_the_same_tab_replaces_its_old_socket_with_4000() -> None:
    """Without a claim: a second socket with the same clientId."""
    hub = Hub()
    connect(hub, "old", "tab")
    admit(hub, "new", "tab")
    assert counted(hub) == (1, 1)
    assert opens(hub, "new") == (EndSocket("old", NEW_SESSION_OPENED),)
    assert counted(hub) == (1, 1)
    ends(hub, "old")
    assert counted(hub) == (1, 1)


def test_a_seat_claim_replaces_the_seats_holder_with_1000() -> None:
    """From whichever tab, session or address it comes."""
    hub = Hub()
    connect(hub, "old", "tab")
    admit(hub, "new", "other tab", holder="old", session="t", address="b")
    assert (counted(hub), counted(hub, "t", "b")) == ((0, 0), (1, 1))
    assert opens(hub, "new") == (EndSocket("old", SEAT_ATTACHED_ELSEWHERE),)


def test_when_both_rules_match_the_seat_claim_wins() -> None:
    """One socket, one reason: 1000."""
    hub = Hub()
    connect(hub, "old", "tab")
    assert connect(hub, "new", "tab", holder="old") == (EndSocket("old", SEAT_ATTACHED_ELSEWHERE),)


def test_a_claim_on_a_seat_elsewhere_leaves_the_tabs_own_socket_alone() -> None:
    """At most one socket is replaced by a claim, and it is the holder."""
    hub = Hub()
    connect(hub, "seat", "tab 1")
    connect(hub, "mine", "tab 2")
    assert connect(hub, "new", "tab 2", holder="seat") == (EndSocket("seat", SEAT_ATTACHED_ELSEWHERE),)
    assert hub.slots["mine"].stage is Stage.OPEN


@pytest.mark.parametrize("holder", ["gone", "pending", "replaced", None])
def test_a_claim_whose_seat_nobody_holds_falls_back_to_the_tab(holder: str | None) -> None:
    """Holders that are gone, not open or replaced already are no holders."""
    hub = Hub()
    connect(hub, "replaced", "t")
    connect(hub, "mine", "t")
    admit(hub, "pending")
    assert connect(hub, "new", "t", holder=holder) == (EndSocket("mine", NEW_SESSION_OPENED),)


def test_no_claim_and_no_tab_replace_nothing() -> None:
    """Nor does another tab, or the same tab id of another session; no id is not the id "None"."""
    hub = Hub()
    connect(hub, "c1", "None")
    assert connect(hub, "c2") == ()
    assert connect(hub, "c3", "other") == ()
    admit(hub, "c4", "None", session="t")
    assert opens(hub, "c4") == ()
    assert counted(hub) == (3, 4)


def test_a_failed_handshake_gives_the_old_socket_its_slot_back() -> None:
    """And it can be replaced anew."""
    hub = Hub()
    connect(hub, "old", "tab")
    admit(hub, "new", "tab", session="s", address="b")
    assert (counted(hub), counted(hub, "s", "b")) == ((1, 0), (1, 1))
    ends(hub, "new", None)
    assert (counted(hub), counted(hub, "s", "b")) == ((1, 1), (1, 0))
    assert connect(hub, "newer", "tab") == (EndSocket("old", NEW_SESSION_OPENED),)


def test_a_newer_replacement_cancels_the_pending_one() -> None:
    """At most one is pending per socket; the cancelled one may not open any more."""
    hub = Hub()
    connect(hub, "old", "tab")
    admit(hub, "first", "tab")
    admit(hub, "second", "tab")
    assert (hub.slots["first"].stage, counted(hub)) == (Stage.CANCELLED, (1, 1))
    assert opens(hub, "first") == (EndSocket("first", NEW_SESSION_OPENED),)
    assert hub.slots["old"].stage is Stage.OPEN
    ends(hub, "first")
    assert counted(hub) == (1, 1)
    assert opens(hub, "second") == (EndSocket("old", NEW_SESSION_OPENED),)


def test_a_cancelled_handshake_that_fails_gives_nothing_back() -> None:
    """The old socket waits for the newer one, and is as before when that fails too."""
    hub = Hub()
    connect(hub, "old", "tab")
    slot = reloaded(hub.slots["old"])
    admit(hub, "first", "tab")
    admit(hub, "second", "tab")
    ends(hub, "first", None)
    assert hub.slots["old"].successor == "second"
    ends(hub, "second", None)
    assert hub.slots["old"] == slot
    assert counted(hub) == (1, 1)


def test_an_old_socket_that_ends_first_leaves_its_place_to_the_pending_one() -> None:
    """Its slot was not counted any more, so nothing is given back twice."""
    hub = Hub()
    connect(hub, "old", "tab")
    admit(hub, "new", "tab")
    ends(hub, "old")
    assert counted(hub) == (1, 1)
    assert opens(hub, "new") == ()
    ends(hub, "new", closing.GONE_AWAY)
    assert counted(hub) == (0, 0)


def test_two_handshakes_of_a_tab_that_had_no_socket_leave_one() -> None:
    """A page reloaded twice at once: neither replaced anything when it was admitted."""
    hub = Hub()
    admit(hub, "first", "tab")
    admit(hub, "second", "tab")
    assert counted(hub) == (2, 2)
    assert opens(hub, "first") == ()
    assert opens(hub, "second") == (EndSocket("first", NEW_SESSION_OPENED),)
    assert counted(hub) == (1, 1)


def test_a_socket_that_waits_for_its_successor_is_not_replaced_by_another() -> None:
    """The one it waits for will end both."""
    hub = Hub()
    admit(hub, "late", "tab")
    connect(hub, "old", "tab")
    admit(hub, "next", "tab")
    assert opens(hub, "late") == ()
    assert opens(hub, "next") == (EndSocket("old", NEW_SESSION_OPENED), EndSocket("late", NEW_SESSION_OPENED))
    assert counted(hub) == (1, 1)


@pytest.mark.parametrize("by_seat", [False, True])
def test_four_network_changes_leave_three_unnoticed_dead_sockets_and_hit_no_cap(by_seat: bool) -> None:
    """Each replaces the one before; the session's two other tabs are open all the while (spec 1.2)."""
    hub = Hub()
    connect(hub, "tab 2", "t2")
    connect(hub, "tab 3", "t3")
    connect(hub, "n0", "t1")
    for change in range(1, 5):
        last = f"n{change - 1}"
        tab, holder = (None, last) if by_seat else ("t1", None)
        assert admitted(hub, tab, holder)
        admit(hub, f"n{change}", tab, holder)
        assert admitted(hub, tab, holder)
        assert not admitted(hub, "t4")
        reason = SEAT_ATTACHED_ELSEWHERE if by_seat else NEW_SESSION_OPENED
        assert opens(hub, f"n{change}") == (EndSocket(last, reason),)
        assert counted(hub) == (3, 3)
    for dead in ("n0", "n1", "n2", "n3"):
        ends(hub, dead)
    assert counted(hub) == (3, 3)


def test_a_replacement_counts_neither_its_predecessor_nor_the_attempt_it_cancels() -> None:
    """Exactly one place is free for it, wherever the two are counted."""
    hub = Hub()
    connect(hub, "old", "tab")
    admit(hub, "pending", "tab", session="s", address="b")
    predecessor = hub.predecessor_of("s", "tab", None)
    assert hub.sockets_of("s", "a", predecessor) == (0, 0)
    assert hub.sockets_of("s", "b", predecessor) == (0, 0)
    assert hub.sockets_of("t", "c", predecessor) == (0, 0)


def test_a_tab_is_forgotten_with_its_last_socket() -> None:
    """Also if its seat was taken over from another tab."""
    hub = Hub()
    connect(hub, "old", "tab 1")
    connect(hub, "new", "tab 2", holder="old")
    assert hub.by_client.keys() == {"s tab 2"}
    ends(hub, "old")
    ends(hub, "new")
    assert hub.by_client == {}


# ---------- who speaks


def test_a_connection_speaks_for_a_seat_while_it_is_bound() -> None:
    """On the wire the seat, else the connection; budgets by the seat, else the account."""
    hub = Hub()
    connect(hub, "c1")
    assert (hub.user_id("c1"), hub.keys("c1").user) == ("c1", "account of s")
    hub.bind("c1", "seat-7")
    assert (hub.user_id("c1"), hub.keys("c1").user) == ("seat-7", "seat-7")
    hub.bind("c1", None)
    assert (hub.user_id("c1"), hub.keys("c1").user) == ("c1", "account of s")


# ---------- conduct


def test_sustained_abuse_ends_the_socket_that_commits_it() -> None:
    """In the third window in a row, and again at once after a reconnect."""
    hub = Hub()
    connect(hub, "c1")
    connect(hub, "c2")
    at = [hub.apply(Violated("c1"), NOW + later) for later in (0.0, 10.0, 19.0)]
    assert at == [(), (), ()]
    assert hub.apply(Violated("c2"), NOW + 20.0) == (EndSocket("c2", closing.RATE_LIMIT_EXCEEDED),)
    ends(hub, "c1", now=NOW + 20.0)
    ends(hub, "c2", now=NOW + 20.0)
    hub.apply(Admit("c3", "s", "a", "account of s", None), NOW + 70.0)
    hub.apply(Open("c3"), NOW + 79.0)
    assert hub.apply(Violated("c3"), NOW + 79.0) == (EndSocket("c3", closing.RATE_LIMIT_EXCEEDED),)


def test_an_account_that_stayed_away_for_a_minute_starts_anew() -> None:
    """Counted until it is back, not until it asked."""
    hub = Hub()
    connect(hub, "c1")
    for later in (0.0, 10.0, 20.0):
        hub.apply(Violated("c1"), NOW + later)
    ends(hub, "c1", now=NOW + 20.0)
    hub.apply(Admit("c2", "s", "a", "account of s", None), NOW + 79.0)
    hub.apply(Open("c2"), NOW + 80.0)
    assert hub.apply(Violated("c2"), NOW + 80.0) == ()


# ---------- last closes


def test_a_client_learns_how_its_previous_socket_ended() -> None:
    """By account and tab, for a minute; without a tab's id nobody can tell who is back."""
    hub = Hub()
    connect(hub, "c1", "tab")
    connect(hub, "c2")
    connect(hub, "c3", "None")
    for conn_id in ("c1", "c2", "c3"):
        ends(hub, conn_id, closing.BACKPRESSURE)
    assert hub.last_close("account of s", "tab", NOW) == LastClose(1013, "Backpressure")
    assert hub.last_close("account of s", "tab", NOW + 60.0) is None
    assert hub.last_close("account of s", "other", NOW) is None
    assert hub.last_close("account of s", None, NOW) is None
    assert hub.last_close("account of t", "tab", NOW) is None


@pytest.mark.parametrize("ending", [closing.INVALID_SEAT_CREDENTIALS, None])
def test_a_socket_that_never_opened_is_remembered_if_it_was_accepted(ending: closing.Ending | None) -> None:
    """Its client saw a close; one that was never accepted saw a response instead."""
    hub = Hub()
    admit(hub, "c1", "tab")
    ends(hub, "c1", ending)
    known = hub.last_close("account of s", "tab", NOW)
    assert known == (None if ending is None else LastClose(4003, "Invalid seat credentials"))


def test_the_late_death_of_a_replaced_socket_is_no_news_to_its_tab() -> None:
    """The tab is back already, on its next socket."""
    hub = Hub()
    connect(hub, "old", "tab")
    connect(hub, "new", "tab")
    ends(hub, "old", NEW_SESSION_OPENED)
    assert hub.last_close("account of s", "tab", NOW) is None


def test_a_tab_whose_seat_was_taken_elsewhere_learns_it() -> None:
    """It may have been too slow to see its 1000."""
    hub = Hub()
    connect(hub, "old", "tab 1")
    connect(hub, "new", "tab 2", holder="old")
    ends(hub, "old", SEAT_ATTACHED_ELSEWHERE)
    assert hub.last_close("account of s", "tab 1", NOW) == LastClose(1000, "Seat attached elsewhere")


def test_old_closes_are_dropped_when_new_ones_come() -> None:
    """The table does not grow with every visitor of a day."""
    hub = Hub()
    for visitor in range(5):
        connect(hub, f"c{visitor}", f"tab{visitor}")
        ends(hub, f"c{visitor}", closing.DROPPED, NOW + 60.0 * visitor)
    assert len(hub.last_closes.closes) == 1


# ---------- signing in


def signs_in(hub: Hub, session: str = "s", now: float = NOW) -> None:
    """The session becomes the session ``u`` of the user."""
    assert hub.apply(SignedIn(session, f"account of {session}", "u", "user"), now) == ()


def test_who_signs_in_keeps_his_sockets_and_they_count_for_the_new_session() -> None:
    """Open ones and handshakes in progress alike; the address has as many as before."""
    hub = Hub()
    connect(hub, "open")
    admit(hub, "coming")
    admit(hub, "other", session="t")
    signs_in(hub)
    assert (counted(hub, "s"), counted(hub, "u"), counted(hub, "t")) == ((0, 3), (2, 3), (1, 3))
    assert [hub.keys(conn_id).user for conn_id in hub.slots] == ["user", "user", "account of t"]
    for conn_id in ("open", "coming", "other"):
        ends(hub, conn_id)
    assert (hub.by_session, hub.by_address) == ({}, {})


def test_a_tab_that_signed_in_is_replaced_by_its_own_next_socket() -> None:
    """The tab keeps its id, so the socket of before is found under the new session."""
    hub = Hub()
    connect(hub, "before", tab="tab")
    signs_in(hub)
    hub.apply(Admit("after", "u", "a", "user", "tab"), NOW)
    assert opens(hub, "after") == (EndSocket("before", NEW_SESSION_OPENED),)


def test_a_tab_that_came_back_with_the_new_cookie_already_is_known_by_that_socket() -> None:
    """It is the newer one; the old socket only counts."""
    hub = Hub()
    connect(hub, "before", tab="tab")
    hub.apply(Admit("after", "u", "a", "user", "tab"), NOW)
    opens(hub, "after")
    signs_in(hub)
    predecessor = hub.predecessor_of("u", "tab", None)
    assert predecessor is not None
    assert predecessor.conn_id == "after"
    assert counted(hub, "u") == (2, 2)


def test_signing_in_is_no_pardon_and_forgets_no_close() -> None:
    """Two bad windows before it and one after it are sustained abuse; a last close is told to the user."""
    hub = Hub()
    connect(hub, "flooder", tab="tab")
    for at in (NOW, NOW + 10):
        assert hub.apply(Violated("flooder"), at) == ()
    signs_in(hub, now=NOW + 15)
    assert hub.apply(Violated("flooder"), NOW + 20) == (EndSocket("flooder", closing.RATE_LIMIT_EXCEEDED),)
    other = Hub()
    connect(other, "dropped", tab="tab")
    ends(other, "dropped", closing.BACKPRESSURE)
    signs_in(other)
    assert other.last_close("user", "tab", NOW) == LastClose(1013, "Backpressure")
    assert other.last_close("account of s", "tab", NOW) is None


def test_a_sign_in_to_the_same_user_changes_the_session_alone() -> None:
    """His other sessions, and what is remembered of him, stay where they are."""
    hub = Hub()
    for conn_id, session in (("one", "u"), ("two", "v")):
        hub.apply(Admit(conn_id, session, "a", "user", "tab"), NOW)
        opens(hub, conn_id)
    hub.apply(SignedIn("u", "user", "w", "user"), NOW)
    assert hub.by_session == {"v": 1, "w": 1}
    assert hub.conduct.connections == {"user": 2}
    assert reloaded(hub) == hub
