"""The acceptance of the tunnel: a whole game between two browsers, with the site behind a relay (spec 6).

Pages, static files and the game's WebSocket all come through. Chromium finds every name under ``.localhost``
on this machine by itself (RFC 6761).
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from tests.e2e.conftest import LAPTOP, PHONE, SITE, browser  # noqa: F401  (a fixture)
from tests.e2e.player import Player
from tests.serving import manage, serving
from tests.tunnel.kit import Client, serving_client

pytestmark = pytest.mark.browser

NAME = "quiz"
DOMAIN = "tunnel.localhost"


class Tunnelled:
    """The site as visitors reach it."""

    def __init__(self, url: str, client: Client) -> None:
        self.url = url
        self.client = client


@pytest.fixture
def tunnelled(tmp_path: Path) -> Iterator[Tunnelled]:
    """Two processes of the site, each with a database of its own: one is the relay, one plays behind it."""
    for folder in ("relay", "site"):
        assert manage(SITE, tmp_path / folder, "migrate", "--no-input").returncode == 0
    issued = manage(SITE, tmp_path / "relay", "tunnel_token", "issue", "quiz", "--scope", NAME)
    hosts = f"{NAME}.{DOMAIN},127.0.0.1"
    with (
        serving(SITE, tmp_path / "relay", TUNNEL_BASE_DOMAIN=DOMAIN) as relay,
        serving(SITE, tmp_path / "site", ALLOWED_HOSTS=hosts, TRUSTED_PROXIES="127.0.0.1/32") as site,
        serving_client(relay.port, NAME, site.port, issued.stdout.strip()) as client,
    ):
        yield Tunnelled(f"http://{NAME}.{DOMAIN}:{relay.port}", client)


def test_two_players_play_a_whole_quiz_through_the_tunnel(
    tunnelled: Tunnelled,
    browser: object,  # noqa: F811
) -> None:
    """From the landing page to the podium, with no trouble in either browser's console."""
    troubles: list[str] = []
    with ExitStack() as contexts:

        def opened(viewport: dict[str, int]) -> Page:
            context = browser.new_context(viewport=viewport, locale="en-GB")  # type: ignore[attr-defined]
            contexts.callback(context.close)
            page: Page = context.new_page()
            page.set_default_timeout(20_000)
            page.on("pageerror", lambda error: troubles.append(f"uncaught: {error}"))
            page.on("console", lambda message: troubles.extend(_error(message)))
            return page

        ana = Player(opened(LAPTOP), tunnelled.url, "Ana")
        ben = Player(opened(PHONE), tunnelled.url, "Ben")
        ben.joins(ana.hosts(questions=2))
        expect(ana.page.locator(".roster li")).to_have_count(2)
        ana.starts()
        for number in (1, 2):
            for player in (ana, ben):
                player.sees_question(number)
            ana.answers("A")
            ben.answers("B")
        assert ana.podium() == ben.podium()
        assert any("Ben" in place for place in ana.podium())
    assert troubles == []
    assert tunnelled.client.says(r" 101 WS   /ws ", 2)
    assert "reconnectToken" not in tunnelled.client.log
    assert "ALLOWED_HOSTS" not in tunnelled.client.log


def _error(message: ConsoleMessage) -> list[str]:
    return [f"console: {message.text}"] if message.type == "error" else []
