"""Closed: whatever ends a socket, the page says what it means and does what the table says (spec 1.7, 4.2).

Real causes where there are any in reach of a browser; the other codes come as real close frames that a cable
puts into the line. Ana hosts beside it, so that the room stays.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gateway.core import closing
from gateway.core.closing import Ending, Retry
from tests.conformance.raw import PING, TEXT, frame
from tests.e2e.conftest import PHONE, SITE, OpenPage
from tests.e2e.player import LONGEST_MS, Player
from tests.e2e.tap import Tap
from tests.e2e.witness import expect_band, expect_closed, expect_message, expect_state, listen, text
from tests.serving import Served, manage, serving, start

pytestmark = pytest.mark.browser

TOO_LARGE = 131_073
"""One byte over what a message may have (spec 1.3, step 2)."""
PINGS = 31
"""One more than a client may send in 10 s."""
RECONNECTS = [ending for ending in closing.SERVER_ENDINGS if ending.retry is Retry.RECONNECT]


class Room:
    """Ana hosts it directly, Ben plays in it through a tap."""

    def __init__(self, site: Served, tap: Tap, ana: Player, ben: Player) -> None:
        self.site, self.tap, self.ana, self.ben = site, tap, ana, ben
        ben.joins(ana.hosts(questions=3))

    @property
    def page(self) -> Page:
        """Ben's page."""
        return self.ben.page

    def ben_is_back(self) -> None:
        """In the lobby, connected, once in the list, with nothing left of the trouble."""
        self.ben.conn("connected")
        self.ben.sees("lobby")
        expect(self.ana.page.locator(".roster .who")).to_have_text(["Ana", "Ben"], timeout=LONGEST_MS)
        self.page.evaluate("delete document.documentElement.dataset.closed")


@pytest.fixture
def room(quick_site: Served, open_refused: OpenPage) -> Iterator[Room]:
    """A lobby with Ana and Ben."""
    with Tap(quick_site.port) as tap:
        ana = Player(open_refused(), quick_site.http, "Ana")
        ben = Player(listen(open_refused(viewport=PHONE)), f"http://127.0.0.1:{tap.port}", "Ben")
        yield Room(quick_site, tap, ana, ben)


def test_after_a_disconnect_the_page_says_so_and_comes_back_by_itself(room: Room) -> None:
    """The codes after which a client reconnects, one after another; the client has a sentence for each."""
    said = {}
    for ending in RECONNECTS:
        room.tap.close_browser(ending.code, ending.reason)
        room.ben.conn("reconnecting")
        expect_band(room.page, "kept.seat")
        said[ending.code] = expect_closed(room.page, ending.code)
        room.ben_is_back()
    assert {1002, 1007, 1009, 1011, 1013, 4002} == set(said)
    garbled = said.pop(1002)
    assert said[1007] == garbled
    assert len(set(said.values())) == len(said)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(0x3, b""), 1002),
        (frame(TEXT, b"\xc3\x28"), 1007),
        (frame(TEXT, b"x" * TOO_LARGE), 1009),
    ],
    ids=["a reserved opcode", "text that is no UTF-8", "a message that is too large"],
)
def test_what_the_server_throws_a_client_out_for_arrives_as_its_code(
    room: Room, sent: bytes, code: int
) -> None:
    """The client's bytes are at fault, the server's own close frame says so; nobody has to press anything."""
    room.tap.say_to_server(sent)
    expect_closed(room.page, code)
    room.ben_is_back()


def test_a_page_that_asks_too_much_waits_five_seconds_and_then_stops(room: Room) -> None:
    """The first 1008 costs one pause, a second one within a minute ends the series with the reason."""
    room.tap.say_to_server(frame(PING) * PINGS)
    room.ben.conn("waiting")
    expect_band(room.page, "news.waiting", "why.1008")
    expect_closed(room.page, 1008)
    room.ben_is_back()
    room.tap.say_to_server(frame(PING) * PINGS)
    expect_message(room.page, "gave-up", "title.gave-up", "text.gave-up")
    expect_closed(room.page, 1008)


def test_a_server_that_hears_nothing_closes_4002_and_the_page_comes_back(room: Room) -> None:
    """The way to the server is cut in one direction: its heartbeats arrive, the answers do not."""
    room.tap.deafen()
    expect_closed(room.page, 4002)
    room.ben_is_back()
    assert room.site.logged("code=4002")


def test_a_page_that_hears_nothing_gives_the_socket_up_and_comes_back(room: Room) -> None:
    """No frame for as long as two heartbeats may take: the socket says OPEN and is dead."""
    room.tap.mute()
    expect_closed(room.page, 4000)
    room.ben_is_back()


def test_a_seat_that_vanished_on_the_way_in_is_asked_for_again(room: Room) -> None:
    """4003: the ticket is dropped, the room is joined anew, and nobody has to press anything."""
    room.tap.close_browser(4003, "Invalid seat credentials")
    expect_closed(room.page, 4003)
    room.ben_is_back()


LAST_WORDS = {
    1000: ("title.closed", "message.again"),
    4001: ("title.closed", "message.reload"),
    4004: ("title.4004", None),
    4005: ("title.4005", None),
}
"""Code → the message's title, and the button that goes on, if one does."""


@pytest.mark.parametrize("code", LAST_WORDS)
def test_after_a_last_word_the_page_stays_away_until_somebody_presses_a_button(room: Room, code: int) -> None:
    """The message takes the page, no socket is tried again, whatever the page wakes up to."""
    title, button = LAST_WORDS[code]
    room.tap.close_browser(code, "")
    expect_message(room.page, "closed", title, f"why.{code}")
    sockets = room.page.evaluate("window.sockets")
    room.page.evaluate("dispatchEvent(new Event('online'))")
    room.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert room.page.evaluate("window.sockets") == sockets
    retry = room.page.locator("[data-screen=message] [data-act=retry]")
    if button is None:
        expect(retry).to_be_hidden()
        return
    expect(retry).to_have_text(text(button))
    retry.click()
    room.ben.conn("connected")


def test_whoever_the_host_removed_is_told_so(room: Room) -> None:
    """A real kick: the last message and the last code say the same."""
    row = room.ana.page.locator(".roster li", has_text="Ben")
    room.ana.page.get_by_role("button", name="Manage").click()
    row.locator("[data-kick]").click()
    row.locator("[data-kick]").click()
    expect_message(room.page, "kicked", "title.kicked", "text.kicked")
    expect_closed(room.page, 4005)
    expect(room.ana.page.locator(".roster .who")).to_have_text(["Ana"])


@pytest.mark.parametrize(
    "ending", [closing.SEAT_ATTACHED_ELSEWHERE, closing.NEW_SESSION_OPENED], ids=lambda ending: ending.reason
)
def test_a_replaced_tab_says_where_the_game_goes_on(room: Room, ending: Ending) -> None:
    """Both codes of a socket that a newer one has replaced are the same to a person."""
    room.tap.close_browser(ending.code, ending.reason)
    expect_message(room.page, "replaced", "title.replaced", "text.replaced")
    expect_state(room.page, "replaced")
    expect_closed(room.page, ending.code)


def test_through_a_restart_of_the_server_the_page_says_so_and_finds_its_way_back(
    open_refused: OpenPage, tmp_path: Path
) -> None:
    """SIGTERM, and the same site on the same port: the page comes back by itself, to its room or to a word on
    what became of it.
    """
    assert manage(SITE, tmp_path, "migrate", "--no-input").returncode == 0
    with serving(SITE, tmp_path) as before:
        ana = Player(listen(open_refused()), before.http, "Ana")
        ana.hosts(questions=3)
        before.process.terminate()
        expect_state(ana.page, "waiting")
        expect_band(ana.page, "news.restart", "news.restart.text")
        expect_closed(ana.page, 1012)
        before.stop()
    after = start(SITE, tmp_path, "--port", str(before.port))
    try:
        expect_state(ana.page, "connected")
        expect(ana.page.locator("[data-screen]")).to_have_attribute(
            "data-screen", re.compile("lobby|message"), timeout=LONGEST_MS
        )
    finally:
        after.stop()
