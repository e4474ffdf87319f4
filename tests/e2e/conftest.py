"""The real site and a real browser: ``manage.py serve`` on a migrated database, Chromium through Playwright.

Every page that a test opens is watched: an uncaught error, a console error, a policy violation or a request
to anywhere else fails the test that caused it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from tests.serving import Served, manage, serving

SITE = "quizsite.settings"
PHONE = {"width": 360, "height": 640}
LAPTOP = {"width": 1280, "height": 800}
UNPLUGGED = ("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED", "WebSocket connection to")
"""What Chromium itself reports of a cable that a test pulled out."""

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The site as ``make run`` serves it."""
    data: Path = tmp_path_factory.mktemp("site")
    migrated = manage(SITE, data, "migrate", "--no-input")
    assert migrated.returncode == 0, migrated.stderr
    with serving(SITE, data) as served:
        yield served


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all tests; each page has a context, and so a session, of its own."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-quic"]
        )
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open a page of a new visitor: ``open_page(viewport=PHONE)``."""
    troubles: list[str] = []
    with ExitStack() as contexts:

        def opened(viewport: dict[str, int] = LAPTOP, **options: object) -> Page:
            context = browser.new_context(viewport=viewport, locale="en-GB", **options)  # type: ignore[arg-type]
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(20_000)
            page.on("pageerror", lambda error: troubles.append(f"uncaught: {error}"))
            page.on("console", lambda message: troubles.extend(_trouble(message)))
            page.on("request", lambda request: troubles.extend(_foreign(request)))
            return page

        yield opened
    assert troubles == []


def _trouble(message: ConsoleMessage) -> list[str]:
    if message.type != "error" or any(sign in message.text for sign in UNPLUGGED):
        return []
    return [f"console: {message.text}"]


def _foreign(request: Request) -> list[str]:
    parts = urlsplit(request.url)
    return [] if parts.scheme == "data" or parts.hostname == "127.0.0.1" else [f"request to {request.url}"]
