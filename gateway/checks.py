"""System checks of the gateway's settings: `manage.py check` names the key and what to write instead."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from django.core.checks import CheckMessage, Error, Warning, register

from gateway import conf
from gateway.contract import Budget, Per
from gateway.core.inbound import InboundPolicy

SUPPORTED_SERVERS: Final = ("uvicorn", "daphne")


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
