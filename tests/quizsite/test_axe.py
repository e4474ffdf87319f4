"""axe-core finds nothing: in no state of any page, in the light or in the dark.

The program is vendored (``tests/e2e/vendor``, MPL 2.0): the check needs no network. What it cannot see, the
order and the words of what is read out, is in ``test_announced``.
"""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page

from tests.quizsite.screens import Rendered, open_tab
from tests.quizsite.states import PRESENT, STATES, show

pytestmark = pytest.mark.browser

AXE = Path(settings.BASE_DIR) / "tests" / "e2e" / "vendor" / "axe-4.14.1.min.js"
PHONE, PROJECTOR = (360, 640), (1280, 720)
RUN = """options => axe.run(document, { resultTypes: ["violations"], preload: false, ...options })
  .then(({ violations }) => violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.map(({ html }) => html).join(" | ")}`))"""
ALL: dict[str, Any] = {}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
"""The theme changes nothing else."""


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    found: list[str] = page.evaluate(RUN, options)
    return found


@pytest.mark.parametrize("name", STATES)
def test_axe_finds_nothing(browser: Browser, rendered: Rendered, name: str) -> None:
    """All rules in the light, the contrast of colours in the dark again; motion is over before it looks."""
    state = STATES[name]
    width, height = PROJECTOR if state.path == PRESENT else PHONE
    tab = open_tab(browser, rendered, width, height, color_scheme="light", reduced_motion="reduce")
    show(tab, state).page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(tab.page, ALL) == []
    tab.page.emulate_media(color_scheme="dark")
    assert violations(tab.page, COLOURS) == []
    assert tab.troubles == []
    tab.page.context.close()
