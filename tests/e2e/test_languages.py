"""One game in two languages at once: an Arabic host, a German player."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PHONE, OpenPage
from tests.e2e.player import Player
from tests.serving import Served

pytestmark = pytest.mark.browser


def speaks(page: Page) -> tuple[str, str]:
    """The language and the direction that the page is marked with."""
    language, direction = page.evaluate(
        "[document.documentElement.lang, getComputedStyle(document.body).direction]"
    )
    return language, direction


def test_a_player_who_came_by_a_link_chooses_a_language_and_joins(site: Served, open_page: OpenPage) -> None:
    """Room, name and face are as before the choice; the room is joined in the new language."""
    hana = Player(open_page(locale="ar"), site.http, "Hana")
    code = hana.hosts(questions=1)
    ben = Player(open_page(viewport=PHONE, locale="en-GB"), site.http, "Ben")
    ben.page.goto(f"{site.http}/play/{code}")
    ben.sees("join")
    ben.page.fill("#name", "Ben")
    ben.page.check("input[name=avatar][value=bear]", force=True)
    ben.page.click(".languages button[value=de]")
    expect(ben.page.locator("html")).to_have_attribute("lang", "de")
    ben.sees("join")
    assert ben.page.url == f"{site.http}/play/{code}"
    assert ben.page.input_value("#name") == "Ben"
    assert ben.page.is_checked("input[name=avatar][value=bear]")
    ben.page.click("button[data-act=join]")
    ben.sees("lobby")
    expect(ben.page.locator("[data-slot=waiting]")).to_have_text("Hana startet das Quiz.")
    assert speaks(ben.page) == ("de", "ltr")


def test_each_plays_the_same_game_in_a_language_of_their_own(site: Served, open_page: OpenPage) -> None:
    """Question, countries and results are in the language of whoever reads; names and points are the same."""
    hana = Player(open_page(locale="ar"), site.http, "Hana")
    ben = Player(open_page(viewport=PHONE, locale="de-AT"), site.http, "Ben")
    ben.joins(hana.hosts(questions=1))
    expect(ben.page.locator("[data-slot=waiting]")).to_have_text("Hana startet das Quiz.")
    assert (speaks(hana.page), speaks(ben.page)) == (("ar", "rtl"), ("de", "ltr"))

    hana.starts()
    for player in (hana, ben):
        player.sees_question(1)
    expect(hana.page.locator("h1")).to_have_text("لأي بلد هذا العلم؟")
    expect(ben.page.locator("h1")).to_have_text("Zu welchem Land gehört diese Flagge?")
    assert hana.page.locator(".mark b").all_inner_texts() == ["أ", "ب", "ج", "د"]
    assert ben.page.locator(".mark b").all_inner_texts() == ["A", "B", "C", "D"]
    directions = "texts => texts.map((text) => getComputedStyle(text).direction)"
    assert hana.page.locator(".answer__text").evaluate_all(directions) == ["rtl"] * 4
    assert ben.page.locator(".answer__text").evaluate_all(directions) == ["ltr"] * 4

    for player in (hana, ben):
        player.answers("A")
    points = ".podium .pts, .podium .who"
    for player in (hana, ben):
        player.sees("podium")
    shown = [player.page.locator(points).all_inner_texts() for player in (hana, ben)]
    digits = [[text.replace(".", "").replace(",", "") for text in texts] for texts in shown]
    assert digits[0] == digits[1]
    assert {"Hana", "Ben"} < set(digits[0])
    assert (speaks(hana.page), speaks(ben.page)) == (("ar", "rtl"), ("de", "ltr"))
