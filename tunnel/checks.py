"""System checks of the relay's settings: ``tunnel.E0xx`` says the key and what to write instead."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from tunnel import conf

COOKIE_DOMAINS = ("SESSION_COOKIE_DOMAIN", "CSRF_COOKIE_DOMAIN", "LANGUAGE_COOKIE_DOMAIN")


@register()
def check_settings(**_: Any) -> list[CheckMessage]:
    """``tunnel.E001``: a key of ``TUNNEL`` is unknown or its value can't be used."""
    raw = conf.raw_settings()
    if raw is None:
        return []
    return [Error(str(fault), hint=fault.hint, id="tunnel.E001") for fault in conf.faults(raw)]


@register()
def check_cookies(**_: Any) -> list[CheckMessage]:
    """``tunnel.E002``: a cookie of the site would be sent to every peer."""
    base = _base_domain()
    wide = [
        name
        for name in COOKIE_DOMAINS
        if base and _covers((getattr(settings, name, None) or "").lower().lstrip("."), base)
    ]
    hint = "Leave it unset, or serve tunnels under a domain of their own."
    return [
        Error(
            f"{name} = {getattr(settings, name)!r} covers TUNNEL['BASE_DOMAIN'] = {base!r}.",
            hint=hint,
            id="tunnel.E002",
        )
        for name in wide
    ]


@register()
def check_hosts(**_: Any) -> list[CheckMessage]:
    """``tunnel.E003``: the site's own host is a peer's."""
    base = _base_domain()
    inside = [
        host for host in settings.ALLOWED_HOSTS if base and host.lower().lstrip(".").endswith(f".{base}")
    ]
    hint = "A host under the base domain never reaches the site: give the site another, or tunnels."
    return [
        Error(f"ALLOWED_HOSTS names {host!r}, which is a tunnel's host.", hint=hint, id="tunnel.E003")
        for host in inside
    ]


def _base_domain() -> str:
    try:
        return conf.config().keys.base_domain if conf.configured() else ""
    except ImproperlyConfigured:
        return ""  # tunnel.E001 says what is wrong


def _covers(domain: str, base: str) -> bool:
    return bool(domain) and (base == domain or base.endswith(f".{domain}"))
