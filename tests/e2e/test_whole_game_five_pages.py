"""A whole game on five real pages at once: the host's laptop, the wall, a phone, a slow line, a line that
goes for eight seconds.

All of them see the same game to the same podium.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.cable import Cable
from tests.e2e.conftest import PHONE, OpenPage
from tests.e2e.player import LONGEST_MS, Player
from tests.e2e.test_present import big_screen
from tests.serving import Served

pytestmark = pytest.mark.browser

SECONDS = 20
AWAY_S = 8
"""Longer than the client's six tries, shorter than the grace of a seat, and back within the same question."""
SLOW_LINE = {"offline": False, "latency": 200, "downloadThroughput": 50_000, "uploadThroughput": 25_000}
"""Bytes a second and milliseconds: a phone at the edge of a network."""
SLOW_PHONE = {"rate": 4}


def throttle(page: Page) -> None:
    """A slow line in a slow phone."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW_LINE)
    devtools.send("Emulation.setCPUThrottlingRate", SLOW_PHONE)


def wait_in_the_question(player: Player, seconds: int) -> None:
    """Until the player's own clock of the question has run on by so many."""
    clock = player.page.locator(".ring__n")
    least = int(clock.inner_text()) - seconds
    passed = "|".join(str(second) for second in range(least + 1))
    expect(clock).to_have_text(re.compile(f"^({passed})$"), timeout=LONGEST_MS)


def test_five_pages_play_one_game_to_the_same_podium(site: Served, open_page: OpenPage) -> None:
    """Dia's network goes as the first question comes and is back eight seconds later: on her own seat, in
    time to answer. The wall shows how many are there, counts answers and moves the quiz on.
    """
    with Cable(site.port) as cable:
        ana = Player(open_page(), site.http, "Ana")
        ben = Player(open_page(viewport=PHONE), site.http, "Ben")
        chen = Player(open_page(viewport=PHONE), site.http, "Chen")
        dia = Player(open_page(), f"http://127.0.0.1:{cable.port}", "Dia")
        players = (ana, ben, chen, dia)
        throttle(chen.page)
        code = ana.hosts(questions=3, seconds=SECONDS)
        ana.page.uncheck("input[name=autoAdvance]", force=True)  # the wall alone moves the quiz on
        wall = big_screen(ana)
        for player in players[1:]:
            player.joins(code)
        expect(wall.locator(".p-lobby__people .who")).to_have_text(["Ana", "Ben", "Chen", "Dia"])

        wall.keyboard.press(" ")
        for player in players:
            player.sees_question(1)
        cable.pull()
        dia.page.context.set_offline(True)
        dia.conn("offline")
        for player in (ben, chen):
            player.answers("A")
        expect(wall.locator("[data-slot=progress]")).to_have_text("2 of 4 have answered")
        expect(wall.locator(".top [data-bar=health] [data-slot=short]")).to_have_text("3 of 4")
        wait_in_the_question(ana, AWAY_S)
        cable.plug()
        dia.page.context.set_offline(False)
        dia.conn("connected")
        expect(wall.locator(".top [data-bar=health] [data-slot=short]")).to_have_text("4 of 4")
        for player in (dia, ana):
            player.sees_question(1)
            player.answers("B")

        for number in (2, 3):
            expect(wall.locator(f"[data-screen=results][data-question='{number - 1}']")).to_be_visible(
                timeout=LONGEST_MS
            )
            wall.keyboard.press("ArrowRight")
            for player in players:
                player.sees_question(number)
                player.answers("ABCD"[number])
        expect(wall.locator("[data-screen=results][data-question='3']")).to_be_visible(timeout=LONGEST_MS)
        wall.keyboard.press("ArrowRight")

        podium = ana.podium()
        assert [player.podium() for player in players] == [podium] * 4
        expect(wall.locator("[data-screen=podium] li")).to_have_count(4)
        assert [" ".join(line.split()) for line in wall.locator("main li").all_inner_texts()] == podium
        assert all(any(player.name in place for place in podium) for player in players)
        assert ben.screens() == ["join", "lobby", "starting", *["question", "results"] * 3, "podium"]
    assert "reconnectToken" not in site.log
