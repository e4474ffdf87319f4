"""The site's pages in a real browser, for the tests of this folder that are marked ``browser``."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, sync_playwright

from tests.quizsite import frames
from tests.quizsite.screens import CODE, Rendered, Tab, open_tab

OpenTab = Callable[..., Tab]
PHONE_WIDTH, PHONE_HEIGHT = 360, 640


@pytest.fixture(scope="module")
def rendered() -> Rendered:
    """The pages as Django answers them; their sessions are kept in memory, no test here needs a database."""
    with override_settings(SESSION_ENGINE="django.contrib.sessions.backends.cache"):
        return Rendered.by_django()


@pytest.fixture(scope="module")
def browser(chromium: str, rendered: Rendered) -> Iterator[Browser]:
    """After the pages were rendered: Playwright keeps a loop running, in which Django refuses to work."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Browser, rendered: Rendered) -> Iterator[OpenTab]:
    """Open a page of a new visitor; what went wrong in it fails the test."""
    tabs: list[Tab] = []

    def opened(
        path: str = f"/play/{CODE}", width: int = PHONE_WIDTH, height: int = PHONE_HEIGHT, **given: Any
    ) -> Tab:
        tabs.append(open_tab(browser, rendered, width, height))
        return tabs[-1].open(path, **given)

    yield opened
    for each in tabs:
        each.page.context.close()
    assert [trouble for each in tabs for trouble in each.troubles] == []


@pytest.fixture
def seated(tab: OpenTab) -> OpenTab:
    """A tab that is in the room: ``seated("ana")`` is the host's, frames follow."""

    def sat(user_id: str = "ben", *more: dict[str, Any], **room: Any) -> Tab:
        page = tab().state("connected")
        page.receive(frames.joined(user_id, **room), *more)
        page.sent()
        return page

    return sat
