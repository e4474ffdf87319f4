"""What phones do to pages: hide them, freeze them, keep them for the way back, copy them, load them twice.

Whatever it is, the page finds its way back to its seat by itself, once, and one player stays one player.
"""

from collections.abc import Iterator

import pytest

from tests.e2e.cable import Cable
from tests.e2e.conftest import OpenPage
from tests.e2e.devtools import Phone, Tab, phone
from tests.e2e.player import Player
from tests.e2e.witness import expect_band, expect_state, listen
from tests.serving import Served

pytestmark = pytest.mark.browser

CONNECTED = "document.querySelector('[data-conn-state=connected]')"
REPLACED = "document.querySelector('[data-screen=message][data-kind=replaced]')"
ROSTER = (
    "[...document.querySelectorAll('[data-screen=lobby] .roster .who')].map((who) => who.textContent).join()"
)
BEATS = 3
"""Heartbeats answered while hidden: longer than a server waits for a silent page."""
PATIENCE = 3
"""Times the 5 s that `Served.logged` waits: a silent socket lives up to 5 s on this site."""
COUNT_ANSWERS = """
window.answered = 0;
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  window.answered += text.includes("HEARTBEAT_RESPONSE");
  return send.call(this, text);
};
"""
ANOTHER_TEAMS_PAGE = """
import("/static/gateway/client.js").then(({ Client }) => {
  window.client = new Client();
  client.createRoom({ name: "Ana" });
})
"""
"""On a page that the browser may keep: the site's own pages with sockets are ``no-store``."""
STATE = "window.told.findLast(({ event }) => event === 'state')?.state"


@pytest.fixture(scope="module")
def handset(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phone]:
    """One browser for all of these tests."""
    with phone(chromium, tmp_path_factory.mktemp("profile")) as handset:
        yield handset


def hosting(tab: Tab, site: Served) -> None:
    """Sit down as Ana in a room of one's own."""
    tab.goto(f"{site.http}/host")
    tab.sees("document.querySelector('[data-screen=host] #name')")
    tab.js("document.querySelector('#name').select(), document.execCommand('insertText', false, 'Ana')")
    tab.js("document.querySelector('button[data-act=create]').click()")
    in_the_lobby(tab)


def in_the_lobby(tab: Tab) -> None:
    """Connected, on her seat, and alone."""
    tab.sees(f"{CONNECTED} && {ROSTER} === 'Ana'")


def upgrades(site: Served) -> int:
    """Sockets that the server has let in so far."""
    return sum('"WebSocket /ws' in line and "[accepted]" in line for line in site.lines)


def test_a_page_that_is_hidden_for_a_while_stays_connected(quick_site: Served, handset: Phone) -> None:
    """Timers are throttled in a hidden tab, messages are not: every heartbeat is answered."""
    tab = handset.tab()
    hosting(tab, quick_site)
    tab.js(COUNT_ANSWERS)
    tab.cover()
    tab.sees(f"window.answered >= {BEATS}")
    assert tab.js("document.hidden")
    tab.uncover()
    in_the_lobby(tab)
    assert tab.js("window.sockets") == 1
    tab.close()


def test_a_page_that_was_frozen_is_back_on_its_seat_when_it_wakes(quick_site: Served, handset: Phone) -> None:
    """The server has given the socket up meanwhile; no try is spent until the page can use it."""
    tab = handset.tab()
    hosting(tab, quick_site)
    connection = tab.js("window.told.findLast(({ type }) => type === 'CONNECTED').connectionId")
    tab.cover()
    tab.freeze()
    assert any(quick_site.logged(f"socket closed conn={connection}") for _ in range(PATIENCE))
    before = upgrades(quick_site)
    tab.resume()
    tab.uncover()
    in_the_lobby(tab)
    assert upgrades(quick_site) == before + 1
    tab.close()


def test_the_way_back_leads_to_the_seat(quick_site: Served, handset: Phone) -> None:
    """Follow a link, press Back: the room's page is loaded anew, and sits where it sat."""
    tab = handset.tab()
    hosting(tab, quick_site)
    tab.goto(f"{quick_site.http}/")
    tab.sees("document.querySelector('#code')")
    tab.js("history.back()")
    in_the_lobby(tab)
    tab.close()


def test_a_page_from_the_back_forward_cache_connects_again(quick_site: Served, handset: Phone) -> None:
    """Any team's page that the browser keeps: its socket is cut off when it is put away, its script goes on
    where it stood. The client notices, and has its seat again.
    """
    tab = handset.tab()
    tab.goto(f"{quick_site.http}/host")
    tab.sees(CONNECTED)
    tab.goto(f"{quick_site.http}/")
    tab.sees("document.querySelector('#code')")
    tab.js(ANOTHER_TEAMS_PAGE)
    tab.sees(f"{STATE} === 'connected' && client.seat")
    room = tab.js("client.seat.roomCode")
    tab.js("window.kept = true, window.told = []")
    tab.goto(f"{quick_site.http}/?unknown=ABCDEF")
    tab.sees("!window.kept && document.querySelector('#code')")
    tab.js("history.back()")
    tab.sees(f"window.kept && {STATE} === 'connected' && client.seat")
    assert tab.js("client.seat.roomCode") == room
    tab.close()


def test_a_duplicated_tab_does_not_fight_over_the_seat(quick_site: Served, handset: Phone) -> None:
    """The copy brings the seat's secret with it: the newer tab plays, the older one says so and stays quiet,
    until a person wants it otherwise. Then each is loaded again, one of them twice at once.
    """
    before = upgrades(quick_site)
    first = handset.tab()
    hosting(first, quick_site)
    second = handset.opened_by(first, "void window.open(location.href)")
    in_the_lobby(second)
    first.sees(REPLACED)
    for wake in (
        "dispatchEvent(new Event('online'))",
        "document.dispatchEvent(new Event('visibilitychange'))",
    ):
        first.js(wake)
    second.js(COUNT_ANSWERS)
    second.sees(f"window.answered >= {BEATS}")
    assert upgrades(quick_site) == before + 2
    first.js("document.querySelector('[data-screen=message] [data-act=retry]').click()")
    in_the_lobby(first)
    second.sees(REPLACED)
    first.js("setTimeout(() => location.reload(), 0)")
    first.js("setTimeout(() => location.reload(), 0)")
    in_the_lobby(first)
    assert upgrades(quick_site) <= before + 5
    first.close()
    second.close()


def test_offline_is_said_at_once_and_online_is_used_at_once(site: Served, open_refused: OpenPage) -> None:
    """The browser knows that the network is gone: no try is counted before it is back."""
    with Cable(site.port) as cable:
        ana = Player(listen(open_refused()), f"http://127.0.0.1:{cable.port}", "Ana")
        ana.hosts(questions=3)
        ana.page.context.set_offline(True)
        cable.pull()
        expect_state(ana.page, "offline")
        expect_band(ana.page, "news.offline", "kept.seat")
        cable.plug()
        ana.page.context.set_offline(False)
        ana.conn("connected")
        ana.sees("lobby")


def test_a_network_that_flickers_never_makes_two_sockets_of_one_page(
    site: Served, open_page: OpenPage
) -> None:
    """Offline and online, again and again, faster than a socket opens: what lives is left alone."""
    page = listen(open_page())
    page.goto(f"{site.http}/host")
    expect_state(page, "connected")
    for _ in range(10):
        page.context.set_offline(True)
        page.context.set_offline(False)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect_state(page, "connected")
    assert page.evaluate("window.sockets") == 1
