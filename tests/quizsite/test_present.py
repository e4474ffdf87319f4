"""The big screen in a real Chromium, with a scripted server: what a room sees of its quiz on the wall."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.quizsite import frames
from tests.quizsite.conftest import OpenTab
from tests.quizsite.screens import CODE, Tab
from tests.quizsite.states import EIGHT, HOST_AWAY, PRESENT, PROGRESS, STARTING, crowd, watching

pytestmark = pytest.mark.browser

PROJECTORS = [(1280, 720), (1280, 800), (1920, 1080), (1024, 768)]
UNSEEN = """() => [...document.querySelectorAll("main *, .top *")].filter((element) => {
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const drawn = width > 1 && height > 1 && !element.closest(".vh, [hidden], [aria-hidden=true], .tag");
  return drawn && (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1);
}).map((element) => element.outerHTML.slice(0, 80))"""
"""What is drawn and not wholly on the wall."""

Watched = Callable[..., Tab]


@pytest.fixture
def watched(tab: OpenTab) -> Watched:
    """A big screen that is in the room; frames follow, sizes may be given."""

    def opened(*more: dict[str, Any], size: tuple[int, int] = (1280, 720), **room: Any) -> Tab:
        page = tab(PRESENT, *size).state("connected")
        page.receive(*watching(*more, **room))
        page.sent()
        return page

    return opened


def test_it_follows_the_room_without_a_seat(tab: OpenTab) -> None:
    """No name, no face, no claim: it asks to watch, and says that it waits for the answer."""
    page = tab(PRESENT)
    assert page.sent() == [{"call": "watchRoom", "roomCode": CODE}]
    expect(page.page.locator("main h1")).to_have_text("Opening the big screen")
    page.state("connected").receive(*watching())
    assert page.screen == "lobby"


def test_the_lobby_shows_how_to_get_in_and_who_is_in(watched: Watched) -> None:
    """Readable from the last row: a picture to scan, an address, the code; everybody by name."""
    page = watched()
    expect(page.page.locator("main h1")).to_have_text("Scan, or go to testserver and type")
    expect(page.page.locator("[data-code]")).to_have_text(CODE)
    assert page.page.evaluate("document.querySelector('.qr img').naturalWidth > 0")
    assert page.page.locator(".p-lobby__people .who").all_inner_texts() == [
        name for _, name, *_ in frames.PEOPLE
    ]


@pytest.mark.parametrize("people", [16, 17, 24, 50, 70])
@pytest.mark.parametrize("size", PROJECTORS, ids=str)
def test_a_crowd_fits_on_the_wall(watched: Watched, people: int, size: tuple[int, int]) -> None:
    """Smaller the more they are; whoever does not fit is counted, and nothing scrolls."""
    page = watched(members=crowd(people), size=size)
    shown = page.page.locator(".p-lobby__people li").count()
    assert shown == (people if people <= 50 else 49)
    more = page.page.locator("[data-slot=more]")
    expect(more).to_have_text("and 21 more") if people > 50 else expect(more).to_be_hidden()
    assert page.page.evaluate(UNSEEN) == []


LONG = "In which year was the treaty signed that ended a war of thirty years in the middle of Europe? " * 5
LOOKS: dict[str, tuple[dict[str, Any], ...]] = {
    "starting": (STARTING,),
    "question": (frames.question(), PROGRESS),
    "question of sixteen": (
        frames.question(choices=[{"id": f"d{n}", "text": f"Answer {n}"} for n in range(16)]),
        PROGRESS,
    ),
    "long question": (
        frames.question(
            media=None, prompt=LONG, choices=[{"id": f"e{n}", "text": LONG[: 70 + n]} for n in range(4)]
        ),
    ),
    "host away": (frames.question(), PROGRESS, HOST_AWAY),
    "results": (frames.question(), frames.results()),
    "results of eight": (
        frames.question(choices=EIGHT),
        frames.results(explanation=LONG[:200], counts={"c1": 2, "none": 3}),
    ),
    "podium": (frames.question(9), frames.finished()),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", PROJECTORS, ids=str)
def test_nothing_of_a_screen_is_cut_off(watched: Watched, look: str, size: tuple[int, int]) -> None:
    """Nobody can scroll a projector."""
    page = watched(*LOOKS[look], size=size)
    assert page.page.evaluate(UNSEEN) == []


def test_on_a_phone_it_is_one_column_that_scrolls(watched: Watched) -> None:
    """A host who looks at it there, or zooms in, reads text of a normal size."""
    page = watched(frames.question(), PROGRESS, size=(360, 640))
    assert page.page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 16


def test_a_question_is_shown_and_takes_no_answer(watched: Watched) -> None:
    """Shapes and letters as on the phones; keys and clicks that would choose do nothing."""
    page = watched(frames.question())
    assert page.page.locator(".p-opt bdi").all_inner_texts() == [choice["text"] for choice in frames.CHOICES]
    assert page.page.locator("main button").count() == 0
    for key in ("1", "b", " ", "ArrowRight"):
        page.page.keyboard.press(key)
    page.page.click(".p-opt >> nth=1")
    assert page.sent() == []


def test_answers_and_reactions_are_counted_as_they_come(watched: Watched) -> None:
    """How many, never who: one place per answer that is waited for."""
    page = watched(frames.question(), PROGRESS)
    expect(page.page.locator("[data-slot=progress]")).to_have_text("9 of 12 have answered")
    assert page.page.locator(".places li").count() == 12
    assert page.page.locator(".places .is-in").count() == 9
    hearts = page.page.locator("[data-reaction=heart]")
    expect(hearts).to_be_hidden()
    heart = {"userId": "ben", "reaction": "heart"}
    page.receive({"type": "REACTIONS", "batch": [heart, heart]})
    expect(hearts.locator("[data-count]")).to_have_text("2")


def test_results_tell_the_right_answer_and_how_all_answered(watched: Watched) -> None:
    """The answer is the headline; the standings beside it; nobody's own points."""
    page = watched(frames.question(), frames.results(explanation="Since 1958."))
    expect(page.page.locator("main h1")).to_have_text("Central African Republic")
    expect(page.page.locator("[data-slot=explanation]")).to_have_text("Since 1958.")
    assert page.page.locator(".dist__n").all_inner_texts() == ["2", "6", "3", "1"]
    expect(page.page.locator(".dist .is-right bdi")).to_have_text("Central African Republic")
    assert page.page.locator(".board .who").all_inner_texts()[:2] == ["Chen", "Ben"]
    assert page.page.locator(".is-you").count() == 0


def test_standings_that_the_host_hides_are_hidden_here_too(watched: Watched) -> None:
    """The setting is about this wall before all."""
    page = watched(
        frames.question(), frames.results(), settings={**frames.SETTINGS, "showLeaderboard": False}
    )
    expect(page.page.locator("[data-slot=standings]")).to_be_hidden()


# ---------- the host's hand


@pytest.mark.parametrize("key", [" ", "ArrowRight", "PageDown"])
def test_one_key_starts_the_quiz_and_moves_it_on(watched: Watched, key: str) -> None:
    """A keyboard's or a presenter's remote control; held down, it counts once."""
    page = watched()
    page.page.keyboard.press(key)
    page.receive(frames.question(), frames.results())
    page.page.keyboard.down(key)
    page.page.keyboard.down(key)
    page.page.keyboard.up(key)
    assert page.sent() == [{"type": "START_GAME"}, {"type": "NEXT_QUESTION"}]


def test_in_a_language_from_right_to_left_on_is_the_other_arrow(tab: OpenTab) -> None:
    """Forward is where the text goes."""
    page = tab(PRESENT)
    page.page.add_init_script(
        "new MutationObserver((_, seen) => { document.dir = 'rtl'; }).observe(document, { childList: true });"
    )
    page.page.reload()
    page.state("connected").receive(*watching())
    page.sent()
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowLeft")
    assert page.sent() == [{"type": "START_GAME"}]


def test_the_space_bar_on_a_button_does_what_the_button_says(watched: Watched) -> None:
    """And not the next question besides."""
    page = watched(frames.question(), frames.results())
    page.page.focus(".menu summary")
    page.page.keyboard.press(" ")
    page.page.click("button[data-act=stop]")
    assert page.sent() == [{"type": "STOP_GAME"}]
    page.page.focus("button[data-act=next]")
    page.page.keyboard.press(" ")
    assert page.sent() == [{"type": "NEXT_QUESTION"}]


def test_the_podium_leads_on_but_not_by_a_key_that_was_meant_for_the_last_question(watched: Watched) -> None:
    """Buttons for the next game, the lobby and the results of this one."""
    page = watched(frames.question(9), frames.finished())
    expect(page.page.locator("main h1")).to_have_text("Chen wins, by 186 points")
    page.page.keyboard.press(" ")
    page.page.click("button[data-act=again]")
    page.page.click("button[data-act=lobby]")
    assert page.sent() == [{"type": "RESTART_GAME"}, {"type": "STOP_GAME"}]
    assert page.page.get_attribute("[data-act=results]", "href") == "/results/g1"


@pytest.mark.parametrize(
    ("before", "action"),
    [((), "START_GAME"), ((frames.question(), frames.results()), "NEXT_QUESTION")],
    ids=["lobby", "results"],
)
def test_a_refusal_is_told_where_it_was_asked_for(
    watched: Watched, before: tuple[dict[str, Any], ...], action: str
) -> None:
    """The room may have another host by now, whose account is not this one's."""
    page = watched(*before, frames.error("NOT_HOST", action))
    expect(page.page.get_by_role("alert")).to_have_text("Only the host can do that.")


# ---------- not let in, not connected


def test_whoever_is_not_the_host_is_told_where_it_is_opened(tab: OpenTab) -> None:
    """The browser that hosts is the one that may; another try asks anew."""
    page = tab(PRESENT).state("connected").receive(frames.error("NOT_HOST", "WATCH_ROOM"))
    expect(page.page.locator("main h1")).to_have_text("The big screen belongs to the host")
    expect(page.page.locator("#message-text")).to_contain_text("the lobby has a button for it")
    page.sent()
    page.page.click("button[data-act=retry]")
    assert page.sent() == [{"call": "watchRoom", "roomCode": CODE}]
    page.receive(*watching())
    assert page.screen == "lobby"


@pytest.mark.parametrize(
    ("frame", "title"),
    [
        (frames.error("ROOM_NOT_FOUND", "WATCH_ROOM"), "This room is closed"),
        ({"type": "ROOM_CLOSED", "reason": "idle"}, "This room is closed"),
        (frames.error("RATE_LIMIT_EXCEEDED", "WATCH_ROOM", retryAfter=3), "The big screen can’t be opened"),
    ],
)
def test_what_ends_it_is_said(tab: OpenTab, frame: dict[str, Any], title: str) -> None:
    """In place of an empty wall."""
    page = tab(PRESENT).state("connected").receive(frame)
    expect(page.page.locator("main h1")).to_have_text(title)


def test_a_lost_line_leaves_the_quiz_on_the_wall_and_says_that_it_goes_on(watched: Watched) -> None:
    """There is no seat here to be kept."""
    page = watched(frames.question()).state("reconnecting", attempt=2, code=1011)
    expect(page.page.locator("#notice")).to_contain_text("Reconnecting, try 2 of 6")
    expect(page.page.locator("#notice")).to_contain_text("This screen catches up by itself.")
    expect(page.page.locator("#notice")).not_to_contain_text("seat")
    assert page.screen == "question"


@pytest.mark.parametrize(
    ("conn", "title", "button"),
    [
        ({"state": "replaced"}, "The big screen is open in another tab", "Show it here instead"),
        ({"state": "gave-up"}, "The server can’t be reached", "Try again"),
    ],
    ids=["replaced", "gave up"],
)
def test_what_only_a_person_can_end_has_a_button(
    watched: Watched, conn: dict[str, Any], title: str, button: str
) -> None:
    """In words that fit a screen without a player."""
    page = watched(frames.question()).state(**conn)
    expect(page.page.locator("main h1")).to_have_text(title)
    expect(page.page.locator("#message-text")).not_to_contain_text("seat")
    page.page.click(f'button:text-is("{button}")')
    assert page.sent() == [{"call": "retry"}]
