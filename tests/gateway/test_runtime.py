"""The runtime on a virtual clock: the real hub, connections and game; only network and time are ours."""

import pytest

from gateway.admission import hash_token, parse_query
from gateway.core import closing
from gateway.core.admission import UNAVAILABLE, Refusal
from gateway.duties import FORGET
from gateway.runtime import Admission
from gateway.serving import DUTIES
from tests.gateway.house import PARLOUR, Client, House, attempt


def test_a_silent_socket_is_dead_within_11_to_18_seconds_of_its_last_frame() -> None:
    """Two unanswered pings; a best-effort close 4002, and the transport is reset at once (spec 1.4)."""
    house = House()
    client = Client(house).open().says("SIT", word="silent")
    silent_since = house.clock.now()
    while client.port.closed is None:
        house.clock.advance(0.1)
    assert 11 <= house.clock.now() - silent_since < 18.2
    assert (client.port.closed.code, client.port.closed.reason) == (4002, "Heartbeat timeout")
    assert client.port.aborted


def test_a_client_that_answers_lives_and_is_measured_by_our_clock() -> None:
    """Five minutes of answers, each a quarter of a second late: the median round trip is about that."""
    house = House()
    client = Client(house).open()
    for _ in range(1200):
        house.clock.advance(0.25)
        client.answers_heartbeats()
    assert client.port.closed is None
    rtt = client.socket.connection.rtt()
    assert rtt is not None
    assert 0 < rtt <= 0.25


def test_a_process_that_stood_still_kills_nobody() -> None:
    """Timers run before the bytes that waited: a late wake pings again instead of judging (spec 1.4)."""
    house = House()
    clients = [Client(house, session=f"s{number}").open() for number in range(30)]
    house.clock.stall(60)
    assert all(client.port.closed is None for client in clients)
    for client in clients:
        client.answers_heartbeats()
    house.clock.advance(3.9)
    assert all(client.port.closed is None for client in clients)


def test_all_counters_are_back_at_zero_when_everybody_has_gone() -> None:
    """Open or not, each slot is given back exactly once."""
    house = House()
    opened = [Client(house, session=f"s{number}").open() for number in range(3)]
    never_opened = [Client(house, session=f"t{number}") for number in range(3)]
    for client in opened:
        client.gone()
    for client in never_opened:
        house.runtime.release(client.admission)
    assert (house.hub.slots, house.hub.by_session, house.hub.by_address, house.hub.by_client) == (
        {},
        {},
        {},
        {},
    )
    assert house.runtime.sockets.live == {}


async def test_what_outlives_its_socket_is_gone_in_two_minutes_though_nobody_else_comes() -> None:
    """Last closes, conduct, what was spent: a crowd that went home holds no memory."""
    house = House()
    client = Client(house, query="clientId=tab").open().says("SAY", text="x")
    client.gone()
    assert house.runtime.actions.spent.windows
    assert house.hub.last_closes.closes
    house.clock.advance(120)
    assert FORGET in DUTIES
    await FORGET.work(house.runtime)
    assert house.runtime.actions.spent.windows == {}
    assert house.hub.last_closes.closes == {}


def test_who_was_looked_up_while_the_server_began_to_stop_is_told_to_come_again() -> None:
    """A socket that opened now would be told nothing any more, not even that it ends."""
    house = House()
    house.runtime.drain(lambda: None)
    assert house.runtime.admit(attempt("late")) == UNAVAILABLE
    assert house.hub.slots == {}


def test_four_network_changes_leave_no_refusal() -> None:
    """Each reconnect replaces a socket whose death nobody has noticed: replaced ones do not count against the
    cap of three.
    """
    house = House()
    Client(house, query="clientId=tab").open().says("SIT", word="phone")
    for _ in range(4):
        client = Client(house, query=f"clientId=tab&{PARLOUR.format('phone')}").open()
    assert client.port.types()[:2] == ["CONNECTED", "SEATED"]
    assert house.hub.by_session == {"s": 1}


def test_a_seat_that_changed_hands_during_the_handshake_is_4003() -> None:
    """Verified at admission and again at open: what was good a moment ago is not good enough."""
    house = House()
    owner = Client(house).open().says("SIT", word="fleeting")
    late = Client(house, query=PARLOUR.format("fleeting"))
    owner.gone(closing.USER_DISCONNECTED)
    late.open()
    assert late.port.closed is not None
    assert (late.port.closed.code, late.port.closed.reason) == (4003, "Invalid seat credentials")


def test_a_failed_handshake_leaves_the_old_socket_its_slot() -> None:
    """The place passes over when the new socket opens, not before."""
    house = House()
    old = Client(house, query="clientId=tab").open()
    new = Client(house, query="clientId=tab")
    house.runtime.release(new.admission)
    assert old.port.closed is None
    assert house.hub.by_session == {"s": 1}


def test_of_two_handshakes_for_one_seat_the_newer_wins() -> None:
    """The older one must not take the seat when it completes late."""
    house = House()
    Client(house).open().says("SIT", word="race")
    older = Client(house, query=PARLOUR.format("race"))
    newer = Client(house, query=PARLOUR.format("race"))
    newer.open()
    older.open()
    assert older.port.closed is not None
    assert older.port.closed.code == 4000
    assert newer.port.closed is None


def test_sustained_abuse_costs_the_session_a_burst_does_not() -> None:
    """Any drop in the third violation window in a row closes 1008, in [20 s, 30 s) after the first (spec
    1.6).
    """
    house = House()
    client = Client(house).open()
    began = house.clock.now()
    while client.port.closed is None:
        client.says("SAY", text="x")
        house.clock.advance(0.02)
        client.answers_heartbeats()
    assert 20 <= house.clock.now() - began < 34
    assert (client.port.closed.code, client.port.closed.reason) == (1008, "Rate limit exceeded")


def test_the_shield_in_dry_run_lets_pass_what_it_would_refuse_live() -> None:
    """Thirty upgrades of one session at once, then ten a minute (spec 1.2, check 6)."""
    for mode, refused in (("dry_run", 0), ("live", 10)):
        house = House(SHIELD_MODE=mode, SESSION_CAP=100, IP_CAP=100)
        outcomes = [house.runtime.admit(attempt()) for _ in range(40)]
        codes = [outcome.code for outcome in outcomes if isinstance(outcome, Refusal)]
        assert codes == ["arcjet_denied"] * refused


def test_the_live_shield_refills_at_its_sustained_rate() -> None:
    """Its burst is not its rate: six seconds a token for a session."""
    house = House(SHIELD_MODE="live", SESSION_CAP=100, IP_CAP=100)
    for _ in range(30):
        house.runtime.admit(attempt())
    refusal = house.runtime.admit(attempt())
    assert isinstance(refusal, Refusal)
    assert refusal.retry_after == pytest.approx(6.0)
    house.clock.advance(6.0)
    assert isinstance(house.runtime.admit(attempt()), Admission)


def test_an_address_in_a_network_with_its_own_cap_has_that_cap() -> None:
    """A school with two hundred pupils behind one address is no attack."""
    house = House(IP_CAP=1, IP_CAPS={"203.0.113.0/24": 2})
    assert isinstance(house.runtime.admit(attempt("a")), Admission)
    assert isinstance(house.runtime.admit(attempt("b")), Admission)
    refusal = house.runtime.admit(attempt("c"))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "ip_connection_cap"


def test_the_token_goes_no_further_than_its_hash() -> None:
    """What the rules see of a ticket cannot open a seat."""
    query = parse_query("roomId=r&playerSeatId=s&reconnectToken=secret")
    assert query.ticket is not None
    assert query.ticket.token_hash == hash_token("secret")
    assert "secret" not in repr(query)
