"""The state debugger in Chromium: each control is used, and the log and the seat diagram show what it did.

Time is stepped, never waited for; the page is live under the site's strict policy (the fixtures fail on any
violation). ``DEBUG`` is on, as on a developer's machine.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import SITE, OpenPage
from tests.serving import Served, manage, serving

pytestmark = pytest.mark.browser

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def debug_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The site of a developer."""
    data: Path = tmp_path_factory.mktemp("debug-site")
    migrated = manage(SITE, data, "migrate", "--no-input")
    assert migrated.returncode == 0, migrated.stderr
    with serving(SITE, data, DEBUG="on") as served:
        yield served


class Debugger:
    """The page, in its user's words."""

    def __init__(self, page: Page, site: Served, run: str = "") -> None:
        self.page = page
        page.goto(f"{site.http}/debugger/{run}")
        expect(page.locator(".card").first).to_be_visible()

    def steps(self, seconds: int) -> None:
        """Press the step button so many times."""
        for _ in range(seconds):
            self.page.click("[data-do=step]")

    def acts(self, label: str, on: str | None = None) -> None:
        """Press an action's button; wait until the run that it makes is there."""
        if on is not None:
            self.page.select_option("#who", on)
        with self.page.expect_response("**/debugger/run") as answer:
            self.page.get_by_role("button", name=label, exact=True).click()
        assert answer.value.status == 200

    def clock(self) -> str:
        """Virtual time."""
        return self.page.locator("[data-clock]").inner_text()

    def row(self, text: str) -> Locator:
        """The newest row of the log that says this."""
        return self.page.locator("[data-log] tr", has_text=text).first

    def card(self, name: str) -> Locator:
        """A player's card."""
        return self.page.locator(f".card[data-player={name}]")

    def shows_edge(self, edge: str) -> None:
        """Exactly this edge of the seat diagram is lit."""
        lit = self.page.locator("[data-edge].lit")
        expect(lit).to_have_count(1)
        expect(lit).to_have_attribute("data-edge", edge)

    def phase(self, text: str) -> None:
        """The phase strip stands here."""
        expect(self.page.locator("[data-phases] [aria-current=step]")).to_have_text(text)


@pytest.fixture
def debugger(debug_site: Served, open_page: OpenPage) -> Debugger:
    """A fresh page with three players in the lobby."""
    return Debugger(open_page(), debug_site)


def test_the_lobby_stands_still_until_somebody_does_something(debugger: Debugger) -> None:
    """Three players by default, Ana is host, the first pings come when the cast says."""
    expect(debugger.page.locator(".card")).to_have_count(3)
    expect(debugger.card("Ana").locator("[data-host]")).to_be_visible()
    expect(debugger.card("Ben").locator("[data-ping]")).to_have_text("4.4 s")
    debugger.phase("Lobby")
    debugger.shows_edge("join")
    assert debugger.clock() == "00:00.00"


def test_start_game_runs_through_the_phases(debugger: Debugger) -> None:
    """Lobby, starting, question with its number and whom it waits for, results, finished."""
    debugger.steps(1)
    debugger.acts("Start game")
    debugger.phase("Starting")
    expect(debugger.row("GAME_STARTING")).to_contain_text("all")
    debugger.steps(3)
    debugger.phase("Question 1/3")
    expect(debugger.page.locator("[data-waits]")).to_have_text(
        "Ends in 15.0 s, or when Ana, Ben and Chen have answered."
    )
    debugger.steps(7)
    debugger.phase("Results")
    debugger.steps(30)
    debugger.phase("Finished")
    expect(debugger.row("GAME_FINISHED")).to_be_visible()


def test_host_disconnects_and_reconnects_mid_game(debugger: Debugger) -> None:
    """1006, grace with its time left, and back by a valid claim."""
    debugger.acts("Start game")
    debugger.steps(5)
    debugger.acts("Host disconnects")
    expect(debugger.row("1006")).to_contain_text("Ana")
    expect(debugger.card("Ana").locator("[data-seat]")).to_have_text("In grace 10.0 s")
    debugger.shows_edge("drop")
    debugger.steps(2)
    expect(debugger.card("Ana").locator("[data-seat]")).to_have_text("In grace 8.0 s")
    expect(debugger.page.locator("[data-why]")).to_have_text("Ana in grace: still expected.")
    debugger.acts("Reconnects", on="Ana")
    debugger.shows_edge("claim")
    expect(debugger.row("Back on its seat")).to_contain_text("Ana")


def test_a_host_who_disconnects_in_the_lobby_has_no_seat_any_more(debugger: Debugger) -> None:
    """No grace while no game is on."""
    debugger.steps(1)
    debugger.acts("Host disconnects")
    debugger.shows_edge("evict")
    expect(debugger.card("Ana").locator("[data-seat]")).to_have_text("Removed")
    expect(debugger.card("Ben").locator("[data-host]")).to_be_visible()


def test_misses_heartbeats_ends_with_4002_and_a_seat_that_is_gone(debugger: Debugger) -> None:
    """Two misses, grace, removed: each in the log, on the card and in the diagram."""
    debugger.page.select_option("#seconds", "30")
    debugger.acts("Start game")
    debugger.steps(4)
    debugger.acts("Misses heartbeats", on="Ben")
    debugger.steps(5)
    expect(debugger.card("Ben").locator("[data-misses]")).to_have_text("1/2")
    debugger.steps(7)
    expect(debugger.row("Heartbeat timeout")).to_contain_text("4002")
    expect(debugger.card("Ben").locator("[data-socket]")).to_contain_text("closed 4002")
    debugger.shows_edge("drop")
    debugger.steps(10)
    debugger.shows_edge("expire")
    expect(debugger.page.locator("[data-state=removed] .st-n")).to_have_text("Ben")


def test_an_oversized_message_in_the_lobby_is_answered_closed_and_joined_anew(debugger: Debugger) -> None:
    """413, 1009, then the ticket is refused and the client joins again."""
    debugger.steps(2)
    debugger.acts("Oversized message", on="Chen")
    expect(debugger.row("MESSAGE_TOO_LARGE")).to_be_visible()
    expect(debugger.row("Message too large")).to_contain_text("1009")
    debugger.shows_edge("evict")
    debugger.steps(2)
    expect(debugger.row("Refused: forbidden")).to_contain_text("Chen")
    debugger.shows_edge("rejoin")


def test_a_flood_is_counted_where_it_is_stopped(debug_site: Served, open_page: OpenPage) -> None:
    """160 in, 1 accepted, 49 + 100 + 10 errors; the bars are full."""
    debugger = Debugger(open_page(), debug_site, "#players=4&seconds=15&do=27500.start_game")
    debugger.steps(31)
    debugger.acts("Flood answers", on="Chen")
    for text in ("160 × SUBMIT_ANSWER", "ANSWER_ACCEPTED", "49 × ERROR", "100 × ERROR", "10 × ERROR"):
        expect(debugger.row(text)).to_contain_text("Chen")
    expect(debugger.card("Chen").locator("[data-bar=answers] .v")).to_have_text("50/50")
    expect(debugger.card("Chen").locator("[data-bar=answers] .meter")).to_have_class("meter is-full")


def test_a_reader_that_stops_fills_its_buffer_until_1013(debugger: Debugger) -> None:
    """In a busy game backpressure is faster than the heartbeat."""
    debugger.page.select_option("#busy", "200000")
    debugger.acts("Start game")
    debugger.steps(5)
    debugger.acts("Stops reading", on="Chen")
    expect(debugger.card("Chen").locator("[data-socket]")).to_contain_text("open, not read")
    debugger.steps(4)
    expect(debugger.card("Chen").locator("[data-bar=buffered] .v")).to_contain_text("KiB")
    debugger.steps(3)
    expect(debugger.row("Backpressure")).to_contain_text("1013")


def test_a_run_is_an_address_and_reset_forgets_it(debug_site: Served, open_page: OpenPage) -> None:
    """What was done is in the fragment; another browser that opens it sees the same."""
    first = Debugger(open_page(), debug_site)
    first.page.check("input[name=players][value='4']", force=True)
    expect(first.page.locator(".card")).to_have_count(4)
    first.acts("Start game")
    first.steps(6)
    first.acts("Misses heartbeats", on="Dia")
    address = first.page.url
    assert address.endswith("#players=4&seconds=15&do=0.start_game,6000.misses_heartbeats.Dia")
    second = Debugger(open_page(), debug_site, address.partition("/debugger/")[2])
    second.steps(30)
    first.steps(24)
    assert second.page.locator("[data-log]").inner_text() == first.page.locator("[data-log]").inner_text()
    with first.page.expect_response("**/debugger/run"):
        first.page.click("[data-do=reset]")
    expect(first.page.locator("[data-clock]")).to_have_text("00:00.00")
    assert first.page.url.endswith("#players=4&seconds=15")
    first.phase("Lobby")


def test_play_speed_pause_and_the_demo_run(debugger: Debugger) -> None:
    """The demo plays itself; at 10× it is soon over; pause holds it."""
    debugger.page.check("input[name=speed][value='10']", force=True)
    debugger.page.get_by_role("button", name="Demo run").click()
    expect(debugger.page.locator(".card")).to_have_count(4)
    expect(debugger.row("NEW_QUESTION")).to_be_visible()
    debugger.page.get_by_role("button", name="Pause").click()
    held = debugger.clock()
    debugger.page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert debugger.clock() == held
    debugger.page.get_by_role("button", name="Play").click()
    expect(debugger.row("GAME_FINISHED")).to_be_visible()


def test_the_whole_run_is_made_with_the_keyboard(debugger: Debugger) -> None:
    """Digits act, the arrow steps, R resets, space plays."""
    page = debugger.page
    with page.expect_response("**/debugger/run"):
        page.keyboard.press("1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-clock]")).to_have_text("00:01.00")
    expect(debugger.row("GAME_STARTING")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press(" ")
    expect(page.locator("[data-do=play]")).to_have_attribute("aria-pressed", "false")
    with page.expect_response("**/debugger/run"):
        page.keyboard.press("r")
    expect(page.locator("[data-clock]")).to_have_text("00:00.00")


def test_the_log_can_be_read_for_one_player(debugger: Debugger) -> None:
    """The filter leaves that player's rows and the room's."""
    debugger.acts("Start game")
    debugger.steps(5)
    debugger.page.select_option("select[name=filter]", "Ben")
    expect(debugger.row("Starting → Question")).to_be_visible()
    expect(debugger.page.locator("[data-log] tr", has_text="CREATE_ROOM")).to_have_count(0)
    expect(debugger.page.locator("[data-log] tr", has_text="JOIN_ROOM")).to_have_count(1)


def test_a_run_that_the_server_refuses_is_explained(debug_site: Served, browser: Browser) -> None:
    """An address that somebody changed by hand: the page says what is wrong with it.

    In a page of its own: Chromium reports the 400 as an error of the console, which `open_page` forbids.
    """
    page = browser.new_page()
    page.goto(f"{debug_site.http}/debugger/#players=3&seconds=15&do=1.explodes")
    expect(page.locator("[data-trouble]")).to_contain_text("$.actions[0].do")
    page.close()
