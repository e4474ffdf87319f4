"""The card on the admin's first page: a picture of the process, drawn without any inline style."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from django.urls import reverse

from gateway import live
from gateway.admin import dashboard
from gateway.admin.dashboard import BAR_MOST, LEFT, STEP
from gateway.core import closing
from gateway.core.counts import Minute
from gateway.logins import Login
from tests.gateway.admin.hosted import hosted, staff, text
from tests.gateway.house import House
from tests.gateway.test_logins import Tab

pytestmark = pytest.mark.django_db

VIEW = "view_liveconnection"


@pytest.fixture
def house() -> Iterator[House]:
    """Two sockets came, one went, three were refused a minute later."""
    made = House()
    tabs = [Tab(made, Login("a-key")).ready() for _ in range(2)]
    made.runtime.close(tabs[0].admission, tabs[0].socket, closing.DROPPED)
    made.runtime.release(tabs[0].admission)
    made.clock.advance(60)
    for _ in range(3):
        made.runtime.counts.refuse("invalid_origin", made.clock.now())
    with hosted(made.runtime):
        yield made


def index(*permissions: str) -> str:
    """The admin's first page."""
    return text(staff(*permissions).get(reverse("admin:index")))


def drawing(page: str) -> ET.Element:
    """The card's SVG."""
    found = re.search(r"<svg viewBox.*?</svg>", page, re.DOTALL)
    assert found is not None
    return ET.fromstring(found[0])


def test_the_card_says_what_is_served_and_what_came_and_went(house: House) -> None:
    """Sockets now, the game's own gauges, the sums of the last half hour in words."""
    page = index(VIEW)
    assert re.search(r"Open sockets</dt><dd><a href=\"[^\"]+\">1</a>", page)
    assert "Seats taken" in page
    label = drawing(page).get("aria-label", "")
    assert "Opened 2, Refused 3, Closed 1" in label
    assert "30 minutes" in label


def test_the_drawing_has_one_bar_for_each_minute_in_which_something_happened(house: House) -> None:
    """The running minute is the last; attributes and classes only, for the site allows no inline style."""
    svg = drawing(index(VIEW))
    bars = {bar.get("class"): bar for bar in svg.iter("rect")}
    assert set(bars) == {"opened", "refused", "closed"}
    last = LEFT + STEP * 29
    assert [bars[css].get("x") for css in ("opened", "refused")] == [str(last - STEP), str(last)]
    assert not [element for element in svg.iter() if "style" in element.attrib]


def test_a_single_event_among_thousands_is_still_to_be_seen() -> None:
    """Each series has its own scale, and no bar is higher than its line."""
    minutes = [Minute(1, opened=5000, refused=1), Minute(2, opened=1), Minute(3)]
    opened, refused, closed = dashboard.drawn(minutes)
    assert [bar.height for bar in opened.bars] == [BAR_MOST, 1]
    assert [bar.height for bar in refused.bars] == [BAR_MOST]
    assert (closed.bars, closed.total, closed.most) == ((), 0, 0)
    assert all(bar.y + bar.height == opened.base for bar in opened.bars)


def test_who_may_not_see_connections_sees_no_card(house: House) -> None:
    """The first page is everybody's of the staff."""
    assert "live-card" not in index()


def test_a_process_that_serves_nothing_has_a_card_that_says_so() -> None:
    """The admin itself works there."""
    assert "no gateway runs in this process" in index(VIEW)


def test_a_server_that_drains_says_so(house: House) -> None:
    """Staff who look during a restart know why nobody gets in."""
    live.call(lambda runtime: setattr(runtime, "draining", True))
    assert "it admits nobody" in index(VIEW)


def test_the_picture_does_not_change_any_more(house: House) -> None:
    """The running minute goes on counting; what was handed out does not."""
    seen = live.call(dashboard.picture)
    live.call(lambda runtime: runtime.counts.refuse("invalid_origin", runtime.clock.now()))
    assert seen.minutes[-1].refused == 3
