"""The settings dict ``GATEWAY``: typed, complete, and clear about what is wrong with it."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import override_settings

from gateway import checks, conf
from gateway.checks import check_headroom
from gateway.contract import Budget
from gateway.core.inbound import InboundPolicy


def test_the_defaults_are_the_numbers_of_the_protocol() -> None:
    """An empty dict is a complete configuration (spec 1.3, 1.4, 1.5)."""
    config = conf.build({})
    assert config.connection.heartbeat.interval_s == 7
    assert config.connection.heartbeat.timeout_s == 4
    assert config.connection.inbound.max_message_bytes == 131_072
    assert config.connection.outbound.max_buffered_bytes == 1_048_576
    assert (config.caps.per_session, config.caps.per_address, config.caps.unknown_address) == (3, 55, 75)


def test_settings_count_in_milliseconds_and_the_core_in_seconds() -> None:
    """The unit is in the key's name."""
    assert conf.build({"HEARTBEAT_INTERVAL_MS": 9500}).connection.heartbeat.interval_s == 9.5


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ({"HEARTBEAT_INTERVALL_MS": 7000}, "HEARTBEAT_INTERVALL_MS"),
        ({"SESSION_CAP": 0}, "SESSION_CAP"),
        ({"SESSION_CAP": "3"}, "SESSION_CAP"),
        ({"SHIELD_MODE": "on"}, "SHIELD_MODE"),
        ({"SHIELD": "gateway.shield.NoSuchShield"}, "NoSuchShield"),
        ({"MAX_WEBSOCKET_MESSAGE_BYTES": 2_097_152}, "MAX_WEBSOCKET_MESSAGE_BYTES"),
        ({"MAX_BUFFERED_BYTES": 100}, "MAX_BUFFERED_BYTES"),
        ({"ALLOWED_ORIGINS": ["https://quiz.example/"]}, "https://quiz.example/"),
        ({"TRUSTED_PROXIES": ["10.0.0.1/8"]}, "10.0.0.1/8"),
        ({"BLOCKED_NETWORKS": ["everybody"]}, "everybody"),
        ({"IP_CAPS": {"school": 200}}, "school"),
        ({"HEARTBEAT_TIMEOUT_MS": 7000}, "HEARTBEAT_TIMEOUT_MS"),
    ],
)
def test_what_cannot_be_used_is_named_with_a_hint(raw: dict[str, object], named: str) -> None:
    """The key or the value stands in the message; the process does not start with it."""
    faults = conf.faults(raw)
    assert len(faults) == 1
    assert named in str(faults[0])
    assert faults[0].hint.endswith(".")
    with pytest.raises(ImproperlyConfigured, match="GATEWAY"):
        conf.build(raw)


@pytest.mark.parametrize(
    ("raw", "named"), [([1], "[1] is not a dict"), (None, "None is not a dict"), ({1: 2}, "the key 1 is")]
)
@pytest.mark.parametrize(("setting", "number"), [("GATEWAY", "gateway.E001"), ("ROOMS", "rooms.E001")])
def test_a_setting_that_is_no_dict_of_names_is_reported_and_not_tripped_over(
    setting: str, number: str, raw: object, named: str
) -> None:
    """By the check of its app, with the value; the process does not start with it either."""
    with (
        override_settings(**{setting: raw}),
        pytest.raises(SystemCheckError, match=re.escape(f"({number}) {setting}: {named}")),
    ):
        call_command("check")
    with pytest.raises(ImproperlyConfigured, match=re.escape(named)):
        conf.build(raw)  # type: ignore[arg-type]


def test_all_faults_are_reported_at_once() -> None:
    """Nobody wants to mend one, start again and meet the next."""
    assert len(conf.faults({"SESSION_CAP": 0, "IP_CAP": -1, "NO_SUCH_KEY": 1})) == 3


def test_manage_check_reports_a_fault() -> None:
    """As ``gateway.E001``, where Django people look for it."""
    with (
        override_settings(GATEWAY={"SESSION_CAP": 0}),
        pytest.raises(SystemCheckError, match=r"gateway\.E001.*SESSION_CAP"),
    ):
        call_command("check")


def test_the_configuration_follows_override_settings() -> None:
    """Tests of projects must be able to change a key."""
    with override_settings(GATEWAY={"SESSION_CAP": 7}):
        assert conf.config().caps.per_session == 7
    assert conf.config().caps.per_session == 3


def test_a_game_whose_limits_exceed_the_global_budget_is_an_error() -> None:
    """A busy honest client would be taken for a flooder (spec 1.3): 140 + 10 heartbeats are not below 150."""
    assert check_headroom({"A": (Budget(139, 10),)}, InboundPolicy()) == []
    errors = check_headroom({"A": (Budget(140, 10),)}, InboundPolicy())
    assert [error.id for error in errors] == ["gateway.E002"]


def test_a_site_without_a_supported_server_is_warned_at_deploy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost is said before the first slow reader shows it."""
    assert checks.check_server() == []
    monkeypatch.setattr(checks, "SUPPORTED_SERVERS", ("hypercorn_is_not_installed_here",))
    assert [warning.id for warning in checks.check_server()] == ["gateway.W001"]
