"""What a page was told of its connection, and what it shows of it, in the words of the site's catalogue."""

from typing import Any

from playwright.sync_api import Page, expect

from quizsite.texts import TEXTS
from tests.e2e.player import LONGEST_MS

LISTEN = """
window.told = [];
window.sockets = 0;
const dispatch = EventTarget.prototype.dispatchEvent;
EventTarget.prototype.dispatchEvent = function (event) {
  if (event instanceof CustomEvent) window.told.push({ event: event.type, ...event.detail });
  if (event.type === "closed") document.documentElement.dataset.closed = event.detail.code;
  return dispatch.call(this, event);
};
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    window.sockets += 1;
  }
};
"""
"""The client tells its page by events of its own: this listens to them all, and counts upgrades."""


def listen(page: Page) -> Page:
    """Take notes on this page from its next load on."""
    page.add_init_script(LISTEN)
    return page


def told(page: Page, event: str) -> list[dict[str, Any]]:
    """The events of one kind so far, in order."""
    return [told for told in page.evaluate("window.told") if told["event"] == event]


def expect_closed(page: Page, code: int) -> str:
    """The page was told of a socket that ended with this code, last of all; returns the client's sentence."""
    expect(page.locator("html")).to_have_attribute("data-closed", str(code), timeout=LONGEST_MS)
    return str(told(page, "closed")[-1]["text"])


def text(key: str) -> str:
    """The site's sentence in English."""
    return str(TEXTS[key])


def expect_message(page: Page, kind: str, *keys: str) -> None:
    """The message that takes the whole page: its kind, and its sentences by their keys."""
    screen = page.locator(f"[data-screen=message][data-kind='{kind}']")
    expect(screen).to_be_visible(timeout=LONGEST_MS)
    for key in keys:
        expect(screen).to_contain_text(text(key))


def expect_band(page: Page, *keys: str) -> None:
    """The band below the bar says all of this, over whatever screen there is."""
    for key in keys:
        expect(page.locator("#notice")).to_contain_text(text(key), timeout=LONGEST_MS)


def expect_state(page: Page, state: str) -> None:
    """The bar tells this state of the connection."""
    expect(page.locator(f"[data-conn-state={state}]")).to_have_count(1, timeout=LONGEST_MS)
