"""A live room in the debugger, in Chromium: staff open it from the list and step through what happened."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import SITE, OpenPage
from tests.e2e.player import Player
from tests.serving import Served, manage, serving

pytestmark = pytest.mark.browser

MAKE_STAFF = """
from django.contrib.auth.models import User
User.objects.create_superuser("teacher", password="Pa55-word")
"""


@pytest.fixture(scope="module")
def staffed_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The site with somebody who may sign in to the admin."""
    data: Path = tmp_path_factory.mktemp("staffed")
    for command in (("migrate", "--no-input"), ("shell", "-c", MAKE_STAFF)):
        ran = manage(SITE, data, *command)
        assert ran.returncode == 0, ran.stderr
    with serving(SITE, data) as served:
        yield served


def signed_in(page: Page, site: Served) -> Page:
    """Through the form that the list leads to."""
    page.goto(f"{site.http}/debugger/rooms/")
    page.fill("#id_username", "teacher")
    page.fill("#id_password", "Pa55-word")
    page.click("[type=submit]")
    return page


def test_staff_step_through_a_live_room_and_export_it(staffed_site: Served, open_page: OpenPage) -> None:
    """Names, cards, log, diagram and phases of what really happened; nothing can be done to it."""
    ana = Player(open_page(), f"{staffed_site.http}/", "Ana")
    code = ana.hosts(questions=2)
    ben = Player(open_page(), f"{staffed_site.http}/", "Ben")
    ben.joins(code)
    ana.starts()
    ana.sees_question(1)
    page = signed_in(open_page(), staffed_site)
    page.get_by_role("link", name=code).click()
    expect(page.locator("h1")).to_have_text(f"Room {code}")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator("[data-phases] [aria-current=step]")).to_have_text("Lobby")
    assert page.locator("[data-act]").count() == 0
    row = page.locator("[data-log] tr", has_text="NEW_QUESTION")
    for _ in range(60):
        if row.count() == 0:
            page.keyboard.press("ArrowRight")
    expect(row).to_contain_text("all")
    expect(page.locator(".card[data-player=Ben] [data-seat]")).to_have_text("Connected")
    expect(page.locator("[data-edge].lit")).to_have_attribute("data-edge", "join")
    page.select_option("select[name=filter]", "Ben")
    expect(page.locator("[data-log] tr", has_text="JOIN_ROOM")).to_contain_text("Ben")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export scenario").click()
    file = json.loads(Path(download.value.path()).read_text())
    assert "Ben" not in json.dumps(file)
