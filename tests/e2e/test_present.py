"""The big screen on the real site: who gets it, what it moves, and that it is nobody's player."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.player import LONGEST_MS, Player
from tests.serving import Served

pytestmark = pytest.mark.browser


def big_screen(host: Player) -> Page:
    """What the lobby's button opens."""
    with host.page.context.expect_page() as opened:
        host.page.click("[data-slot=present]")
    page: Page = opened.value
    expect(page.locator("[data-screen=lobby]")).to_be_visible(timeout=LONGEST_MS)
    return page


def test_the_hosts_browser_gets_the_big_screen_and_moves_the_quiz_by_it(
    site: Served, open_page: OpenPage
) -> None:
    """It takes no seat, outlives a reload, and stops with the room."""
    ana = Player(open_page(), site.http, "Ana")
    code = ana.hosts(questions=1)
    wall = big_screen(ana)
    expect(wall.locator("[data-code]")).to_have_text(code)
    expect(wall.locator(".p-lobby__people .who")).to_have_text(["Ana"])
    expect(ana.page.locator(".roster li")).to_have_count(1)
    wall.keyboard.press(" ")
    ana.sees_question(1)
    expect(wall.locator(".p-opt")).to_have_count(4)
    wall.reload()
    expect(wall.locator("[data-screen=question]")).to_be_visible(timeout=LONGEST_MS)
    ana.answers("A")
    expect(wall.locator("[data-screen=results] .dist .is-right")).to_have_count(1, timeout=LONGEST_MS)
    wall.keyboard.press("PageDown")
    expect(wall.locator("[data-screen=podium] h1")).to_contain_text("Ana finishes", timeout=LONGEST_MS)
    wall.click("[data-act=lobby]")
    ana.sees("lobby")
    ana.page.click(".menu summary")
    ana.page.click("[data-act=leave]")
    expect(wall.locator("[data-screen=message] h1")).to_have_text("This room is closed", timeout=LONGEST_MS)


def test_nobody_else_gets_it(site: Served, open_page: OpenPage) -> None:
    """Another browser is told where it is opened; a room that is none is said to be gone."""
    ana = Player(open_page(), site.http, "Ana")
    code = ana.hosts(questions=1)
    stranger = open_page()
    stranger.goto(f"{site.http}/present/{code}")
    expect(stranger.locator("h1")).to_have_text("The big screen belongs to the host", timeout=LONGEST_MS)
    stranger.goto(f"{site.http}/present/{'A' * 6}")
    expect(stranger.locator("h1")).to_have_text("This room is closed", timeout=LONGEST_MS)


def test_the_join_page_says_whose_room_it_is(site: Served, open_page: OpenPage) -> None:
    """Before anything is typed: a child sees that it is at the right door."""
    ana = Player(open_page(), site.http, "Ana")
    code = ana.hosts(questions=1)
    ben = open_page()
    ben.goto(f"{site.http}/play/{code}")
    expect(ben.locator("[data-slot=whose]")).to_have_text("Ana hosts this room. 1 person is in it.")
    assert re.fullmatch(r"/play/[A-Z0-9]{6}", urlsplit(ben.url).path)
