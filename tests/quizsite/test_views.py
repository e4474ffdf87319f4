"""quizsite.views: which address shows what, and what every page promises before its script has run."""

import re
from html.parser import HTMLParser
from io import BytesIO

import pytest
import segno
from django.contrib.sessions.models import Session
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.utils import translation

from quizsite import texts
from quizsite.views import shared_origin
from tests.quizsite.test_csp import REFUSED

pytestmark = pytest.mark.django_db

PAGES = [
    *("/", "/?unknown=K7QX2N", "/host", "/play/K7QX2M", "/play/nonsense"),
    *("/present/K7QX2M", "/present/nonsense", "/no-such-page"),
]
SOCKET_PAGES = ["/host", "/play/K7QX2M", "/present/K7QX2M"]


@pytest.fixture
def visitor() -> Client:
    return Client()


# ---------- sessions and caches


@pytest.mark.parametrize("page", SOCKET_PAGES)
def test_a_page_that_opens_a_socket_makes_a_session_and_is_kept_by_no_cache(
    visitor: Client, page: str
) -> None:
    """The upgrade refuses a browser without a session, and a stored page would bring one that has gone."""
    response = visitor.get(page)
    assert response.headers["Cache-Control"] == "private, no-store"
    assert Session.objects.filter(session_key=response.cookies["sessionid"].value).exists()


@pytest.mark.parametrize("page", SOCKET_PAGES)
def test_a_session_that_lives_is_kept(visitor: Client, page: str) -> None:
    """It is the player's account: a new one on each page would lose the seat."""
    first = visitor.get(page).cookies["sessionid"].value
    assert "sessionid" not in visitor.get(page).cookies
    assert visitor.session.session_key == first


def test_a_cookie_of_a_session_that_has_gone_gets_a_new_session(visitor: Client) -> None:
    """After a cleared database the old cookie must not lock its browser out."""
    visitor.cookies["sessionid"] = "0" * 32
    made = visitor.get("/host").cookies["sessionid"].value
    assert made != "0" * 32
    assert Session.objects.filter(session_key=made).exists()


def test_the_landing_page_makes_no_session(visitor: Client) -> None:
    """It opens no socket; a crawler leaves no rows behind."""
    assert "sessionid" not in visitor.get("/").cookies
    assert Session.objects.count() == 0


# ---------- codes


@pytest.mark.parametrize("typed", ["k7qx2m", "K7Q-X2M", " k7q x2m "])
def test_a_room_has_one_address_however_its_code_is_typed(visitor: Client, typed: str) -> None:
    """The tab's memory of its seat goes by the code, so there must be one spelling."""
    for page in ("play", "present"):
        response = visitor.get(f"/{page}/{typed}")
        assert (response.status_code, response.headers["Location"]) == (302, f"/{page}/K7QX2M")


@pytest.mark.parametrize("typed", ["K7QX2", "K7QX2MM", "K7QX20", "K7QXIL", "<b>"])
def test_what_is_no_code_leads_to_the_code_field(visitor: Client, typed: str) -> None:
    """A mistyped link is answered where it can be mended."""
    for page in ("play", "present"):
        response = visitor.get(f"/{page}/{typed}")
        assert response.status_code == 404
        assert 'data-screen="landing"' in response.text
        assert 'aria-invalid="true"' in response.text


def test_the_code_form_works_without_its_script(visitor: Client) -> None:
    """It asks an address that leads on."""
    assert visitor.get("/play/", {"code": "k7qx2m"}).headers["Location"] == "/play/K7QX2M"
    again = visitor.get("/play/", {"code": "k7q"})
    assert 'value="K7Q"' in again.text
    assert re.search(r'<span id="code-short">[A-Z]', again.text)


def test_an_unknown_code_comes_back_to_its_field_with_the_reason(visitor: Client) -> None:
    """The play page sends its visitor there when the server knows no such room."""
    page = visitor.get("/", {"unknown": "k7qx2n"}).text
    assert 'value="K7QX2N"' in page
    assert re.search(r'<span id="code-unknown">[A-Z]', page)


def test_a_code_in_an_address_is_text_and_never_markup(visitor: Client) -> None:
    """What comes in by the query goes out escaped."""
    assert "<svg/onload" not in visitor.get("/", {"unknown": '"><svg/onload=alert(1)>'}).text


# ---------- the QR code


def picture_of(link: str) -> bytes:
    drawing = BytesIO()
    segno.make(link, error="m", micro=False).save(
        drawing, kind="svg", border=2, dark="#10242c", light="#fff", omitsize=True, xmldecl=False
    )
    return drawing.getvalue()


def test_the_qr_code_is_the_rooms_link_at_the_address_that_the_browser_used(visitor: Client) -> None:
    """A picture of the same origin: the policy allows no other, and needs none."""
    response = visitor.get("/qr/K7QX2M.svg")
    assert response.headers["Content-Type"] == "image/svg+xml"
    assert response.headers["Cache-Control"] == "max-age=3600, private"
    assert response.content == picture_of("http://testserver/play/K7QX2M")


def test_a_qr_code_is_drawn_for_codes_only(visitor: Client) -> None:
    """Nobody gets pictures of other links under the site's name."""
    assert visitor.get("/qr/k7qx2m.svg").status_code == 404
    assert visitor.get("/qr/K7QX20.svg").status_code == 404


@pytest.mark.parametrize(
    ("host", "allowed", "shared"),
    [
        ("localhost:8000", ["localhost", "192.168.1.20", "pc.local"], "http://192.168.1.20:8000"),
        ("127.0.0.1:8000", ["127.0.0.1", "pc", "10.0.0.7"], "http://10.0.0.7:8000"),
        ("[::1]:8000", ["[::1]", "192.168.1.20"], "http://192.168.1.20:8000"),
        ("localhost:8000", ["localhost", "127.0.0.1", "[::1]"], "http://localhost:8000"),
        ("192.168.1.21", ["192.168.1.20", "192.168.1.21"], "http://192.168.1.21"),
        ("quiz.example", ["quiz.example", "192.168.1.20"], "http://quiz.example"),
    ],
)
def test_what_is_shared_is_an_address_that_a_phone_can_open(
    visitor: Client, host: str, allowed: list[str], shared: str
) -> None:
    """A host at ``localhost`` shares the machine's address in the network, if the site answers to one."""
    with override_settings(ALLOWED_HOSTS=allowed):
        request = visitor.get("/qr/K7QX2M.svg", headers={"host": host}).wsgi_request
        assert shared_origin(request) == shared
        page = visitor.get("/host", headers={"host": host})
        assert page.context["page"]["urls"]["shared"] == shared


# ---------- every page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_for_nothing_that_the_policy_refuses(visitor: Client, page: str) -> None:
    """No inline script or style, no handler, nothing from elsewhere."""
    assert REFUSED.findall(visitor.get(page).text) == []


@pytest.mark.parametrize("page", [*PAGES, "/qr/K7QX2M.svg"])
def test_pages_are_read_and_not_written(visitor: Client, page: str) -> None:
    """All that changes something goes through the socket."""
    assert visitor.post(page).status_code == (404 if page == "/no-such-page" else 405)


def test_an_unknown_address_is_answered_in_the_sites_look(visitor: Client) -> None:
    """With the way to the start, and as the error that it is."""
    response = visitor.get("/no-such-page")
    assert response.status_code == 404
    assert 'data-screen="message"' in response.text
    assert 'href="/"' in response.text


def test_the_page_for_our_own_faults_needs_nothing_that_may_be_at_fault() -> None:
    """Django renders it without a request and without context."""
    assert 'data-screen="message"' in render_to_string("500.html")


def test_the_icon_is_found_where_browsers_look_for_it(visitor: Client) -> None:
    """Pages that link no icon, the admin's for example, make browsers ask for this name."""
    assert visitor.get("/favicon.ico").headers["Location"] == "/static/quizsite/favicon.svg"


def test_the_play_page_has_what_the_whole_way_to_the_podium_needs(visitor: Client) -> None:
    """One page: its templates, texts and addresses are there before the socket opens."""
    page = visitor.get("/play/K7QX2M")
    templates = set(re.findall(r'<template id="screen-(\w+)"', page.text))
    assert templates == {"seat", "lobby", "starting", "question", "results", "podium", "message"}
    told = page.context["page"]
    assert (told["mode"], told["code"]) == ("join", "K7QX2M")
    assert told["urls"] | {"socket": "/ws", "preflight": "/api/ws/preflight"} == told["urls"]


def test_the_big_screen_has_its_own_screens_under_the_same_names(visitor: Client) -> None:
    """The scripts that both pages share find in each what they fill; no form and no answers in this one."""
    page = visitor.get("/present/K7QX2M")
    templates = set(re.findall(r'<template id="screen-(\w+)"', page.text))
    assert templates == {"lobby", "starting", "question", "results", "podium", "message"}
    assert 'data-act="join"' not in page.text
    assert page.context["page"]["code"] == "K7QX2M"
    assert "testserver" in page.text


@pytest.mark.parametrize(
    ("page", "own", "foreign"),
    [
        ("/host", {"question", "lobby", "seat"}, {"big-lobby", "landing"}),
        ("/present/K7QX2M", {"big-lobby", "big-question"}, {"seat", "settings", "question", "landing"}),
    ],
)
def test_every_module_that_a_page_of_a_room_loads_is_told_to_the_browser_at_once(
    visitor: Client, page: str, own: set[str], foreign: set[str]
) -> None:
    """Found one import after another they would cost a round trip each; what a page does not need costs one
    for nothing.
    """
    told = set(re.findall(r'modulepreload" href="/static/([^"]+)"', visitor.get(page).text))
    assert "gateway/client.js" in told
    assert {f"quizsite/js/{name}.js" for name in own | {"stage", "store", "bar"}} <= told
    assert {f"quizsite/js/{name}.js" for name in foreign} & told == set()


# ---------- languages


def test_a_visitor_whose_language_is_not_there_yet_gets_english_that_says_so(visitor: Client) -> None:
    """A page half in another language, or marked as one, is worse for ears and translators than English."""
    page = visitor.get("/", headers={"accept-language": "pt-BR,pt;q=0.9"}).text
    assert '<html lang="en" dir="ltr">' in page


class VisibleText(HTMLParser):
    """The words that a person gets to see or hear: text, and the attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent = tag == "script"
        self.words += [
            value for name, value in attrs if value and name in ("alt", "aria-label", "placeholder", "title")
        ]

    def handle_endtag(self, tag: str) -> None:
        self.silent = False

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.words.append(data)


@pytest.mark.parametrize("page", PAGES)
def test_every_word_of_a_page_can_be_translated(
    visitor: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a translation that puts all it is given into brackets, no word stands outside them."""
    monkeypatch.setattr(translation._trans, "gettext", lambda message: f"⟦{message}⟧", raising=False)
    monkeypatch.setattr(translation._trans, "pgettext", lambda _, message: f"⟦{message}⟧", raising=False)
    reader = VisibleText()
    reader.feed(re.sub(r"⟦.*?⟧", "", visitor.get(page).text, flags=re.DOTALL))
    left = {word for text in reader.words for word in re.findall(r"[A-Za-z]{2,}", text)}
    # A name, a code, an address, and what languages call themselves.
    assert left <= {"Halyard", "QX", "testserver", "English", "Deutsch"}


def test_the_catalogue_has_a_form_for_every_plural_category(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language of six forms gives six, asked for by the numbers that stand for them."""
    forms = {0: "zero", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other"}
    monkeypatch.setattr(translation._trans, "ngettext", lambda one, many, n: forms[n], raising=False)
    assert texts.catalogue()["dist.none"] == {name: name for name in forms.values()}


def test_the_catalogue_says_a_form_once() -> None:
    """English has two; the others would only be weight on the line."""
    assert texts.catalogue()["podium.players"] == {"one": "{n} player.", "other": "{n} players."}
