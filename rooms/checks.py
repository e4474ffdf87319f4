"""System checks of the game."""

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from gateway import conf as gateway_conf
from gateway.checks import check_headroom
from rooms import conf
from rooms.wire import LIMITS


@register()
def check_settings(**_: Any) -> list[CheckMessage]:
    """``rooms.E001``: a key of ``ROOMS`` is unknown or its value can't be used."""
    return [Error(str(fault), hint=fault.hint, id="rooms.E001") for fault in conf.faults(conf.raw_settings())]


@register()
def check_limits(**_: Any) -> list[CheckMessage]:
    """``gateway.E002`` for this game: its limits must fit into the gateway's global budget."""
    try:
        inbound = gateway_conf.config().connection.inbound
    except ImproperlyConfigured:
        return []  # gateway.E001 says what is wrong
    return check_headroom(LIMITS, inbound)
