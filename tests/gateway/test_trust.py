"""What a site vouches for: signed, for one account, for a school day (spec 3, SESSION_TRUST_CONTEXT)."""

import pytest
from django.core import signing

from gateway.contract import ClientError, TrustContext
from gateway.trust import MAX_AGE_S, SALT, issue, verify

ANA = TrustContext(account="user:7", name="Ana", locale="de", tier="teacher")


def test_a_token_of_the_site_brings_back_what_it_vouched_for() -> None:
    """Account, name, locale and tier, as they were signed."""
    assert verify(issue(ANA), "user:7") == ANA


@pytest.mark.parametrize(
    "token",
    ["", "nonsense", issue(ANA)[:-1] + "x", signing.dumps({"account": "user:7"}, salt="another purpose")],
    ids=["none", "noise", "changed", "another purpose"],
)
def test_a_token_that_the_site_did_not_sign_for_this_is_refused(token: str) -> None:
    """A changed one, one of another purpose, and noise alike."""
    with pytest.raises(ClientError) as refused:
        verify(token, "user:7")
    assert (refused.value.code, refused.value.details) == ("VALIDATION_ERROR", {"path": "$.token"})


def test_a_signed_token_of_another_shape_is_refused() -> None:
    """An older version of the site may have signed other fields."""
    with pytest.raises(ClientError):
        verify(signing.dumps({"account": "user:7", "admin": True}, salt=SALT), "user:7")


def test_another_accounts_token_is_refused() -> None:
    """A stolen token is worth nothing in another session."""
    with pytest.raises(ClientError, match="another account"):
        verify(issue(ANA), "user:8")


def test_a_token_is_good_for_a_school_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page may stay open that long, and no longer."""
    token = issue(ANA)
    made_at = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: made_at + MAX_AGE_S - 1)
    assert verify(token, "user:7") == ANA
    monkeypatch.setattr(signing.time, "time", lambda: made_at + MAX_AGE_S + 1)
    with pytest.raises(ClientError, match="not valid any more"):
        verify(token, "user:7")
