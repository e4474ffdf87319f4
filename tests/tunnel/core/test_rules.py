"""The small rules of the tunnel: tokens, claims on a name, life signs, addresses, waits between tries."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunnel.core import tokens
from tunnel.core.address import FAILURES, FAILURES_WINDOW_S, REMEMBERED, Failures, bucket, trusts, visitor
from tunnel.core.claims import Backoff, Claim, Verdict, judge
from tunnel.core.liveness import Due, Liveness

SECRET = "s" * 43
TEXT = f"tnl_abcdefghi123_{SECRET}"
GRANT = tokens.Grant("abcdefghi123", tokens.secret_hash(SECRET), "preview")
PROXIES = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("::1/128"))


# Tokens


def test_a_token_is_its_exact_text() -> None:
    """Another case, white space or a missing part is no token."""
    assert tokens.parse(TEXT) == tokens.Token("abcdefghi123", SECRET)
    for text in ("", TEXT.upper(), f"{TEXT}\n", f" {TEXT}", TEXT[:-1], TEXT.replace("tnl", "tn1")):
        assert tokens.parse(text) is None


def test_a_secret_is_known_by_its_hash_alone() -> None:
    """A wrong secret and an unknown id are refused alike."""
    token = tokens.Token("abcdefghi123", SECRET)
    assert tokens.authentic(token, GRANT)
    assert not tokens.authentic(tokens.Token("abcdefghi123", "t" * 43), GRANT)
    assert not tokens.authentic(token, None)
    assert not tokens.authentic(tokens.Token("x", ""), None)
    assert SECRET not in repr(GRANT)


def test_a_grant_is_for_its_name_and_for_its_time() -> None:
    """Its scope is a name or, asked for by hand, every name."""
    assert tokens.fault(GRANT, "preview", 0) == ""
    assert "'api'" in tokens.fault(GRANT, "api", 0)
    every = tokens.Grant("id", "hash", "*", expires_at=10)
    assert tokens.fault(every, "api", 9.9) == ""
    assert "expired" in tokens.fault(every, "api", 10)
    assert "revoked" in tokens.fault(tokens.Grant("id", "hash", "*", revoked=True), "api", 0)


# Claims

HOLDER = Claim("token", "laptop")


@pytest.mark.parametrize(
    ("claim", "holder", "verdict"),
    [
        (HOLDER, None, Verdict.TAKE),
        (Claim("token", "laptop"), HOLDER, Verdict.REPLACE),
        (Claim("token", "desktop"), HOLDER, Verdict.PROBE),
        (Claim("token", "desktop", force=True), HOLDER, Verdict.REPLACE),
        (Claim("other", "laptop"), HOLDER, Verdict.REFUSE),
        (Claim("other", "laptop", force=True), HOLDER, Verdict.REFUSE),
    ],
)
def test_who_gets_a_name_that_is_taken(claim: Claim, holder: Claim | None, verdict: Verdict) -> None:
    """The same client at once, its owner if the holder is dead, another token never (spec 6.4)."""
    assert judge(claim, holder) is verdict


@given(st.integers(1, 50), st.floats(0, 1, exclude_max=True))
def test_a_wait_grows_up_to_half_a_minute(losses: int, chance: float) -> None:
    """`uniform(0.5, min(30, 2^n))` seconds (spec 6.1)."""
    backoff = Backoff()
    for _ in range(losses):
        backoff.lost(0)
    assert 0.5 <= backoff.wait(chance) <= min(30, 2**losses)


def test_a_connection_that_held_starts_the_waiting_anew() -> None:
    """Half a minute of it, not a moment: a relay that drops everybody would be flooded."""
    backoff = Backoff(9)
    backoff.lost(29.9)
    assert backoff.wait(0.999) > 29
    backoff.lost(30)
    assert backoff.wait(0.999) < 2


# Life


def test_a_silent_end_is_pinged_and_given_up_after_forty_seconds() -> None:
    """The bound holds from the last frame of any kind."""
    watch = Liveness.started(0)
    assert watch.deadline() == 15
    assert watch.wake(14.9) is None
    assert watch.wake(15) is Due.PING
    assert watch.wake(15) is None
    watch.heard(20)
    assert watch.wake(30) is Due.PING
    assert watch.wake(45) is Due.PING
    assert watch.deadline() == 60
    assert watch.wake(60) is Due.DEAD


# Addresses


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("192.0.2.1", ["10.0.0.1"], "192.0.2.1"),
        ("10.0.0.1", ["198.51.100.7, 192.0.2.9"], "192.0.2.9"),
        ("10.0.0.1", ["192.0.2.9", "10.0.0.2"], "192.0.2.9"),
        ("10.0.0.1", ["junk"], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.3"], "10.0.0.3"),
        ("::1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("10.0.0.1", ["192.0.2.9:1234"], "192.0.2.9"),
        ("unix", ["192.0.2.9"], "unix"),
    ],
)
def test_the_visitor_is_the_nearest_that_is_no_proxy_of_ours(
    peer: str, forwarded: list[str], found: str
) -> None:
    """The left-most entry is whatever the visitor typed."""
    assert visitor(peer, forwarded, PROXIES) == found
    assert trusts(peer, PROXIES) is peer.startswith(("10.", "::1"))


def test_ten_failed_logins_in_a_minute_are_enough() -> None:
    """They count by address, of IPv6 by household, and are forgotten after a minute."""
    failures = Failures()
    for second in range(FAILURES):
        assert not failures.blocked("192.0.2.1", second)
        failures.count("192.0.2.1", second)
    assert failures.blocked("192.0.2.1", FAILURES)
    assert not failures.blocked("192.0.2.2", FAILURES)
    assert not failures.blocked("192.0.2.1", FAILURES_WINDOW_S)
    assert bucket("2001:db8::1") == bucket("2001:db8::2") != bucket("2001:db8:1::")


def test_the_memory_of_failures_is_bounded() -> None:
    """An attacker with many addresses costs a fixed amount."""
    failures = Failures()
    for number in range(REMEMBERED + 5):
        failures.count(f"host{number}", 0)
    assert len(failures.times) == REMEMBERED
    assert "host0" not in failures.times
