"""`make screens`: every page and state of the site as pictures, for eyes and for the README.

What there is to see is the table in ``tests.quizsite.states``; this file knows sizes, themes and languages,
and puts the pictures on sheets in docs/screens. Nothing is served: pages are rendered once, as for the tests.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace as Given
from typing import Any, Literal
from urllib.parse import quote

import django
from django.template.loader import render_to_string
from django.test import override_settings
from django.utils import translation
from msgspec import convert
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, sync_playwright

from rooms.core.questions import Question
from scripts.browser import VARIABLE
from tests.quizsite import frames
from tests.quizsite.screens import CODE, PATHS, Rendered, Tab, open_tab
from tests.quizsite.states import STATES, State, show

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "screens"
HOST = "192.168.1.20:8000"  # as `make run` tells it to a classroom

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Device:
    """A window. ``scale`` is how large its pictures are on a sheet, ``across`` how many stand in a row."""

    name: str
    width: int
    height: int
    scale: float
    across: int


PHONE = Device("phone", 390, 844, 0.75, 6)
LAPTOP = Device("laptop", 1280, 800, 0.5, 3)
PROJECTOR = Device("projector", 1920, 1080, 0.4, 3)


@dataclass(frozen=True)
class Sheet:
    """The pictures of one file: those states of `shown` whose names match."""

    name: str
    states: str
    device: Device
    theme: Theme = "light"
    language: str = "en"


GROUPS = {
    "way-in": r"landing|host$|join|returning",
    "lobby": r"lobby|starting",
    "question": r"question",
    "results": r"right|wrong|no answer|results of the host|podium",
    "messages": r"replaced|refused|blocked|gave up|kicked|closed",
    "beside-the-game": r"the results|the standings|no page|a failure",
}
"""The states of the player's and the host's page, by where in a game they come."""
BIG_SCREEN = r"big screen"
SAMPLE = (
    r"landing unknown|join refused|lobby of the host, with|question$|question, reconnecting|right|podium$"
    r"|gave up|the results"
)
BIG_SAMPLE = r"big screen, (lobby|question|results|podium)$"
THEMES: tuple[Theme, ...] = ("light", "dark")
OTHERS = {"de": "german", "ar": "arabic"}

STRIP = (("lobby", PHONE), ("question", PHONE), ("right", PHONE), ("big screen, question", PROJECTOR))
STRIP_HEIGHT, STRIP_GAP = 640, 24

GAP, CAPTION = 16, 28
PAPER, INK = "#8b979c", "#ffffff"
QUALITY = 78  # text stays sharp; all sheets together are some 4 MB

LOT = "Math.random = () => 0.3;"  # newcomers' faces are drawn by lot: the same ones each time


def sheets() -> Iterator[Sheet]:
    """All there are."""
    for theme in THEMES:
        for device in (PHONE, LAPTOP):
            for name, states in GROUPS.items():
                yield Sheet(f"{device.name}-{theme}-{name}", f"^({states})", device, theme)
        yield Sheet(f"projector-{theme}", f"^{BIG_SCREEN}", PROJECTOR, theme)
    for language, name in OTHERS.items():
        yield Sheet(f"{name}-phone", f"^({SAMPLE})", PHONE, language=language)
        yield Sheet(f"{name}-laptop", f"^({SAMPLE})", LAPTOP, language=language)
        yield Sheet(f"{name}-projector", f"^({BIG_SAMPLE})", PROJECTOR, language=language)


# ---------- what is shown


def to_the_settings(tab: Tab) -> None:
    """On a phone the host's settings lie below the players."""
    tab.page.evaluate("document.querySelector('details.settings').open = true")
    tab.page.evaluate("document.querySelector('details.settings').scrollIntoView()")


def shown() -> dict[str, State]:
    """The states of the tests, and pages that have but one."""
    host = STATES["lobby of the host"]
    return STATES | {
        "lobby of the host, settings": State(host.path, host.frames, do=to_the_settings),
        "the results": State("/results"),
        "the standings": State("/standings"),
        "no page": State("/no-such-page"),
        "a failure": State("/failure"),
    }


def on(sheet: Sheet) -> list[str]:
    """The states that a sheet shows."""
    return [name for name in shown() if re.search(sheet.states, name)]


PLAYERS = [
    Given(
        rank=rank, name=name, correct=6 - rank, score=points, games=3, wins=rank % 3, right=20, points=points
    )
    for rank, (name, points) in enumerate([("Chen", 3035), ("Ben", 2967), ("Hana", 2880), ("Émile", 2544)], 1)
]
GAME = Given(
    game_id="00000000-0000-4000-8000-000000000000",
    room_code=CODE,
    ended_at=datetime(2026, 11, 30, 10, 15, tzinfo=UTC),
    finished=True,
)


def asked() -> tuple[Any, Given]:
    """A question of a game that is over as `rooms.views` shows it, with its picture."""
    # Models are behind these: Django has to be set up first.
    from rooms.results import ChoiceResult, QuestionResult
    from rooms.wording import in_the_readers_language

    asked, results = frames.question(), frames.results()
    question = convert({**asked, "id": asked["questionId"], "correct": results["correct"]}, Question)
    choices = tuple(
        ChoiceResult(choice, choice.id in question.correct, results["counts"][choice.id])
        for choice in question.choices
    )
    picture = Given(url=f"data:image/svg+xml,{quote(frames.FLAG)}", alt="")
    return in_the_readers_language(QuestionResult(1, question, choices, 6, 6, 0)), picture


def beside_the_game() -> dict[str, str]:
    """Pages whose data lie in a database, filled with some."""
    results = {"game": GAME, "players": PLAYERS, "questions": [asked()]}
    return {
        "/results": render_to_string("rooms/results.html", results),
        "/standings": render_to_string("rooms/leaderboard.html", {"leaders": PLAYERS}),
        "/failure": render_to_string("500.html"),
    }


def render(language: str) -> Rendered:
    """The site's pages in this language."""
    with (
        override_settings(ALLOWED_HOSTS=["*"], SESSION_ENGINE="django.contrib.sessions.backends.cache"),
        translation.override(language),
    ):
        rendered = Rendered.by_django((*PATHS, "/no-such-page"), language, HOST)
        for path, page in beside_the_game().items():
            rendered.answers[path] = (200, {"Content-Type": "text/html; charset=utf-8"}, page.encode())
    return rendered


# ---------- pictures


@dataclass
class Camera:
    """A browser, and the pages of each language."""

    browser: Browser
    pages: Mapping[str, Rendered]

    def shot(self, state: State, device: Device, sheet: Sheet, scale: float) -> Image.Image:
        """One state, after all motion."""
        tab = open_tab(
            self.browser,
            self.pages[sheet.language],
            device.width,
            device.height,
            device_scale_factor=scale,
            locale=sheet.language,
            color_scheme=sheet.theme,
            reduced_motion="reduce",
        )
        tab.page.add_init_script(LOT)
        show(tab, state).page.evaluate("document.fonts.ready")
        picture = Image.open(BytesIO(tab.page.screenshot())).convert("RGB")
        tab.page.context.close()
        return picture

    def sheet(self, sheet: Sheet) -> Image.Image:
        """All pictures of a sheet, each below its name."""
        device = sheet.device
        states, names = shown(), on(sheet)
        shots = [self.shot(states[name], device, sheet, device.scale) for name in names]
        return put_together(names, shots, min(device.across, len(shots)))

    def strip(self) -> Image.Image:
        """A few moments side by side, at the same height."""
        sheet = Sheet("strip", "", PHONE)
        shots = [
            self.shot(STATES[name], device, sheet, STRIP_HEIGHT / device.height) for name, device in STRIP
        ]
        strip = Image.new("RGBA", (sum(shot.width + STRIP_GAP for shot in shots) - STRIP_GAP, STRIP_HEIGHT))
        left = 0
        for shot in shots:
            strip.paste(shot, (left, 0))
            left += shot.width + STRIP_GAP
        return strip


def put_together(names: Sequence[str], shots: Sequence[Image.Image], across: int) -> Image.Image:
    """A contact sheet of pictures of one size."""
    width, height = shots[0].width + GAP, shots[0].height + GAP + CAPTION
    sheet = Image.new("RGB", (across * width + GAP, -(-len(shots) // across) * height + GAP), PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(CAPTION * 0.6)
    for place, (name, shot) in enumerate(zip(names, shots, strict=True)):
        left, top = GAP + place % across * width, GAP + place // across * height
        pen.text((left, top), name, fill=INK, font=font)
        sheet.paste(shot, (left, top + CAPTION))
    return sheet


def main() -> None:
    """Make all of docs/screens anew."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    pages = {language: render(language) for language in ("en", *OTHERS)}
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.glob("*.webp"):
        old.unlink()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ[VARIABLE], args=["--no-sandbox"])
        camera = Camera(browser, pages)
        for sheet in sheets():
            camera.sheet(sheet).save(TARGET / f"{sheet.name}.webp", quality=QUALITY, method=6)
            print(sheet.name, flush=True)
        camera.strip().save(TARGET / "strip.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
