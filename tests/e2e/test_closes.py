"""Closed: whatever ends a socket, the page says what it means and does what the table says (spec 1.7, 4.2).

Real causes where there are any in reach of a browser; the other codes come as real close frames that a cable
puts into the line. Ana hosts beside it, so that the room stays.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from gateway.core import closing
from gateway.core.closing import Retry
from tests.conformance.raw import PING, TEXT, frame
from tests.e2e.conftest import PHONE, SITE, OpenPage
from tests.e2e.player import LONGEST_MS, Player
from tests.e2e.tap import Tap
from tests.e2e.witness import expect_band, expect_closed, expect_message, expect_state, listen, text
from tests.faults.tcp_proxy import Proxy
from tests.serving import Served, manage, serving, start

pytestmark = pytest.mark.browser

TOO_LARGE = 131_073
"""One byte over what a message may have (spec 1.3, step 2)."""
PINGS = 31
"""One more than a client may send in 10 s."""
FAULTS = ((frame(0x3), 1002), (frame(TEXT, b"\xc3\x28"), 1007), (frame(TEXT, b"x" * TOO_LARGE), 1009))
"""A reserved opcode, text that is no UTF-8, a message that is too large."""
FAR_S = 0.2
"""Seconds of a slow line, each way: more there and back than is credited (spec 2.4)."""
COMES_BACK = [end for end in closing.SERVER_ENDINGS if end.retry in (Retry.RECONNECT, Retry.JOIN_AGAIN)]


class LastWord(NamedTuple):
    """A close after which the page stays away: what it says, and what its button says if it has one."""

    code: int
    reason: str
    kind: str
    title: str
    text: str
    button: str | None


HERE, AGAIN, RELOAD = "message.here", "message.again", "message.reload"
LAST_WORDS = (
    LastWord(1000, "Seat attached elsewhere", "replaced", "title.replaced", "text.replaced", HERE),
    LastWord(4000, "New session opened", "replaced", "title.replaced", "text.replaced", HERE),
    LastWord(1000, "", "closed", "title.closed", "why.1000", AGAIN),
    LastWord(4001, "Unauthorized", "closed", "title.closed", "why.4001", RELOAD),
    LastWord(4004, "Blocked", "closed", "title.4004", "why.4004", None),
)


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
    """The codes after which a client reconnects or joins again, one after another; the client has a sentence
    for each. The last three are the server's own words to a client whose bytes are at fault.
    """
    said = {}
    for ending in COMES_BACK:
        room.tap.close_browser(ending.code, ending.reason)
        if ending.retry is Retry.RECONNECT:
            room.ben.conn("reconnecting")
            expect_band(room.page, "kept.seat")
        said[ending.code] = expect_closed(room.page, ending.code)
        room.ben_is_back()
    assert {1002, 1007, 1009, 1011, 1013, 4002, 4003} == set(said)
    garbled = said.pop(1002)
    assert said[1007] == garbled
    assert len(set(said.values())) == len(said)
    for fault, code in FAULTS:
        room.tap.say_to_server(fault)
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
    expect_message(room.page, "gave-up")
    expect_closed(room.page, 1008)


def test_whichever_side_hears_nothing_any_more_ends_the_socket_and_the_page_comes_back(room: Room) -> None:
    """The line is cut in one direction, then in the other: 4002 by the server that gets no answer, 4000 by
    the page that has had no frame for as long as two heartbeats may take, on a socket that says OPEN.
    """
    room.tap.deafen()
    expect_closed(room.page, 4002)
    assert room.site.logged("code=4002")
    room.ben_is_back()
    room.tap.mute()
    expect_closed(room.page, 4000)
    room.ben_is_back()


def test_after_a_last_word_the_page_stays_away_until_somebody_presses_a_button(room: Room) -> None:
    """The message takes the page and no socket is tried again, whatever the page wakes up to; the button,
    where there is one, goes on.
    """
    for word in LAST_WORDS:
        room.tap.close_browser(word.code, word.reason)
        expect_message(room.page, word.kind, word.title, word.text)
        expect_closed(room.page, word.code)
        sockets = room.page.evaluate("window.sockets")
        room.page.evaluate("dispatchEvent(new Event('online'))")
        room.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert room.page.evaluate("window.sockets") == sockets
        retry = room.page.locator("[data-screen=message] [data-act=retry]")
        if word.button is None:
            expect(retry).to_be_hidden()
            room.page.reload()
        else:
            expect(retry).to_have_text(text(word.button))
            retry.click()
        room.ben_is_back()


def test_whoever_the_host_removed_is_told_so_and_the_seat_is_forgotten(room: Room) -> None:
    """By the close code alone, if the last message was lost; then by a real kick, where both say the same."""
    room.tap.close_browser(4005, "Kicked")
    expect_message(room.page, "closed", "title.4005", "why.4005")
    room.page.reload()
    room.ben.sits("join", "join")
    room.ben_is_back()
    kick = room.ana.page.locator(".roster li", has_text="Ben").locator("[data-kick]")
    kick.click()
    kick.click()
    expect_message(room.page, "kicked", "title.kicked", "text.kicked")
    expect_closed(room.page, 4005)
    expect(room.ana.page.locator(".roster .who")).to_have_text(["Ana"])


def test_the_host_lets_somebody_back_in_after_a_reload_and_sees_whose_line_is_slow(room: Room) -> None:
    """Both lists are the server's: a page that has seen nothing of it shows them all the same."""
    ana = room.ana.page
    kick = ana.locator(".roster li", has_text="Ben").locator("[data-kick]")
    kick.click()
    kick.click()
    expect(ana.locator("[data-slot=removed] .who")).to_have_text(["Ben"])
    ana.reload()
    ana.get_by_role("button", name="Let Ben back in").click()
    expect(ana.locator("[data-slot=removed]")).to_be_hidden()
    with Proxy(room.site.port) as far:
        far.delays(FAR_S)
        room.ben.home = f"http://127.0.0.1:{far.port}"
        room.ben.joins(ana.locator("[data-code]").first.inner_text())
        room.ana.starts()
        slow = ana.locator(".bar__end > [data-bar=health] [data-slot=slow]")
        expect(slow).to_have_text("1", timeout=LONGEST_MS)
        ana.reload()
        expect(slow).to_have_text("1", timeout=LONGEST_MS)


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
