"""The real site and a real browser: ``manage.py serve`` on a migrated database, Chromium through Playwright.

Every page that a test opens is watched: an uncaught error, a console error, a policy violation or a request
to anywhere else fails the test that caused it.
"""

import json
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
UNPLUGGED = (
    *("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED", "ERR_INTERNET_DISCONNECTED"),
    "ERR_CONTENT_LENGTH_MISMATCH",
    "WebSocket connection to",
)
"""What Chromium itself reports of a cable that a test pulled out."""
REFUSED = ("the server responded with a status of 403", "the server responded with a status of 503")
"""What it reports of a preflight that a test meant to be refused."""

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36"
)
"""As people's browsers call themselves: by its own name the shield takes a headless one for a robot."""

QUICK = {
    "HEARTBEAT_INTERVAL_MS": 2000,
    "HEARTBEAT_TIMEOUT_MS": 1000,
    "SHIELD_MODE": "live",
    "BLOCKED_NETWORKS": ["127.0.0.9/32"],
    "IP_CAPS": {"127.0.0.8/32": 2},
}
"""A site on which silence is noticed in seconds and every refusal can be had; by which of this machine's own
addresses a page comes decides which (`Cable`'s ``source``).
"""

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
def quick_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The same site with the numbers of `QUICK`."""
    data: Path = tmp_path_factory.mktemp("quick")
    migrated = manage(SITE, data, "migrate", "--no-input")
    assert migrated.returncode == 0, migrated.stderr
    with serving("tests.e2e.settings", data, SITE_GATEWAY=json.dumps(QUICK)) as served:
        yield served


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for the tests of a module; each page has a context, and so a session, of its own.

    Not for the whole run: while Playwright's sync API is on, its loop counts as running, and no asyncio test
    can have one of its own.
    """
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-quic"]
        )
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open a page of a new visitor: ``open_page(viewport=PHONE)``."""
    yield from _opener(browser, UNPLUGGED)


@pytest.fixture
def open_refused(browser: Browser) -> Iterator[OpenPage]:
    """The same for visitors whom the server may refuse; ``beside=page`` opens another tab of the same one."""
    yield from _opener(browser, UNPLUGGED + REFUSED)


def _opener(browser: Browser, tolerated: tuple[str, ...]) -> Iterator[OpenPage]:
    troubles: list[str] = []
    with ExitStack() as contexts:

        def opened(viewport: dict[str, int] = LAPTOP, beside: Page | None = None, **options: object) -> Page:
            if beside is None:
                given = {"viewport": viewport, "locale": "en-GB", "user_agent": CHROME, **options}
                context = browser.new_context(**given)  # type: ignore[arg-type]
                contexts.callback(context.close)
                context.on("page", watched)
            else:
                context = beside.context
            return context.new_page()

        def watched(page: Page) -> None:
            page.set_default_timeout(20_000)
            page.on("pageerror", lambda error: troubles.append(f"uncaught: {error}"))
            page.on("console", lambda message: troubles.extend(_trouble(message, tolerated)))
            page.on("request", lambda request: troubles.extend(_foreign(request)))

        yield opened
    assert troubles == []


def _trouble(message: ConsoleMessage, tolerated: tuple[str, ...]) -> list[str]:
    if message.type != "error" or any(sign in message.text for sign in tolerated):
        return []
    return [f"console: {message.text}"]


def _foreign(request: Request) -> list[str]:
    parts = urlsplit(request.url)
    return [] if parts.scheme == "data" or parts.hostname == "127.0.0.1" else [f"request to {request.url}"]
