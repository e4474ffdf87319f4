"""The pages in German and in Arabic: which language a visitor gets, and how they look from right to left.

That the catalogues are complete is proven in ``test_translations``; a whole game in two languages at once is
in ``tests.e2e.test_languages``.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from types import SimpleNamespace as Given
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.utils import timezone, translation
from playwright.sync_api import Browser, sync_playwright

from gateway.admission import account_of
from rooms.records import store
from tests.quizsite import frames
from tests.quizsite.screens import Rendered, Tab, open_tab
from tests.quizsite.states import CARD, PLAY, PRESENT, STATES, State, answer_and_see, seated, show, watching
from tests.quizsite.test_axe import ALL, AXE, PHONE, violations
from tests.quizsite.test_screens import LISTEN
from tests.rooms.games import finished

LAPTOP = (1280, 800)
LATIN = re.compile("[A-Za-z]{2,}")
NAMES = {"Halyard", "English", "Deutsch", "QR", "JavaScript", "Excel", "CSV", "QX", "Ana", "testserver"}
"""What stands in Latin letters in an Arabic page too: names, a room's code, an address."""


# ---------- which language


@pytest.mark.parametrize(
    ("wanted", "opening"),
    [
        ("de-AT,de;q=0.9", '<html lang="de" dir="ltr">'),
        ("ar-EG,ar;q=0.9", '<html lang="ar" dir="rtl">'),
        ("fr, ar;q=0.5", '<html lang="ar" dir="rtl">'),
        ("en-GB", '<html lang="en" dir="ltr">'),
    ],
)
def test_a_visitor_gets_the_browsers_language(wanted: str, opening: str) -> None:
    """The first of those that it names and we have."""
    assert opening in Client().get("/", headers={"accept-language": wanted}).text


def choose(visitor: Client, page: str, language: str) -> Any:
    """Press a language's button of this page, as a browser without scripts does."""
    fields = dict(re.findall(r'name="(csrfmiddlewaretoken|next)" value="([^"]*)"', visitor.get(page).text))
    return visitor.post("/language", {**fields, "language": language})


@pytest.mark.django_db
@pytest.mark.parametrize("page", [PLAY, "/host"])
def test_who_came_by_a_link_can_choose_as_well_and_stays_in_the_same_room(page: str) -> None:
    """A QR code leads past the landing page; the session, and so the seat, is the one of before."""
    visitor = Client(enforce_csrf_checks=True, headers={"accept-language": "de"})
    visitor.get(page)
    session = visitor.cookies["sessionid"].value
    chosen = choose(visitor, page, "ar")
    assert (chosen.status_code, chosen.headers["Location"]) == (302, page)
    assert '<html lang="ar" dir="rtl">' in visitor.get(page).text
    assert visitor.cookies["sessionid"].value == session


@pytest.mark.django_db
def test_results_have_the_choice_too() -> None:
    """A host may read them on a browser that nobody set up."""
    visitor = Client(enforce_csrf_checks=True, headers={"accept-language": "de"})
    session = visitor.session
    session.create()
    visitor.cookies["sessionid"] = str(session.session_key)
    record = store(finished(account_of(None, session.session_key)), timezone.now())
    assert record is not None
    page = record.get_absolute_url()
    assert choose(visitor, page, "ar").headers["Location"] == page
    assert '<html lang="ar" dir="rtl">' in visitor.get(page).text


def test_a_choice_on_the_landing_page_is_kept_and_leads_back_to_the_same_page() -> None:
    """Whatever the browser asks for; no script, and the form's own token."""
    visitor = Client(enforce_csrf_checks=True, headers={"accept-language": "de"})
    chosen = choose(visitor, "/?unknown=K7QX2N", "ar")
    assert (chosen.status_code, chosen.headers["Location"]) == (302, "/?unknown=K7QX2N")
    cookie = chosen.cookies["django_language"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 365 * 24 * 3600)
    page = visitor.get("/").text
    assert '<html lang="ar" dir="rtl">' in page
    assert re.findall(r'value="(\w+)"[^>]*aria-current="true"', page) == ["ar"]


def test_each_language_is_offered_by_its_own_name() -> None:
    """Who cannot read the page must be able to read the way out of it."""
    buttons = re.findall(r'name="language" value="(\w+)" lang="\1"[^>]*>([^<]+)<', Client().get("/").text)
    assert buttons == [("en", "English"), ("de", "Deutsch"), ("ar", "العربيّة")]


def test_a_language_that_is_not_offered_is_not_taken() -> None:
    """A page marked as Klingon would be read out as such."""
    visitor = Client()
    choose(visitor, "/", "tlh")
    assert '<html lang="en" dir="ltr">' in visitor.get("/").text


# ---------- nothing is left in English


class Words(HTMLParser):
    """All that a page says: text, and the attributes that are read out; no script, no address."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent = tag in ("script", "style")
        self.said += [
            value for name, value in attrs if value and name in ("alt", "aria-label", "placeholder")
        ]

    def handle_endtag(self, tag: str) -> None:
        self.silent = False

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.said.append(data)


def latin(page: str) -> set[str]:
    words = Words()
    words.feed(page)
    return {word for text in words.said for word in LATIN.findall(text)}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/?unknown=K7QX2N", "/host", PLAY, PRESENT, "/no-such-page"])
def test_an_arabic_page_has_no_english_in_it(path: str) -> None:
    """Hidden parts and the words for screen readers included."""
    assert latin(Client(headers={"accept-language": "ar"}).get(path).text) <= NAMES


PLAYER = Given(rank=1, name="Ana", correct=1, score=900, games=1, wins=1, right=1, points=900)
ASKED = Given(prompt="لأي بلد هذا العلم؟", explanation="")
QUESTION = Given(
    number=1,
    question=ASKED,
    right=1,
    wrong=0,
    missing=2,
    choices=[Given(choice=Given(text="مصر"), right=True)],
)
GAME = Given(
    game_id="7b0ff1f6-5d1c-4c2e-9a5a-6e2f1f4f0f3b", room_code="K7QX2M", ended_at=None, finished=False
)


@pytest.mark.parametrize(
    ("template", "context"),
    [
        ("500.html", {}),
        ("rooms/waiting.html", {"soon_s": 2}),
        ("rooms/leaderboard.html", {"leaders": []}),
        ("rooms/leaderboard.html", {"leaders": [PLAYER]}),
        ("rooms/results.html", {"game": GAME, "players": [], "questions": []}),
        ("rooms/results.html", {"game": GAME, "players": [PLAYER], "questions": [(QUESTION, None)]}),
    ],
)
def test_a_page_outside_the_game_is_arabic_too(template: str, context: dict[str, Any]) -> None:
    """The results, with and without players, and the server's own failure."""
    GAME.ended_at = timezone.now()
    with translation.override("ar"):
        assert latin(render_to_string(template, context)) <= NAMES


# ---------- from right to left, in a browser


@pytest.fixture(scope="module")
def pages() -> dict[str, Rendered]:
    with override_settings(SESSION_ENGINE="django.contrib.sessions.backends.cache"):
        return {language: Rendered.by_django(language=language) for language in ("de", "ar")}


@pytest.fixture(scope="module")
def browser(chromium: str, pages: dict[str, Rendered]) -> Iterator[Browser]:
    """After the pages were rendered: Playwright keeps a loop running, in which Django refuses to work."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Browser, pages: dict[str, Rendered]) -> Iterator[Any]:
    """Bring a page of a language into a state; what went wrong in it fails the test."""
    tabs: list[Tab] = []

    def open_state(language: str, state: State, size: tuple[int, int] = PHONE) -> Tab:
        tabs.append(open_tab(browser, pages[language], *size, locale=language, reduced_motion="reduce"))
        return show(tabs[-1], state)

    yield open_state
    for tab in tabs:
        tab.page.context.close()
    assert [trouble for tab in tabs for trouble in tab.troubles] == []


STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth;
  const seen = [...document.querySelectorAll("header *, #main *, .notice *")]
    .filter((element) => !element.closest("svg, .vh, .codefield, [hidden]"));
  const out = seen.filter((element) => {
    const { left, right, width: own } = element.getBoundingClientRect();
    return own > 1 && (left < -1 || right > width + 1);
  });
  return [document.documentElement.scrollWidth > width && "the page scrolls sideways",
    ...out.map((element) => element.outerHTML.slice(0, 80))].filter(Boolean);
}"""
SAMPLE = [
    *("landing", "landing unknown code", "landing with a way back", "join without a name", "lobby"),
    *("lobby of the host, removing", "question of several", "question of eight", "question, reconnecting"),
    *("wrong", "results of the host", "podium of the host", "refused"),
    *("big screen, lobby", "big screen, question", "big screen, results", "big screen, podium"),
]
"""One of each kind, where there is most to go wrong; `make screens` shows them all."""


@pytest.mark.browser
@pytest.mark.parametrize("name", SAMPLE)
def test_an_arabic_page_is_whole_and_axe_finds_nothing(opened: Any, name: str) -> None:
    """Names and roles in the page's language, nothing pushed out of the window by the other direction."""
    state = STATES[name]
    page = opened("ar", state, LAPTOP if state.path == PRESENT else PHONE).page
    assert page.evaluate("[document.dir, document.documentElement.lang]") == ["rtl", "ar"]
    assert page.evaluate(STICKING_OUT) == []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page, ALL) == []


@pytest.mark.browser
@pytest.mark.parametrize("name", ["landing", "lobby of the host", "right", "podium", "big screen, results"])
def test_germans_long_words_fit(opened: Any, name: str) -> None:
    """ "Zentralafrikanische Republik" beside its tags and its flag."""
    state = STATES[name]
    page = opened("de", state, LAPTOP if state.path == PRESENT else PHONE).page
    assert page.evaluate(STICKING_OUT) == []
    rows = page.locator(".dist__head, .p-r__answer")
    wider = "rows => rows.filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.textContent)"
    assert rows.evaluate_all(wider) == []


@pytest.mark.browser
@pytest.mark.parametrize("language", ["de", "ar"])
def test_the_choice_of_language_leaves_the_whole_form_on_a_small_phone(opened: Any, language: str) -> None:
    """From the languages to the button nothing is below the fold, and the fingers find each of them."""
    page = opened(language, STATES["join"]).page
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    sizes = page.locator(".languages button").evaluate_all(
        "buttons => buttons.map((button) => button.getBoundingClientRect().height)"
    )
    assert len(sizes) == 3
    assert min(sizes) >= 44


@pytest.mark.browser
@pytest.mark.parametrize("name", ["lobby", "question of several", "podium of the host", "refused"])
def test_the_choice_of_language_is_offered_before_the_game_only(opened: Any, name: str) -> None:
    """A press in the middle of a question would load the page anew."""
    assert opened("ar", STATES[name]).page.locator(".languages").is_hidden()


@pytest.mark.browser
def test_countries_and_the_question_are_named_in_the_pages_language(opened: Any) -> None:
    """By the browser's own names; the server sends codes, and one English text to fall back on."""
    state = State(PLAY, seated("ben", frames.question()))
    shown = {}
    for language in ("de", "ar"):
        page = opened(language, state).page
        shown[language] = [page.inner_text("h1"), page.locator(".answer__text").nth(3).inner_text()]
    assert shown == {
        "de": ["Zu welchem Land gehört diese Flagge?", "Äthiopien"],
        "ar": ["لأي بلد هذا العلم؟", "إثيوبيا"],
    }


@pytest.mark.browser
@pytest.mark.parametrize(
    ("key", "choice"),
    [("أ", "c1"), ("ا", "c1"), ("ب", "c2"), ("ج", "c3"), ("د", "c4"), ("٢", "c2"), ("3", "c3"), ("d", "c4")],
)
def test_the_letter_on_an_answer_is_its_key(opened: Any, key: str, choice: str) -> None:
    """On an Arabic keyboard, whose digits and letters are others, and still on a Latin one."""
    tab = opened("ar", State(PLAY, seated("ben", frames.question())))
    tab.sent()
    tab.page.evaluate(
        "key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))", key
    )
    tab.settle()
    assert [frame["choices"] for frame in tab.sent()] == [[choice]]


@pytest.mark.browser
def test_the_answers_are_read_out_with_arabic_letters(opened: Any) -> None:
    """The same letters as those that are seen."""
    tab = opened("ar", State(PLAY, seated("ben")))
    tab.page.evaluate(LISTEN)
    tab.receive(frames.question())
    assert tab.page.evaluate("said") == ["أ: موريشيوس. ب: جمهورية أفريقيا الوسطى. ج: جزر القمر. د: إثيوبيا"]


BESIDE = """() => [...document.querySelectorAll(".board li")].map((row) => {
  const words = document.createRange();
  words.selectNodeContents(row.querySelector(".who"));
  return row.querySelector(".av").getBoundingClientRect().left - words.getBoundingClientRect().right;
})"""


@pytest.mark.browser
def test_a_latin_name_stands_beside_its_face(opened: Any) -> None:
    """Not at the far end of its row, where its own direction would begin."""
    page = opened("ar", State(PLAY, seated("ben", frames.question()), do=answer_and_see())).page
    gaps = page.evaluate(BESIDE)
    assert len(gaps) == 5
    assert all(0 < gap < 24 for gap in gaps), gaps


@pytest.mark.browser
def test_the_code_runs_from_left_to_right(opened: Any) -> None:
    """In its field, where each character has a slot of its own, and wherever else it stands."""
    page = opened("ar", State("/?unknown=K7QX2N")).page
    left = "(selector) => document.querySelector(selector).getBoundingClientRect().left"
    assert page.evaluate(left, "#code") == page.evaluate(left, ".codefield__slots i")
    assert page.locator("#code").evaluate("(input) => getComputedStyle(input).direction") == "ltr"
    assert opened("ar", State(PRESENT, watching()), LAPTOP).page.inner_text("[data-code]") == "K7QX2M"


@pytest.mark.browser
def test_digits_are_the_ones_of_the_codes(opened: Any) -> None:
    """Scores, clocks and steppers in one kind of digits; what is typed in the other kind counts as well."""
    tab = opened("ar", STATES["lobby of the host"])
    assert re.search("[٠-٩]", tab.page.inner_text("body")) is None
    tab.sent()
    tab.page.fill("#questionCount", "٢٠")
    tab.page.keyboard.press("Tab")
    assert tab.sent() == [{"type": "UPDATE_ROOM_SETTINGS", "settings": {"questionCount": 20}}]


@pytest.mark.browser
def test_the_way_back_keeps_a_name_apart_from_the_sentence(opened: Any) -> None:
    """A name's own direction must not turn the words around it."""
    page = opened("ar", State("/", given={"card": CARD})).page
    assert page.locator("#back-h bdi").inner_text() == "Ben"
    assert page.inner_text("#back [data-act=continue]") == "المتابعة باسم \u2068Ben\u2069"
