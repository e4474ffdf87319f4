"""The gateway's settings: the one dict ``GATEWAY`` of the Django settings, typed, with every default in one
place.

Settings carry their unit in the name (``_MS``, ``_BYTES``), the cores count in seconds: `config` converts.
Unknown keys and impossible values are reported by ``manage.py check`` (``gateway.checks``) with the key's
name and what to write instead.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import import_string
from msgspec import Meta, Struct

from gateway.core.address import Network, parse_networks
from gateway.core.admission import CapsPolicy
from gateway.core.connection import ConnectionPolicy
from gateway.core.heartbeat import HeartbeatPolicy
from gateway.core.inbound import TRANSPORT_MAX_BYTES, InboundPolicy
from gateway.core.origin import Origin, parse_origin
from gateway.core.outbox import WRITE_THROUGH_BYTES, OutboundPolicy

Positive = Annotated[int, Meta(ge=1)]


class Keys(Struct, frozen=True, forbid_unknown_fields=True, rename=str.upper):
    """Every key of ``GATEWAY`` with its default; the texts are printed into the documentation."""

    allowed_origins: tuple[str, ...] = ()
    """Origins beside the site's own that may open sockets, as ``https://host[:port]``."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks (CIDR) whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are believed. Empty: nobody's."""
    blocked_networks: tuple[str, ...] = ()
    """Networks (CIDR) that may not open sockets at all."""
    heartbeat_interval_ms: Positive = 7000
    """From one ping to the next."""
    heartbeat_timeout_ms: Positive = 4000
    """How long an answer may take before it counts as missed; shorter than the interval."""
    heartbeat_max_missed: Positive = 2
    """Missed answers in a row after which a socket is dead."""
    max_websocket_message_bytes: Annotated[int, Meta(ge=1024, le=TRANSPORT_MAX_BYTES)] = 131_072
    """At most what the transports let through, so that the application can answer."""
    max_buffered_bytes: Annotated[int, Meta(ge=WRITE_THROUGH_BYTES)] = 1_048_576
    """Unread bytes at which a socket is given up."""
    inbound_limiter: Literal["sliding_window", "token_bucket"] = "sliding_window"
    """How a connection's messages are budgeted: 150 in 10 s, or a bucket of 120 refilled with 60 a second."""
    session_cap: Positive = 3
    """Open sockets of one browser session."""
    ip_cap: Positive = 55
    """Open sockets of one address (IPv6: of one /64)."""
    unknown_ip_cap: Positive = 75
    """Open sockets of all clients whose address is not known."""
    ip_caps: dict[str, Positive] = {}
    """Other caps for networks (CIDR) that hold more people than a classroom."""
    metrics_token: str = ""
    """Whoever sends it as ``Authorization: Bearer`` may read ``/metrics``. Empty: no token opens it."""
    metrics_networks: tuple[str, ...] = ()
    """Networks (CIDR) whose clients may read ``/metrics`` without one; site staff always may."""
    shield: str = "gateway.shield.LocalShield"
    """The class that decides about upgrades (`gateway.shield.ShieldBackend`)."""
    shield_mode: Literal["dry_run", "live"] = "dry_run"
    """``dry_run`` logs and counts what the shield would refuse, ``live`` refuses it."""


class Config(Struct, frozen=True):
    """The settings, as the gateway uses them."""

    keys: Keys
    origins: frozenset[Origin]
    trusted: tuple[Network, ...]
    blocked: tuple[Network, ...]
    scrapers: tuple[Network, ...]
    ip_caps: tuple[tuple[Network, int], ...]
    connection: ConnectionPolicy
    caps: CapsPolicy


class SettingError(ValueError):
    """One key of a settings dict, or (None) the whole of it, cannot be used; ``hint`` says what to write."""

    def __init__(self, setting: str, key: str | None, message: str, hint: str) -> None:
        super().__init__(f"{setting}: {message}" if key is None else f"{setting}[{key!r}]: {message}")
        self.hint = hint


def dict_fault(setting: str, raw: object) -> SettingError | None:
    """What is wrong with a settings dict that is none, or whose keys are no names."""
    if not isinstance(raw, Mapping):
        return SettingError(setting, None, f"{raw!r} is not a dict.", "Write a dict: {'KEY': value}.")
    odd = next((key for key in raw if not isinstance(key, str)), None)
    if odd is not None:
        return SettingError(setting, None, f"the key {odd!r} is not a text.", "Write the keys in quotes.")
    return None


def shape_fault(setting: str, keys: type[Struct], key: str, value: Any) -> SettingError | None:
    """What is wrong with one key of the dict ``setting``, as far as ``keys``, its typed form, can tell."""
    try:
        msgspec.convert({key: value}, keys, strict=True)
    except msgspec.ValidationError as error:
        known = [field.encode_name for field in msgspec.structs.fields(keys)]
        hint = (
            f"Its values are described in {keys.__module__}."
            if key in known
            else f"Known keys: {', '.join(known)}."
        )
        return SettingError(setting, key, f"{value!r} cannot be used: {error}", hint)
    return None


def import_fault(setting: str, key: str, path: str) -> SettingError | None:
    """What is wrong with a key that names something to import, if it can't be."""
    try:
        import_string(path)
    except ImportError as error:
        return SettingError(
            setting, key, f"{error}.", "Write the dotted path of something that can be imported."
        )
    return None


def faults(raw: Mapping[str, Any]) -> list[SettingError]:
    """Everything that is wrong with ``raw``, key by key."""
    if fault := dict_fault("GATEWAY", raw):
        return [fault]
    found = [fault for key, value in raw.items() if (fault := _fault(key, value))]
    if not found:
        keys = msgspec.convert(dict(raw), Keys)
        if keys.heartbeat_timeout_ms >= keys.heartbeat_interval_ms:
            hint = f"Write less than HEARTBEAT_INTERVAL_MS ({keys.heartbeat_interval_ms})."
            message = f"{keys.heartbeat_timeout_ms} is too long"
            found.append(SettingError("GATEWAY", "HEARTBEAT_TIMEOUT_MS", message, hint))
    return found


def build(raw: Mapping[str, Any]) -> Config:
    """The configuration that ``raw`` asks for; raises `ImproperlyConfigured` with the first fault."""
    for fault in faults(raw):
        raise ImproperlyConfigured(f"{fault} {fault.hint}")
    keys = msgspec.convert(dict(raw), Keys)
    return Config(
        keys,
        frozenset(origin for text in keys.allowed_origins if (origin := parse_origin(text))),
        parse_networks(keys.trusted_proxies),
        parse_networks(keys.blocked_networks),
        parse_networks(keys.metrics_networks),
        tuple((network, cap) for text, cap in keys.ip_caps.items() for network in parse_networks([text])),
        ConnectionPolicy(
            HeartbeatPolicy(
                keys.heartbeat_interval_ms / 1000, keys.heartbeat_timeout_ms / 1000, keys.heartbeat_max_missed
            ),
            InboundPolicy(limiter=keys.inbound_limiter, max_message_bytes=keys.max_websocket_message_bytes),
            OutboundPolicy(max_buffered_bytes=keys.max_buffered_bytes),
        ),
        CapsPolicy(keys.session_cap, keys.ip_cap, keys.unknown_ip_cap),
    )


@cache
def config() -> Config:
    """The configuration of this process, built once (tests: ``override_settings`` resets it)."""
    return build(raw_settings())


def raw_settings() -> Mapping[str, Any]:
    """``settings.GATEWAY`` as it was written."""
    raw: Mapping[str, Any] = getattr(settings, "GATEWAY", {})
    return raw


def _fault(key: str, value: Any) -> SettingError | None:
    fault = shape_fault("GATEWAY", Keys, key, value)
    if fault is not None:
        return fault
    if key == "ALLOWED_ORIGINS":
        return next((_origin_fault(text) for text in value if parse_origin(text) is None), None)
    if key == "SHIELD":
        return import_fault("GATEWAY", key, value)
    if key in {"TRUSTED_PROXIES", "BLOCKED_NETWORKS", "METRICS_NETWORKS", "IP_CAPS"}:
        return next((fault for text in value if (fault := _network_fault(key, text))), None)
    return None


def _origin_fault(text: str) -> SettingError:
    hint = "Write scheme and host and nothing behind them, like 'https://quiz.example'."
    return SettingError("GATEWAY", "ALLOWED_ORIGINS", f"{text!r} is not an origin.", hint)


def _network_fault(key: str, text: str) -> SettingError | None:
    try:
        parse_networks([text])
    except ValueError as error:
        return SettingError(
            "GATEWAY", key, f"{error}.", "Write a network like '10.0.0.0/8' or '2001:db8::/32'."
        )
    return None


def _reset(*, setting: str, **_: Any) -> None:
    if setting == "GATEWAY":
        config.cache_clear()


setting_changed.connect(_reset, dispatch_uid="gateway.conf")
