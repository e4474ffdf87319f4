"""The game's settings: the one dict ``ROOMS`` of the Django settings, typed, every default in one place."""

from collections.abc import Mapping
from typing import Any

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from msgspec import Struct

from gateway.conf import Positive, SettingError, shape_fault
from rooms.core import rules


class Keys(Struct, frozen=True, forbid_unknown_fields=True, rename=str.upper):
    """Every key of ``ROOMS`` with its default."""

    max_rooms: Positive = rules.MAX_ROOMS
    """Live rooms of this process at once."""
    room_max_players: Positive = rules.ROOM_MAX_PLAYERS
    """The most that a host may allow in one room."""
    retention_days: Positive | None = 365
    """Games older than this are deleted by ``manage.py purge_games``; None keeps them for ever."""


def faults(raw: Mapping[str, Any]) -> list[SettingError]:
    """Everything that is wrong with ``raw``, key by key."""
    return [fault for key, value in raw.items() if (fault := shape_fault("ROOMS", Keys, key, value))]


def config() -> Keys:
    """The settings of this process; raises `ImproperlyConfigured` with the first fault."""
    raw = raw_settings()
    for fault in faults(raw):
        raise ImproperlyConfigured(f"{fault} {fault.hint}")
    return msgspec.convert(dict(raw), Keys)


def raw_settings() -> Mapping[str, Any]:
    """``settings.ROOMS`` as it was written."""
    raw: Mapping[str, Any] = getattr(settings, "ROOMS", {})
    return raw
