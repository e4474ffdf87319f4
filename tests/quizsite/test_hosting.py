"""What only the host's page has: the choice of questions, the room's size, the way back for those who were
removed, who is there, and the door to the big screen.
"""

import json

import pytest
from playwright.sync_api import expect

from tests.quizsite import frames
from tests.quizsite.conftest import OpenTab
from tests.quizsite.screens import CODE, SETS, Rendered, Tab
from tests.quizsite.states import A_SET, CHEN_BANNED, CHEN_REMOVED, HOST_AWAY, open_settings

pytestmark = pytest.mark.browser

SETS_URL = "/api/sets"


@pytest.fixture
def host(seated: OpenTab) -> Tab:
    """Ana in her lobby, with the settings open."""
    page = seated("ana")
    open_settings(page)
    expect(page.page.locator("[data-slot=sets]")).to_be_visible()
    return page


def offer(rendered: Rendered, sets: list[dict[str, object]]) -> None:
    """What the site answers from now on."""
    body = json.dumps({"sets": sets}).encode()
    rendered.answers[SETS_URL] = (200, {"Content-Type": "application/json"}, body)


# ---------- questions


def test_the_host_chooses_among_own_and_public_sets(host: Tab) -> None:
    """Own ones first, each with its size; choosing one is a patch of the source alone."""
    groups = host.page.locator("#questionSet optgroup")
    assert groups.all_inner_texts() == ["Rivers of Europe (24 questions)", "Planets (8 questions)"]
    host.page.select_option("#questionSet", "planets")
    assert host.sent() == [
        {"type": "UPDATE_ROOM_SETTINGS", "settings": {"questionSource": {"kind": "set", "id": "planets"}}}
    ]


def test_region_and_difficulty_are_asked_for_flags_alone(host: Tab) -> None:
    """A set has its own questions; going back to the flags names what the form shows."""
    host.receive({"type": "ROOM_SETTINGS", "settings": A_SET})
    expect(host.page.locator("#questionSet")).to_have_value("rivers")
    expect(host.page.locator("#region")).to_be_hidden()
    host.page.select_option("#questionSet", "")
    source = {"kind": "flags", "region": "world", "difficulty": "medium"}
    assert host.sent() == [{"type": "UPDATE_ROOM_SETTINGS", "settings": {"questionSource": source}}]


def test_a_set_of_a_former_host_stays_and_is_named_as_such(host: Tab) -> None:
    """The new one may not choose it, and must not lose it by looking at the form."""
    foreign = {**frames.SETTINGS, "questionSource": {"kind": "set", "id": "theirs"}}
    host.receive({"type": "ROOM_SETTINGS", "settings": foreign})
    expect(host.page.locator("#questionSet")).to_have_value("theirs")
    expect(host.page.locator("#questionSet option:checked")).to_have_text("A set of another host")


def test_a_set_that_came_meanwhile_is_there_when_the_chooser_is_opened(host: Tab, rendered: Rendered) -> None:
    """A teacher imports it in another tab and comes back."""
    new: list[dict[str, object]] = [*SETS, {"id": "new", "title": "New", "count": 1, "own": True}]
    offer(rendered, new)
    host.page.focus("#questionSet")
    option = host.page.locator("#questionSet option[value=new]")
    expect(option).to_have_text("New (1 question)")
    offer(rendered, SETS)


def test_without_any_set_there_is_nothing_to_choose(seated: OpenTab, rendered: Rendered) -> None:
    """Flags are then the only questions, and a list of one is noise."""
    offer(rendered, [])
    page = seated("ana")
    open_settings(page)
    expect(page.page.locator("#region")).to_be_visible()
    expect(page.page.locator("[data-slot=sets]")).to_be_hidden()
    offer(rendered, SETS)


def test_players_are_not_asked_which_sets_there_are(seated: OpenTab) -> None:
    """Forty phones ask for nothing that they can't use."""
    page = seated("ben")
    page.receive(HOST_AWAY)
    asked = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/api/sets'))"
    assert not page.page.evaluate(asked)


# ---------- the room


def test_the_host_sets_how_many_may_come_in(host: Tab) -> None:
    """Typed or stepped, within what a room of this site may hold."""
    host.page.fill("#maxPlayers", "1000")
    host.page.keyboard.press("Tab")
    host.receive({"type": "ROOM_SETTINGS", "settings": {**frames.SETTINGS, "maxPlayers": 3}})
    sent = host.sent()
    assert sent == [{"type": "UPDATE_ROOM_SETTINGS", "settings": {"maxPlayers": 50}}]


def test_clicks_on_a_stepper_go_out_as_one_change_of_their_own_field(host: Tab) -> None:
    """A burst is one wish, and the two steppers don't swallow each other's."""
    for field in ("questionCount", "maxPlayers"):
        row = host.page.locator(".stepper", has=host.page.locator(f"#{field}"))
        row.locator("[data-step='-1']").click()
        row.locator("[data-step='-1']").click()
    expect(host.page.locator("#maxPlayers")).to_have_value("48")
    host.page.wait_for_function("() => window.sent.length === 2")
    assert [sent["settings"] for sent in host.sent()] == [{"questionCount": 8}, {"maxPlayers": 48}]


def test_whoever_was_removed_can_be_let_back_in(host: Tab) -> None:
    """The host's second thought; players are not shown who was removed."""
    host.receive(CHEN_BANNED)
    host.page.get_by_role("button", name="Let Chen back in").click()
    assert host.sent() == [{"type": "UNBAN_USER", "userId": "chen"}]
    expect(host.page.locator("[data-slot=removed]")).to_be_hidden()


def test_the_list_of_those_who_were_removed_is_the_servers(host: Tab) -> None:
    """Another tab may have let Chen back in; and who was only removed needs nobody's leave to come back."""
    host.receive(CHEN_BANNED)
    expect(host.page.locator("[data-slot=removed]")).to_be_visible()
    host.receive({"type": "BANS", "banned": []})
    host.receive(CHEN_REMOVED)
    expect(host.page.locator("[data-slot=removed]")).to_be_hidden()


def test_a_player_is_not_shown_who_was_removed(seated: OpenTab) -> None:
    """Nobody is put on display."""
    page = seated("ben", CHEN_REMOVED)
    expect(page.page.locator("[data-slot=removed]")).to_be_hidden()


def test_the_host_sees_who_is_there_and_who_is_away(host: Tab) -> None:
    """A bar for the eye, whole sentences for ears; in a phone's menu, for its bar is full."""
    health = host.page.locator(".menu [data-bar=health]")
    expect(health.locator("[data-slot=connected]")).to_have_text("12 people are connected.")
    expect(health.locator("[data-slot=away]")).to_have_attribute("hidden", "")
    host.receive({**HOST_AWAY, "updated": [{"userId": "dia", "status": "grace"}]})
    expect(health.locator("[data-slot=short]")).to_have_text("11 of 12")
    expect(health.locator("[data-slot=away]")).to_have_text("1 is away; the seat is held.")
    assert health.locator("[data-slot=bar]").get_attribute("width") == "91.7%"
    host.page.set_viewport_size({"width": 1280, "height": 800})
    expect(host.page.locator(".bar__end > [data-bar=health]")).to_be_visible()


def test_the_host_sees_how_many_have_a_slow_line(host: Tab) -> None:
    """Nothing while nobody has; a mark and a number for the eye, a sentence for ears."""
    health = host.page.locator(".menu [data-bar=health]")
    slow = health.locator("[data-slot=slow]")
    expect(slow).to_have_attribute("hidden", "")
    host.receive({"type": "LAGGING", "userIds": ["ben", "chen"]})
    expect(slow.locator("[data-slot=slow-short]")).to_have_text("2")
    expect(health.locator("[data-slot=slow-text]")).to_have_text("2 have slow connections.")
    host.page.set_viewport_size({"width": 1280, "height": 800})
    expect(host.page.locator(".bar__end > [data-bar=health] [data-slot=slow]")).to_be_visible()
    host.receive({"type": "LAGGING", "userIds": []})
    expect(slow).to_have_attribute("hidden", "")
    expect(health.locator("[data-slot=slow-text]")).to_have_text("")


def test_the_big_screen_is_opened_from_the_lobby_and_from_the_menu(host: Tab) -> None:
    """In a tab of its own that knows nothing of this one's seat: else two tabs would fight for it."""
    for link in ("[data-slot=present]", "[data-bar=present]"):
        assert host.page.get_attribute(link, "href") == f"/present/{CODE}"
        assert host.page.get_attribute(link, "target") == "_blank"
        assert host.page.get_attribute(link, "rel") == "noopener"


def test_only_the_host_is_offered_the_big_screen(seated: OpenTab) -> None:
    """The server would let nobody else watch."""
    page = seated("ben")
    expect(page.page.locator("[data-slot=present]")).to_be_hidden()
    page.page.click(".menu summary")
    expect(page.page.locator("[data-bar=present]")).to_be_hidden()
