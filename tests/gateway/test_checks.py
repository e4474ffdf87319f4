"""gateway.checks: what ``manage.py check`` says of the settings, and ``check --deploy`` of a public site."""

from typing import Any

import pytest
from django.core.checks import CheckMessage
from django.test import override_settings

from gateway import checks
from gateway.conf import Keys

DEPLOY = (checks.check_server, checks.check_proxies, checks.check_doors, checks.check_sessions)


def said(**settings: Any) -> dict[str, CheckMessage]:
    """All messages by id, with these Django settings."""
    with override_settings(**settings):
        found = [*checks.check_settings(), *(message for check in DEPLOY for message in check())]
    return {str(message.id): message for message in found}


def test_the_defaults_are_fine_to_deploy() -> None:
    """A warning that everybody gets is read by nobody."""
    assert said(GATEWAY={}) == {}


@pytest.mark.parametrize("key", [name.upper() for name in Keys.__struct_fields__])
def test_every_key_refuses_what_it_cannot_use_and_says_what_to_write(key: str) -> None:
    """An object of nobody's type fits no key."""
    message = said(GATEWAY={key: object()})["gateway.E001"]
    assert key in message.msg
    assert message.hint


def test_a_key_that_does_not_exist_is_named_with_those_that_do() -> None:
    """A slip of the pen is no setting."""
    message = said(GATEWAY={"TRUSTED_PROXY": []})["gateway.E001"]
    assert "TRUSTED_PROXY" in message.msg
    assert "TRUSTED_PROXIES" in str(message.hint)


@pytest.mark.parametrize(
    ("number", "settings"),
    [
        ("W002", {"SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"), "GATEWAY": {}}),
        ("W003", {"GATEWAY": {"TRUSTED_PROXIES": ["10.0.0.0/8", "0.0.0.0/0"]}}),
        ("W004", {"GATEWAY": {"METRICS_TOKEN": "secret"}}),
        ("W005", {"GATEWAY": {}, "ALLOWED_HOSTS": ["*"]}),
        ("W006", {"GATEWAY": {}, "SESSION_ENGINE": "django.contrib.sessions.backends.signed_cookies"}),
    ],
)
def test_a_site_that_is_open_to_more_than_it_means_is_warned(number: str, settings: dict[str, Any]) -> None:
    """Once, with what to do."""
    found = said(**settings)
    assert set(found) == {f"gateway.{number}"}
    assert found[f"gateway.{number}"].hint


def test_a_proxy_that_both_believe_is_no_warning() -> None:
    """The header and the list belong together."""
    header = ("HTTP_X_FORWARDED_PROTO", "https")
    assert said(SECURE_PROXY_SSL_HEADER=header, GATEWAY={"TRUSTED_PROXIES": ["127.0.0.1"]}) == {}


def test_settings_that_cannot_be_read_are_one_error_and_no_traceback() -> None:
    """The checks that read on leave it at that."""
    assert set(said(GATEWAY={"TRUSTED_PROXIES": ["nonsense"], "METRICS_TOKEN": 3})) == {"gateway.E001"}
