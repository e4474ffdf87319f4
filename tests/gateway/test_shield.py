"""The local shield: who calls itself a robot is one, everybody else has the buckets."""

import pytest

from gateway.shield import LocalShield

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
)


@pytest.mark.parametrize("agent", ["Googlebot/2.1 (+http://www.google.com/bot.html)", "curl/8.5.0", "", "  "])
def test_robots_and_nameless_clients_are_denied_without_a_wait(agent: str) -> None:
    """Waiting would not help them, so none is named."""
    denial = LocalShield().look("s", "203.0.113.9", agent, 0.0)
    assert denial is not None
    assert denial.retry_after is None


@pytest.mark.parametrize("agent", [FIREFOX, SAFARI])
def test_browsers_are_let_through(agent: str) -> None:
    """The list must not take a phone for a crawler."""
    assert LocalShield().look("s", "203.0.113.9", agent, 0.0) is None


def test_a_browser_without_a_screen_is_a_robot_until_it_says_otherwise() -> None:
    """What drives one is no player, as a rule; a monitor of one's own sends another user agent."""
    look = LocalShield().look
    assert look("s", "203.0.113.9", CHROME.replace("Chrome/", "HeadlessChrome/"), 0.0) is not None
    assert look("s", "203.0.113.9", CHROME, 0.0) is None


def test_an_agent_of_kilobytes_is_cut_before_it_meets_the_list() -> None:
    """1,500 patterns over 64 KiB would be a denial of service of our own making."""
    assert LocalShield().look("s", "203.0.113.9", FIREFOX + " " * 600 + "Googlebot", 0.0) is None


def test_looking_takes_nothing_and_charging_does() -> None:
    """The preflight may ask as often as it likes (spec 1.2)."""
    shield = LocalShield()
    for _ in range(100):
        assert shield.look("s", "203.0.113.9", FIREFOX, 0.0) is None
    for _ in range(30):
        shield.charge("s", "203.0.113.9", 0.0)
    denial = shield.look("s", "203.0.113.9", FIREFOX, 0.0)
    assert denial is not None
    assert denial.reason == "upgrade rate"
