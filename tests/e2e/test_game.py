"""A whole game between real browsers on the real site: from the landing page to the podium."""

import pytest
from playwright.sync_api import expect

from tests.e2e.cable import Cable
from tests.e2e.conftest import PHONE, OpenPage
from tests.e2e.player import Player
from tests.serving import Served

pytestmark = pytest.mark.browser


def test_two_players_play_to_the_podium_and_one_comes_back_from_a_lost_connection(
    site: Served, open_page: OpenPage
) -> None:
    """Ana hosts on a laptop, Ben joins on a phone; in question two Ben answers, his network goes and comes
    back.

    He sits on his own seat again with his answer still given; both see the same podium.
    """
    with Cable(site.port) as cable:
        ana = Player(open_page(), site.http, "Ana")
        ben = Player(open_page(viewport=PHONE), f"http://127.0.0.1:{cable.port}", "Ben")
        ben.joins(ana.hosts(questions=3))
        expect(ana.page.locator(".roster li")).to_have_count(2)
        ana.starts()

        for player in (ana, ben):
            player.sees_question(1)
            player.answers("A")

        for player in (ana, ben):
            player.sees_question(2)
        ben.answers("B")
        expect(ben.chosen("B")).to_have_count(1)
        cable.pull()
        ben.conn("reconnecting")
        expect(ana.page.locator("[data-screen=question]")).to_be_visible()
        cable.plug()
        ben.conn("connected")
        expect(ben.chosen("B")).to_have_count(1)
        ana.answers("C")

        for player in (ana, ben):
            player.sees_question(3)
            player.answers("D")
        assert ana.podium() == ben.podium()
        expect(ben.page.locator("[data-act=results]")).to_be_hidden()
        with ana.page.expect_popup() as results:
            ana.page.click("[data-act=results]")
        expect(results.value.locator("body")).to_contain_text("Ben")
        assert any("Ana" in place for place in ana.podium())
        assert any("Ben" in place for place in ben.podium())
        assert ana.screens() == ["host", "lobby", "starting", *["question", "results"] * 3, "podium"]
    assert "reconnectToken" not in site.log
