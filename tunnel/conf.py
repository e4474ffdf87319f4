"""The relay's settings: the one dict ``TUNNEL`` of the Django settings, typed, every default in one place.

None, or no such setting, means that there is no relay here: nothing of it is loaded. Unknown keys and
impossible values are reported by ``manage.py check`` (``tunnel.checks``). The client has no settings: it is
told everything on its command line.
"""

import ipaddress
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from msgspec import Meta, Struct

from tunnel.core.address import Network
from tunnel.core.hosts import LABEL, HostPolicy

Positive = Annotated[int, Meta(ge=1)]


class Keys(Struct, frozen=True, forbid_unknown_fields=True, rename=str.upper):
    """Every key of ``TUNNEL`` with its default."""

    base_domain: str = ""
    """With ``t.example.net`` the peer ``preview`` is ``preview.t.example.net``. Empty: no peer has a host."""
    path_routing: bool = False
    """Serve ``/_bifrost/<name>/…`` of the site too. Peers then share its origin: only for what you trust."""
    default_peer: bool = False
    """The base domain itself belongs to the peer ``default``."""
    reserved_names: tuple[str, ...] = ("www", "admin", "mail", "static")
    """Names that no peer may have."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks (CIDR) whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are believed."""
    max_requests: Positive = 256
    """Requests in flight of one peer; one more gets 429."""
    max_sockets: Positive = 1024
    """Open WebSockets of one peer; they last, so they do not count as requests in flight."""
    max_body_bytes: Positive = 10_485_760
    """A longer request body gets 413 while it is still arriving."""
    head_timeout_ms: Positive = 30_000
    """How long a response may take to begin (504), and a visitor between two pieces of a body (408)."""
    ping_interval_ms: Positive = 15_000
    """From one ping of a peer to the next."""
    dead_after_ms: Positive = 40_000
    """A peer from which no frame came for so long is gone."""


class Config(Struct, frozen=True):
    """The settings, as the relay uses them."""

    keys: Keys
    hosts: HostPolicy
    trusted: tuple[Network, ...]

    @property
    def serves(self) -> bool:
        """Whether any request could reach a peer; else the endpoint refuses (fail closed)."""
        return bool(self.keys.base_domain or self.keys.path_routing)


class SettingError(ValueError):
    """One key cannot be used; ``hint`` says what to write instead."""

    def __init__(self, key: str, message: str, hint: str) -> None:
        super().__init__(f"TUNNEL[{key!r}]: {message}")
        self.hint = hint


def configured() -> bool:
    """Whether this project is a relay."""
    return raw_settings() is not None


def raw_settings() -> Mapping[str, Any] | None:
    """``settings.TUNNEL`` as it was written."""
    raw: Mapping[str, Any] | None = getattr(settings, "TUNNEL", None)
    return raw


def faults(raw: Mapping[str, Any]) -> list[SettingError]:
    """Everything that is wrong with ``raw``, key by key."""
    return [fault for key, value in raw.items() if (fault := _fault(key, value))]


def build(raw: Mapping[str, Any]) -> Config:
    """The configuration that ``raw`` asks for; raises `ImproperlyConfigured` with the first fault."""
    for fault in faults(raw):
        raise ImproperlyConfigured(f"{fault} {fault.hint}")
    keys = msgspec.convert(dict(raw), Keys)
    policy = HostPolicy(keys.base_domain, frozenset(keys.reserved_names), keys.default_peer)
    return Config(keys, policy, tuple(ipaddress.ip_network(text) for text in keys.trusted_proxies))


@cache
def config() -> Config:
    """The configuration of this process; an error where there is no relay."""
    raw = raw_settings()
    if raw is None:
        raise ImproperlyConfigured("TUNNEL is not set: there is no relay here")
    return build(raw)


def _fault(key: str, value: Any) -> SettingError | None:
    try:
        msgspec.convert({key: value}, Keys, strict=True)
    except msgspec.ValidationError as error:
        known = ", ".join(field.encode_name for field in msgspec.structs.fields(Keys))
        return SettingError(key, f"{value!r} cannot be used: {error}", f"Known keys: {known}.")
    if key == "BASE_DOMAIN" and value and not all(map(LABEL.fullmatch, value.split("."))):
        return SettingError(
            key, f"{value!r} is no domain.", "Write it in lower case, without port and dots around it."
        )
    if key == "TRUSTED_PROXIES":
        return next((fault for text in value if (fault := _network_fault(text))), None)
    return None


def _network_fault(text: str) -> SettingError | None:
    try:
        ipaddress.ip_network(text)
    except ValueError as error:
        return SettingError("TRUSTED_PROXIES", f"{error}.", "Write a network like '10.0.0.0/8'.")
    return None


def _reset(*, setting: str, **_: Any) -> None:
    if setting == "TUNNEL":
        config.cache_clear()


setting_changed.connect(_reset, dispatch_uid="tunnel.conf")
