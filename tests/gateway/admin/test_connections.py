"""The list of live connections in the admin: who may see it, what can be done, and that the log says so."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from gateway import live
from gateway.admin.lists import age
from gateway.core import closing
from gateway.logins import Login
from gateway.models import Block
from tests.gateway.admin.hosted import WAIT_S, hosted, staff, text
from tests.gateway.house import House
from tests.gateway.test_logins import Tab

pytestmark = pytest.mark.django_db(transaction=True)

VIEW, CLOSE, BLOCK = "view_liveconnection", "close_liveconnection", "add_block"


@pytest.fixture
def house() -> Iterator[House]:
    """Served beside the test."""
    made = House(SESSION_CAP=500, IP_CAP=500)
    with hosted(made.runtime):
        yield made


def sits(house: House, word: str, key: str = "a-key") -> Tab:
    """Somebody with a seat, on the loop."""
    return live.call(lambda runtime: Tab(house, Login(key)).ready().says("SIT", word=word))


def url(query: str = "") -> str:
    return reverse("admin:gateway_liveconnection_changelist") + query


def does(client: Client, action: str, *tabs: Tab, **answers: str) -> Any:
    """Choose these in the list and run an action; with answers after the question."""
    data = {"action": action, "chosen": [tab.admission.peer.conn_id for tab in tabs], **answers}
    return client.post(url(), data)


# ---------- looking


def test_the_list_shows_every_connection_with_its_numbers(house: House) -> None:
    """And no action to those who may do nothing."""
    tab = sits(house, "ana")
    page = text(staff(VIEW).get(url()))
    for shown in ("203.0.113.9", tab.admission.peer.account, "seat-ana", "0 s", "1 in all"):
        assert shown in page
    assert "a-key" not in page
    assert 'name="action"' not in page


def test_the_list_is_searched_sorted_and_paged(house: House) -> None:
    """Whatever the address line says: odd page numbers and orders are no errors."""
    for number in range(101):
        sits(house, f"w{number:03}", key=f"key-{number}")
    client = staff(VIEW)
    assert text(client.get(url("?q=seat-w007"))).count(">seat-w") == 1
    assert "Page 1 of 2" in text(client.get(url()))
    assert text(client.get(url("?p=2"))).count(">seat-w") == 1
    assert "Page 2 of 2" in text(client.get(url("?p=2&o=buffered")))
    for odd in ("?p=x", "?p=-1", "?p=99999999999999", "?o=nothing", "?q=%00"):
        assert client.get(url(odd)).status_code == 200
    assert "Nothing matches" in text(client.get(url("?q=nobody")))


def test_texts_of_clients_are_escaped(house: House) -> None:
    """A seat's name is the game's, here the client's own."""
    sits(house, "<script>alert(1)</script>")
    page = text(staff(VIEW).get(url()))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_without_the_permission_the_list_is_refused(house: House) -> None:
    """Staff alone is not enough; whoever is no staff is asked to sign in."""
    assert staff().get(url()).status_code == 403
    assert Client().get(url()).status_code == 302


def test_the_index_leads_those_to_the_list_who_may_see_it(house: House) -> None:
    """As for any model."""
    assert url() in text(staff(VIEW).get(reverse("admin:index")))


def test_a_process_that_serves_nothing_says_so() -> None:
    """No traceback: what to do instead; an action finds out as well."""
    client = staff(VIEW, CLOSE)
    for response in (client.get(url()), client.post(url(), {"action": "close", "chosen": "x"})):
        assert response.status_code == 503
        assert "no gateway runs in this process" in text(response)


def test_a_loop_that_stands_still_is_no_error_either(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page comes when the wait is over and says what is wrong."""
    client, go_on = staff(VIEW), threading.Event()
    monkeypatch.setattr(live, "CALL_TIMEOUT_S", 0.01)
    live.call(lambda runtime: asyncio.get_running_loop().call_soon(go_on.wait, WAIT_S))
    response = client.get(url())
    go_on.set()
    assert response.status_code == 503
    assert "did not answer" in text(response)


def test_there_is_nothing_to_add_change_or_delete(house: House) -> None:
    """The addresses that a model usually has are not there."""
    client = staff(VIEW, CLOSE)
    for tail in ("add/", "1/change/", "1/delete/", "1/history/"):
        assert client.get(url() + tail).status_code == 404


# ---------- closing


def test_closing_asks_first(house: House) -> None:
    """The question names who would go; nothing has happened yet."""
    tab = sits(house, "ana")
    page = text(does(staff(VIEW, CLOSE), "close", tab))
    assert "sure" in page
    assert "seat-ana" in page
    assert tab.closed is None
    assert not LogEntry.objects.exists()


def test_closing_ends_the_chosen_with_4001_and_is_logged(house: House) -> None:
    """The seat goes and the client stops; each connection has its line, under the name of who did it."""
    chosen, other = sits(house, "ana"), sits(house, "ben", key="another")
    client = staff(VIEW, CLOSE)
    response = does(client, "close", chosen, sure="yes")
    assert response.status_code == 302
    assert (chosen.closed, other.closed) == (4001, None)
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_id) == ("staff", chosen.admission.peer.conn_id)
    assert chosen.admission.peer.account in entry.object_repr
    assert entry.get_change_message() == "Closed (4001)."
    assert "live connection" in str(entry.content_type)
    index = text(client.get(reverse("admin:index")))
    assert entry.object_repr in index


def test_what_has_gone_meanwhile_is_neither_closed_nor_logged(house: House) -> None:
    """The list was looked at for a while."""
    tab = sits(house, "ana")

    def goes(runtime: Any) -> None:
        runtime.close(tab.admission, tab.socket, closing.DROPPED)
        runtime.release(tab.admission)

    live.call(goes)
    client = staff(VIEW, CLOSE)
    assert does(client, "close", tab, sure="yes").status_code == 302
    assert "still there" in text(client.get(url()))
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("permissions", "action"), [((VIEW,), "close"), ((VIEW, CLOSE), "block"), ((VIEW, CLOSE), "explode")]
)
def test_an_action_without_its_permission_is_refused(
    house: House, permissions: tuple[str, ...], action: str
) -> None:
    """Whatever the form says; an action that there is not, too."""
    tab = sits(house, "ana")
    assert does(staff(*permissions), action, tab, sure="yes").status_code == 403
    assert tab.closed is None


def test_an_action_needs_the_forms_own_token(house: House) -> None:
    """Another site's page can't close anybody."""
    tab, client = sits(house, "ana"), Client(enforce_csrf_checks=True)
    client.cookies = staff(VIEW, CLOSE).cookies
    assert does(client, "close", tab, sure="yes").status_code == 403
    assert tab.closed is None


# ---------- blocking


def test_blocking_asks_why_and_for_how_long(house: House) -> None:
    """Without a reason the question comes again."""
    tab, client = sits(house, "ana"), staff(VIEW, BLOCK)
    assert 'name="reason"' in text(does(client, "block", tab))
    again = does(client, "block", tab, sure="yes", reason="", seconds="900")
    assert again.status_code == 200
    assert "This field is required" in text(again)
    assert not Block.objects.exists()


@pytest.mark.parametrize(("seconds", "ends"), [("900", True), ("0", False)])
def test_blocking_blocks_the_addresses_and_closes_who_is_there(
    house: House, seconds: str, ends: bool
) -> None:
    """Two players behind one address are one block; the log names reason and address."""
    tabs = sits(house, "ana"), sits(house, "ben", key="another")
    response = does(staff(VIEW, BLOCK), "block", *tabs, sure="yes", reason="floods", seconds=seconds)
    assert response.status_code == 302
    block = Block.objects.get()
    assert (block.value, block.reason, block.until is not None) == ("203.0.113.9", "floods", ends)
    assert block.created_by.get_username() == "staff"
    assert [tab.closed for tab in tabs] == [4004, 4004]
    entry = LogEntry.objects.get()
    assert (entry.object_repr, entry.get_change_message()) == (
        "203.0.113.9",
        "Blocked from the live connections: floods",
    )


def test_an_address_that_cannot_be_blocked_is_told_in_words(house: House) -> None:
    """The server's own, for example; of several chosen then none is blocked."""
    near, far = sits(house, "ana"), sits(house, "ben", key="another")
    live.call(lambda runtime: setattr(near.admission, "address", "127.0.0.1"))
    answer = does(staff(VIEW, BLOCK), "block", far, near, sure="yes", reason="floods", seconds="900")
    assert answer.status_code == 200
    assert "loopback" in text(answer)
    assert not Block.objects.exists()
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h 0 min"),
        (90061, "25 h 1 min"),
    ],
)
def test_ages_are_told_as_people_say_them(seconds: float, said: str) -> None:
    """Seconds matter in the first minute alone."""
    assert age(seconds) == said
