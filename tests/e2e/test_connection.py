"""Refused: whoever may not connect is told why, in words of its own, and what would help (spec 1.2, 4.2).

All refusals but two are the real server's, got in the way in which people get them.
"""

import http.cookiejar
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from playwright.sync_api import Page, Route, expect
from websockets.sync.client import connect

from gateway.admission import refusal_body, refusal_headers
from gateway.core.admission import INVALID_ORIGIN, REFUSALS, UNAVAILABLE
from gateway.core.admission import Refusal as Refused
from tests.e2e.cable import Cable
from tests.e2e.conftest import OpenPage
from tests.e2e.player import Player
from tests.e2e.witness import expect_band, expect_message, expect_state, listen, text, told
from tests.serving import Served

pytestmark = pytest.mark.browser

SHIELD_CAPACITY = 30
"""Upgrades that a session may make in a row (spec 1.2, check 6)."""


def refusals(page: Page) -> list[tuple[str, bool]]:
    """The refusals that the page was told: the code, and whether the client has stopped."""
    return [(refused["code"], refused["terminal"]) for refused in told(page, "refused")]


def test_a_page_of_a_foreign_origin_is_told_so_and_does_not_try_again(
    site: Served, open_refused: OpenPage
) -> None:
    """The preflight's answer is played by the test, in the server's own bytes: to a really foreign page no
    browser shows it.
    """
    page = listen(open_refused())
    page.route("**/api/ws/preflight*", lambda route: answer(route, INVALID_ORIGIN))
    page.goto(f"{site.http}/host")
    expect_message(page, "refused", "title.refused", "why.invalid_origin")
    expect(page.locator("[data-screen=message] [data-act=retry]")).to_be_hidden()
    assert refusals(page) == [("invalid_origin", True)]


def test_a_blocked_address_is_told_so_and_does_not_try_again(
    quick_site: Served, open_refused: OpenPage
) -> None:
    """The page itself may be read; the socket may not be opened."""
    with Cable(quick_site.port, source="127.0.0.9") as cable:
        page = listen(open_refused())
        page.goto(f"http://127.0.0.1:{cable.port}/host")
        expect_message(page, "refused", "title.blocked_ip", "why.blocked_ip")
        assert refusals(page) == [("blocked_ip", True)]


def test_whoever_lost_the_cookie_is_told_to_load_the_page_again_and_that_helps(
    site: Served, open_refused: OpenPage
) -> None:
    """The session is gone in the middle of a visit; a fresh page brings a fresh one."""
    with Cable(site.port) as cable:
        page = listen(open_refused())
        page.goto(f"http://127.0.0.1:{cable.port}/host")
        expect_state(page, "connected")
        Player(page, "", "Ana").sits("host", "create")
        page.context.clear_cookies()
        cable.pull()
        expect_state(page, "reconnecting")
        cable.plug()
        expect_message(page, "refused", "title.missing_session", "why.missing_session")
        assert refusals(page) == [("missing_session", True)]
        page.get_by_role("button", name=text("message.reload")).click()
        expect_state(page, "connected")


def test_the_fourth_tab_of_a_browser_waits_and_says_which_one_to_close(
    site: Served, open_refused: OpenPage
) -> None:
    """It comes in by itself once there is room: after the wait, or at once when the network changes."""
    first = open_refused()
    tabs = [listen(first), *(listen(open_refused(beside=first)) for _ in range(3))]
    for tab in tabs[:3]:
        tab.goto(f"{site.http}/host")
        expect_state(tab, "connected")
    tabs[3].goto(f"{site.http}/host")
    expect_state(tabs[3], "waiting")
    expect_band(tabs[3], "news.waiting", "why.session_connection_cap")
    assert refusals(tabs[3]) == [("session_connection_cap", False)]
    connection = next(frame for frame in told(tabs[0], "message") if frame["type"] == "CONNECTED")
    tabs[0].close()
    assert site.logged(f"socket closed conn={connection['connectionId']}")
    tabs[3].evaluate("dispatchEvent(new Event('online'))")
    expect_state(tabs[3], "connected")


def test_a_network_that_is_full_is_told_so(quick_site: Served, open_refused: OpenPage) -> None:
    """This network may hold two sockets; the third visitor waits."""
    with Cable(quick_site.port, source="127.0.0.8") as cable:
        visitors = [listen(open_refused()) for _ in range(3)]
        for visitor in visitors[:2]:
            visitor.goto(f"http://127.0.0.1:{cable.port}/host")
            expect_state(visitor, "connected")
        visitors[2].goto(f"http://127.0.0.1:{cable.port}/host")
        expect_state(visitors[2], "waiting")
        expect_band(visitors[2], "news.waiting", "why.ip_connection_cap")
        assert refusals(visitors[2]) == [("ip_connection_cap", False)]


def test_whoever_connects_too_often_is_told_to_wait(quick_site: Served, open_refused: OpenPage) -> None:
    """The shield is live on this site; a script with the visitor's own cookie has used up the upgrades."""
    page = listen(open_refused())
    page.goto(f"{quick_site.http}/")
    jar = http.cookiejar.CookieJar()
    build_opener(HTTPCookieProcessor(jar)).open(f"{quick_site.http}/host").read()
    cookies = {cookie.name: str(cookie.value) for cookie in jar}
    for _ in range(SHIELD_CAPACITY):
        use_up(quick_site, cookies["sessionid"])
    page.context.add_cookies([{"name": "sessionid", "value": cookies["sessionid"], "url": quick_site.http}])
    page.goto(f"{quick_site.http}/host")
    expect_state(page, "waiting")
    expect_band(page, "news.waiting", "why.arcjet_denied")
    assert refusals(page) == [("arcjet_denied", False)]


def test_a_robot_is_told_no_other_than_whoever_is_too_fast(
    quick_site: Served, open_refused: OpenPage
) -> None:
    """A headless browser by its own name is one to the shield."""
    page = listen(open_refused(user_agent="Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/150.0.0.0"))
    page.goto(f"{quick_site.http}/host")
    expect_state(page, "waiting")
    assert refusals(page) == [("arcjet_denied", False)]


def use_up(site: Served, session: str) -> None:
    """One upgrade."""
    headers = {"Cookie": f"sessionid={session}", "Origin": site.http}
    with connect(site.ws, additional_headers=headers, user_agent_header="Mozilla/5.0 (tests)") as socket:
        socket.recv()


def test_a_seat_that_is_not_held_any_more_is_asked_for_again_without_anybody_seeing_it(
    site: Served, open_refused: OpenPage
) -> None:
    """A reload in the lobby costs the seat at once: the ticket is refused, and the page joins again."""
    ana = Player(open_refused(), site.http, "Ana")
    ben = Player(listen(open_refused()), site.http, "Ben")
    ben.joins(ana.hosts(questions=3))
    ben.page.reload()
    ben.sees("lobby")
    assert refusals(ben.page) == [("forbidden", False)]
    expect(ana.page.locator(".roster .who")).to_have_text(["Ana", "Ben"])


def test_a_server_that_takes_nobody_in_is_waited_for(site: Served, open_refused: OpenPage) -> None:
    """Its answer is played by the test, in the server's own bytes: a real one stops within moments."""
    page = listen(open_refused())
    page.route("**/api/ws/preflight*", lambda route: answer(route, UNAVAILABLE))
    page.goto(f"{site.http}/host")
    expect_state(page, "waiting")
    expect_band(page, "news.waiting", "why.unavailable")
    assert refusals(page) == [("unavailable", False)]


def answer(route: Route, refused: Refused) -> None:
    """The refusal as the preflight gives it."""
    headers = {**dict(refusal_headers(refused)), "Content-Type": "application/json"}
    route.fulfill(status=refused.status, headers=headers, body=refusal_body(refused))


def test_a_page_whose_every_try_is_refused_gives_up_with_the_reason(
    site: Served, open_refused: OpenPage
) -> None:
    """Six answers, in the server's own bytes but for the waits, which the test leaves out."""
    page = listen(open_refused())
    full = next(refused for refused in REFUSALS if refused.code == "session_connection_cap")
    now = Refused(full.code, full.status, full.text)
    page.route("**/api/ws/preflight*", lambda route: answer(route, now))
    page.goto(f"{site.http}/host")
    expect_message(page, "gave-up", "title.session_connection_cap")
    assert refusals(page) == [(full.code, False)] * 5 + [(full.code, True)]
    page.unroute("**/api/ws/preflight*")
    page.get_by_role("button", name=text("message.again")).click()
    expect_state(page, "connected")


@pytest.mark.parametrize("refused", REFUSALS, ids=lambda refused: refused.code)
def test_every_refusal_has_a_sentence_of_its_own(refused: Refused) -> None:
    """Nobody is left with "wait a moment" who could do something better."""
    assert text(f"why.{refused.code}") != text("why.unknown")
    assert [text(f"why.{each.code}") for each in REFUSALS].count(text(f"why.{refused.code}")) == 1
