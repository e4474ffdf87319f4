"""System checks of the gateway's settings: `manage.py check` names the key and what to write instead."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from gateway import conf
from gateway.contract import Budget, Per
from gateway.core.address import Network, parse_networks
from gateway.core.inbound import InboundPolicy

SUPPORTED_SERVERS: Final = ("uvicorn", "daphne")
TOKEN_MIN_CHARS: Final = 16
"""Sixteen random characters are about 95 bits."""


@register()
def check_settings(**_: Any) -> list[CheckMessage]:
    """``gateway.E001``: a key of ``GATEWAY`` is unknown or its value can't be used."""
    return [
        Error(str(fault), hint=fault.hint, id="gateway.E001") for fault in conf.faults(conf.raw_settings())
    ]


@register(deploy=True)
def check_server(**_: Any) -> list[CheckMessage]:
    """``gateway.W001``: none of the servers that have an adapter is installed (spec 1.8)."""
    if any(find_spec(server) for server in SUPPORTED_SERVERS):
        return []
    text = "No supported server is installed: slow readers cannot be reset and some close codes are lost."
    return [Warning(text, hint="Install uvicorn and start with 'manage.py serve'.", id="gateway.W001")]


@register(deploy=True)
def check_proxies(**_: Any) -> list[CheckMessage]:
    """``gateway.W002``, ``W003``: the site believes a proxy that the gateway does not, or it trusts all."""
    trusted = _trusted_proxies()
    found: list[CheckMessage] = []
    if settings.SECURE_PROXY_SSL_HEADER and not trusted:
        text = (
            "SECURE_PROXY_SSL_HEADER is set, but GATEWAY['TRUSTED_PROXIES'] is empty: behind the proxy all "
        )
        hint = "Put the address of the proxy, as the server sees it, into TRUSTED_PROXIES."
        found.append(Warning(text + "players share one address and its cap.", hint=hint, id="gateway.W002"))
    if any(network.prefixlen == 0 for network in trusted):
        text = "GATEWAY['TRUSTED_PROXIES'] trusts everybody: any client may claim any address."
        found.append(Warning(text, hint="List the proxies' own addresses.", id="gateway.W003"))
    return found


@register(deploy=True)
def check_doors(**_: Any) -> list[CheckMessage]:
    """``gateway.W004``, ``W005``: a token that can be guessed, a host name that anybody may choose."""
    found: list[CheckMessage] = []
    token = conf.raw_settings().get("METRICS_TOKEN", "") if _usable() else ""
    if 0 < len(token) < TOKEN_MIN_CHARS:
        text = f"GATEWAY['METRICS_TOKEN'] has {len(token)} characters: it can be guessed."
        hint = "Generate one: python3 -c 'import secrets; print(secrets.token_urlsafe())'"
        found.append(Warning(text, hint=hint, id="gateway.W004"))
    if "*" in settings.ALLOWED_HOSTS:
        text = "ALLOWED_HOSTS allows any name, so any page may open sockets here in its visitors' name."
        found.append(Warning(text, hint="List the names of this site.", id="gateway.W005"))
    return found


@register(deploy=True)
def check_sessions(**_: Any) -> list[CheckMessage]:
    """``gateway.W006``: a logout can't be seen where sessions are kept by the browsers alone (spec 1.7)."""
    if not settings.SESSION_ENGINE.endswith("signed_cookies"):
        return []
    text = "Sessions are kept in cookies alone: a socket whose session was logged out elsewhere stays open."
    hint = "Use a session engine that stores sessions, such as django.contrib.sessions.backends.db."
    return [Warning(text, hint=hint, id="gateway.W006")]


def check_headroom(limits: Mapping[str, tuple[Budget, ...]], inbound: InboundPolicy) -> list[CheckMessage]:
    """``gateway.E002``: the global budget must exceed what one busy honest client may send (spec 1.3,
    headroom rule).

    Counted are the actions that a game lets a client repeat within one window of the global budget, and its
    heartbeats. A game calls this from a system check of its own.
    """
    busy = inbound.heartbeats * inbound.window_s / inbound.heartbeat_window_s + sum(
        budget.limit
        for budgets in limits.values()
        for budget in budgets
        if budget.per is Per.USER and budget.window_s <= inbound.window_s
    )
    if busy < inbound.frames:
        return []
    text = (
        f"One busy client may send {busy:g} frames in {inbound.window_s:g} s, "
        f"the global budget allows only {inbound.frames}."
    )
    return [
        Error(text, hint="Raise the gateway's global budget or lower the game's limits.", id="gateway.E002")
    ]


def _usable() -> bool:
    """Whether the settings can be read at all; what can't is ``gateway.E001``'s business."""
    return not conf.faults(conf.raw_settings())


def _trusted_proxies() -> tuple[Network, ...]:
    return parse_networks(conf.raw_settings().get("TRUSTED_PROXIES", ())) if _usable() else ()
