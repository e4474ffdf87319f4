"""Makes docs/screens/strip.png: four moments of a real game, as phones show them, for the first page.

Run it after the pages' look has changed: ``.venv/bin/python docs/strip.py``. It serves the site on a free
port with a database of its own, and lets four players play in a real Chromium.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, ViewportSize, sync_playwright  # noqa: E402

from tests.e2e.player import Player  # noqa: E402
from tests.serving import Served, manage, serving  # noqa: E402

TARGET = Path(__file__).parent / "screens" / "strip.png"
SETTINGS = "quizsite.settings"
NAMES = ("Ana", "Ben", "Chloé", "Deniz")
PHONE: ViewportSize = {"width": 360, "height": 640}
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
GAP = 16
COLOURS = 128
SETTLED_MS = 900  # until the screen's own motion is over


@contextmanager
def site() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        assert manage(SETTINGS, data, "migrate", "--no-input").returncode == 0
        with serving(SETTINGS, data) as served:
            yield served


def shot(player: Player) -> Image.Image:
    """The player's phone, as it is now."""
    player.page.wait_for_timeout(SETTLED_MS)
    return Image.open(BytesIO(player.page.screenshot()))


def play(browser: Browser, home: str) -> Iterator[Image.Image]:
    """A game of two questions, hosted on a laptop, seen on Ben's phone."""
    screens = [LAPTOP, *[PHONE] * (len(NAMES) - 1)]
    pages = [browser.new_context(viewport=screen).new_page() for screen in screens]
    ana, ben, *others = players = [Player(page, home, name) for page, name in zip(pages, NAMES, strict=True)]
    code = ana.hosts(questions=2)
    for guest in players[1:]:
        guest.joins(code)
    yield shot(ben)
    ana.starts()
    for number in (1, 2):
        for player in players:
            player.sees_question(number)
        if number == 1:
            yield shot(ben)
        for player, letter in zip((ana, ben, *others), "ABCD", strict=True):
            player.answers(letter)
        if number == 1:
            ben.sees("results")
            yield shot(ben)
    ben.podium()
    yield shot(ben)


def strip(shots: list[Image.Image]) -> Image.Image:
    """Side by side on nothing."""
    width = len(shots) * (PHONE["width"] + GAP) - GAP
    whole = Image.new("RGBA", (width, PHONE["height"]))
    for place, image in enumerate(shots):
        whole.paste(image, (place * (PHONE["width"] + GAP), 0))
    return whole.quantize(COLOURS, method=Image.Quantize.FASTOCTREE)


def main() -> None:
    chromium = shutil.which("chromium")
    with site() as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shots = list(play(browser, served.http))
        browser.close()
    TARGET.parent.mkdir(exist_ok=True)
    strip(shots).save(TARGET, optimize=True)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
