"""The shield: burst and sustained rate of upgrades, per session and per address (spec 1.2, check 6)."""

import pytest

from gateway.core.shield import Denial, Shield, ShieldPolicy
from tests.gateway.core.vocabulary import reloaded

BROWSER = "Mozilla/5.0"
CLASSROOM = "203.0.113.7"
NOW = 5000.0


def fresh() -> Shield:
    """A shield that has seen nobody."""
    return Shield.fresh(ShieldPolicy())


def attempt(shield: Shield, session: str, address: str | None, now: float = NOW) -> bool:
    """One upgrade as the shell makes it: looked at, and charged if it passes."""
    if shield.look(session, address, BROWSER, now) is not None:
        return False
    shield.charge(session, address, now)
    return True


def test_the_numbers_are_the_specs() -> None:
    """Per session 30 and 10 a minute, per address 120 and 60 a minute."""
    assert ShieldPolicy(30.0, 10 / 60, 120.0, 1.0) == ShieldPolicy()


def test_a_session_may_reconnect_thirty_times_and_then_ten_times_a_minute() -> None:
    """The sustained rate is tested, not only the burst."""
    shield = fresh()
    assert sum(attempt(shield, "s", None) for _ in range(100)) == 30
    assert [attempt(shield, "s", None, NOW + 5.9), attempt(shield, "s", None, NOW + 6.0)] == [False, True]
    hour = sum(attempt(shield, "s", None, NOW + 6.0 + second) for second in range(1, 3601))
    assert hour == 600


def test_an_address_may_have_a_classroom_and_then_one_a_second() -> None:
    """Many sessions behind one NAT."""
    shield = fresh()
    assert sum(attempt(shield, f"s{pupil}", CLASSROOM) for pupil in range(200)) == 120
    assert not attempt(shield, "late", CLASSROOM, NOW + 0.999)
    assert attempt(shield, "late", CLASSROOM, NOW + 1.0)
    assert attempt(shield, "elsewhere", "203.0.113.8")


def test_the_longer_wait_is_told_and_it_is_exact() -> None:
    """Retry-After lets the client in, by both buckets."""
    shield = fresh()
    for pupil in range(120):
        shield.charge(f"s{pupil}", CLASSROOM, NOW)
    for _ in range(30):
        shield.charge("me", None, NOW)
    assert shield.look("me", None, BROWSER, NOW) == Denial("upgrade rate", 6.0)
    assert shield.look("other", CLASSROOM, BROWSER, NOW) == Denial("upgrade rate", 1.0)
    assert shield.look("me", CLASSROOM, BROWSER, NOW) == Denial("upgrade rate", 6.0)
    assert shield.look("me", CLASSROOM, BROWSER, NOW + 6.0) is None


def test_a_proven_seat_costs_its_address_nothing() -> None:
    """A returning player is neither refused for its neighbours nor charged to them."""
    shield = fresh()
    for pupil in range(120):
        shield.charge(f"s{pupil}", CLASSROOM, NOW)
    assert shield.look("mine", None, BROWSER, NOW) is None
    other = fresh()
    other.charge("mine", None, NOW)
    assert other.addresses.buckets == {}
    assert other.sessions.bucket("mine", NOW).level(NOW) == 29


def test_looking_is_free() -> None:
    """The preflight says what would happen and takes no token."""
    shield = fresh()
    for _ in range(1000):
        assert shield.look("s", CLASSROOM, BROWSER, NOW) is None
    assert shield.sessions.bucket("s", NOW).level(NOW) == 30
    assert shield.addresses.bucket(CLASSROOM, NOW).level(NOW) == 120


def test_charging_an_empty_bucket_changes_nothing() -> None:
    """In dry run upgrades pass although the shield would refuse them; their debt does not grow."""
    shield = fresh()
    for _ in range(1000):
        shield.charge("s", CLASSROOM, NOW)
    assert shield.look("s", CLASSROOM, BROWSER, NOW) == Denial("upgrade rate", 6.0)


@pytest.mark.parametrize("user_agent", ["", " \t"])
def test_a_client_without_a_user_agent_is_a_robot(user_agent: str) -> None:
    """No browser leaves it out, and waiting does not help."""
    assert fresh().look("s", CLASSROOM, user_agent, NOW) == Denial("empty user agent", None)


def test_a_shield_comes_back_from_its_state() -> None:
    """Plain data like everything here."""
    shield = fresh()
    attempt(shield, "s", CLASSROOM)
    assert reloaded(shield) == shield
