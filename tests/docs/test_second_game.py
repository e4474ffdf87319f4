"""docs/second-game.md, done as it stands there: a game that is not ours on the gateway, without the quiz."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks
from tests.docs.tutorial import Reader, followed
from tests.docs.visitor import Visitor
from tests.serving import Served

GAME = "# buzzer/game.py"
ABOUT_LINES = 70


@pytest.fixture(scope="module")
def show(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page's project, its own tests run, serving."""
    reader = Reader(sys.executable, tmp_path_factory.mktemp("show"), wheel, "Django<6")
    with followed("second-game.md", reader) as served:
        installed = reader.types(
            "python manage.py shell -c 'from django.apps import apps; print(list(apps.app_configs))'"
        )
        assert "'gateway'" in installed
        assert "'rooms'" not in installed
        yield served


def test_the_first_to_press_is_heard(show: Served) -> None:
    """Two clients at a real server; who is late is told so, and the next round opens by itself."""
    ana, ben = Visitor(show), Visitor(show)
    ana.get("/")
    ben.get("/")
    with ana.socket() as one, ben.socket() as two:
        one.says("JOIN", name="Ana")
        one.hears("TABLE")
        two.says("JOIN", name="Ben")
        assert two.hears("TABLE") == {"type": "TABLE", "names": ["Ana", "Ben"], "first": None}
        two.says("BUZZ")
        assert two.hears("TABLE")["first"] == "Ben"
        two.says("BUZZ")
        assert two.hears("ERROR")["message"] == "Ben was first."
        assert two.hears("TABLE")["first"] is None


def test_what_the_page_says_is_heard(show: Served) -> None:
    """Its two frames are on the wire just so."""
    (shown,) = [block.text for block in blocks(DOCS / "second-game.md") if block.language == "json"]
    visitor = Visitor(show)
    visitor.get("/")
    with visitor.socket() as line:
        line.hears("CONNECTED")
        line.says("JOIN", name="Ana")
        first = line.opened.recv(timeout=5)
        line.says("BUZZ")
        second = line.opened.recv(timeout=5)
    assert [_spaced(first), _spaced(second)] == shown.splitlines()


def test_the_game_is_as_small_as_the_page_says() -> None:
    """Somebody who weighs the gateway wants to see a whole game at a glance."""
    (game,) = [block.text for block in blocks(DOCS / "second-game.md") if block.text.startswith(GAME)]
    assert len([line for line in game.splitlines() if line]) <= ABOUT_LINES


def _spaced(frame: str | bytes) -> str:
    return str(frame).replace(",", ", ").replace(":", ": ")
