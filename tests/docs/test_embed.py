"""docs/embed.md, done as it stands there in an empty folder: the quiz in a project that is not ours."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct
from playwright.sync_api import Browser, sync_playwright
from websockets.exceptions import InvalidStatus

from tests.docs.pages import DOCS, ROOT, blocks
from tests.docs.tutorial import Reader, followed
from tests.docs.visitor import Visitor
from tests.serving import Served


class Site(Struct, frozen=True):
    """What came of the page, and with which Django."""

    served: Served
    django: str


# The lowest versions that are supported, and the newest Django where there is a Python for it.
@pytest.fixture(scope="module", params=["this Python, Django 5.2", "Python 3.13, Django 6"])
def site(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """The page's project, serving."""
    newer = request.param != "this Python, Django 5.2"
    python = request.getfixturevalue("newer_python") if newer else sys.executable
    reader = Reader(python, tmp_path_factory.mktemp("school"), wheel, "Django>=6" if newer else "Django<6")
    with followed("embed.md", reader) as served:
        version = reader.types("python -m django --version")
        assert version.startswith("6." if newer else "5.2."), version
        yield Site(served, version)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A real Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


def test_its_pages_are_there(site: Site) -> None:
    """The team's own page, our static files, health, and the quiz's pages where the page put them."""
    visitor = Visitor(site.served)
    assert "Quiz corner" in visitor.get("/")[1]
    assert "export class Client" in visitor.get("/static/gateway/client.js")[1]
    assert visitor.get("/readyz") == (200, '{"ready": true}')
    assert visitor.get("/quiz/api/sets")[0] == 200
    assert visitor.get("/admin/login/")[0] == 200


def test_two_people_play(site: Site) -> None:
    """A room is made, joined with its code, started, and asks about a flag."""
    ana, ben = Visitor(site.served), Visitor(site.served)
    ana.get("/")
    ben.get("/")
    with ana.socket() as host, ben.socket() as guest:
        host.says("CREATE_ROOM", name="Ana")
        code = host.hears("ROOM_JOINED")["room"]["roomCode"]
        guest.says("JOIN_ROOM", roomCode=code, name="Ben")
        assert [member["name"] for member in guest.hears("ROOM_JOINED")["room"]["members"]] == ["Ana", "Ben"]
        host.says("START_GAME")
        question = guest.hears("NEW_QUESTION")
        assert (question["media"]["kind"], len(question["choices"])) == ("svg", 4)


def test_strangers_stay_outside(site: Site) -> None:
    """Without the page's session, or from another site's page: the gateway is on guard without a setting."""
    visitor = Visitor(site.served)
    with pytest.raises(InvalidStatus) as refused, visitor.socket():
        pass
    assert refused.value.response.headers["X-Flags-Reject-Reason"] == "missing_session"
    visitor.get("/")
    with pytest.raises(InvalidStatus) as refused, visitor.socket(origin="https://elsewhere.example"):
        pass
    assert refused.value.response.headers["X-Flags-Reject-Reason"] == "invalid_origin"


@pytest.mark.browser
def test_the_page_plays_in_two_browsers(site: Site, browser: Browser) -> None:
    """The script of the page, as it stands there: one hosts, the other types the code, both see both."""
    host, guest = browser.new_context().new_page(), browser.new_context().new_page()
    host.goto(site.served.http)
    host.get_by_role("button", name="Play").click()
    host.wait_for_function("document.forms[0].elements.code.value.length === 6")
    guest.goto(site.served.http)
    guest.get_by_label("Your name").fill("Ben")
    guest.get_by_label("Code").fill(host.get_by_label("Code").input_value())
    guest.get_by_role("button", name="Play").click()
    for page in (host, guest):
        page.wait_for_function("document.querySelectorAll('#members li').length === 2")
        assert page.locator("#members li").all_inner_texts() == ["Ana", "Ben"]


def test_the_readme_shows_what_is_proven_here() -> None:
    """The first page's example is the ASGI application of this one, line by line, in at most 20."""
    (example,) = [
        block.text for block in blocks(ROOT / "README.md") if block.text.startswith("# school/asgi.py")
    ]
    assert example in [block.text for block in blocks(DOCS / "embed.md")]
    code = [line for line in example.splitlines()[1:] if line]
    assert len(code) <= 20


def test_the_servers_log_has_no_error(site: Site) -> None:
    """All of the above went by without a traceback."""
    assert not re.search(r"Traceback|ERROR|Exception", site.served.log), site.served.log
