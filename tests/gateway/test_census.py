"""Pictures of live connections: what is in them, what is not, and how lists of thousands are handed out."""

import msgspec
import pytest

from gateway import census
from gateway.census import PER_PAGE, Query
from gateway.logins import Login
from tests.gateway.house import Client, House
from tests.gateway.test_logins import Tab


def seen(house: House, **query: object) -> list[str]:
    """The connections of a page, in order."""
    return [row.conn_id for row in census.connections(house.runtime, Query(**query)).rows]  # type: ignore[arg-type]


def test_a_row_says_who_is_there_and_how_well() -> None:
    """Address, account, seat, age, round trip, bytes not taken, frames dropped (spec 4.3)."""
    house = House()
    client = Client(house).open().says("SIT", word="ana")
    house.clock.advance(7.0)
    client.answers_heartbeats()
    client.port.reading = False
    for _ in range(200):
        client.says("SAY", text="x")
    (row,) = census.connections(house.runtime, Query()).rows
    assert (row.address, row.account, row.seat, row.age_s) == ("203.0.113.9", "session:s", "seat-ana", 7.0)
    assert row.rtt_s is not None
    assert row.buffered == client.port.buffered() > 0
    assert row.over_budget == 52  # of SIT, a heartbeat and 200 SAYs 150 pass
    assert row.unsent == 0


def test_the_newest_is_first_unless_another_order_is_asked_for() -> None:
    """The loudest and the slowest are found by sorting; an order that there is not changes nothing."""
    house = House()
    old, loud, new = [Client(house).open() for _ in range(3)]
    for _ in range(160):
        loud.says("SAY", text="x")
    ids = [client.admission.peer.conn_id for client in (new, loud, old)]
    assert seen(house) == seen(house, order="peer") == ids
    assert seen(house, order="over_budget")[0] == ids[1]
    for order in census.ORDERS:
        assert sorted(seen(house, order=order)) == sorted(ids)


@pytest.mark.parametrize("text", ["203.0.113", "session:t", "seat-ben"])
def test_a_search_looks_at_address_account_and_seat(text: str) -> None:
    """So that a complaint about one player leads to his connection."""
    house = House()
    Client(house, session="t").open().says("SIT", word="ben")
    Client(house, session="u")  # its handshake is not complete: no connection yet
    assert len(seen(house, text=text)) == 1
    assert seen(house, text="nobody") == []


def test_thousands_come_in_pages() -> None:
    """A number beyond the last page is the last, one below the first the first."""
    house = House(SESSION_CAP=1000, IP_CAP=1000)
    for _ in range(2 * PER_PAGE + 1):
        Client(house).open()
    page = census.connections(house.runtime, Query(number=3))
    assert (len(page.rows), page.total, page.number, page.pages) == (1, 2 * PER_PAGE + 1, 3, 3)
    assert census.connections(house.runtime, Query(number=99)) == page
    assert census.connections(house.runtime, Query(number=-1)).number == 1
    everybody = [conn_id for number in (1, 2, 3) for conn_id in seen(house, number=number)]
    assert sorted(everybody) == sorted(house.runtime.sockets.live)


def test_an_empty_house_has_one_empty_page() -> None:
    """Page 1 of 1."""
    page = census.connections(House().runtime, Query())
    assert (page.rows, page.total, page.number, page.pages) == ((), 0, 1, 1)


def test_only_those_that_are_still_open_are_picked() -> None:
    """Between the list and the action some have gone; ids that never were pick nothing."""
    house = House()
    stays, goes = Client(house).open(), Client(house).open()
    ids = [client.admission.peer.conn_id for client in (stays, goes)]
    goes.gone()
    assert [row.conn_id for row in census.these(house.runtime, [*ids, "made up"])] == ids[:1]


def test_a_picture_is_frozen_and_holds_no_secret() -> None:
    """It may be shown, kept and passed between threads: plain values, no session key, no user agent."""
    house = House()
    Tab(house, Login("the-session-key")).ready()
    (row,) = census.connections(house.runtime, Query()).rows
    with pytest.raises(AttributeError):
        row.account = "user:1"  # type: ignore[misc]
    shown = msgspec.json.encode(row).decode()
    assert "the-session-key" not in shown
    assert "Firefox" not in shown
