"""The game's settings: the one dict ``ROOMS`` of the Django settings, typed, every default in one place."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from msgspec import Meta, Struct

from gateway.conf import Positive, SettingError, dict_fault, import_fault, shape_fault
from rooms.core import rules
from rooms.snapshots import SCHEMES

SHORTEST_MAX_AGE_S: Final = 120
"""Twice the time after which a snapshot is written although nothing changed."""
MOST_STEPS: Final = 10_000
"""More than anybody steps through, and still replayed in a second."""


class Keys(Struct, frozen=True, forbid_unknown_fields=True, rename=str.upper):
    """Every key of ``ROOMS`` with its default."""

    max_rooms: Positive = rules.MAX_ROOMS
    """Live rooms of this process at once."""
    room_max_players: Positive = rules.ROOM_MAX_PLAYERS
    """The most that a host may allow in one room."""
    name_filter: str | None = None
    """The path of a function that takes a clean name and says whether it is welcome; None welcomes all."""
    retention_days: Positive | None = 365
    """Games older than this are deleted by ``manage.py purge_games``; None keeps them for ever."""
    recorder_steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)] | None = 2000
    """What happened last in each live room is kept for the debugger, so much of it; None keeps nothing."""
    recorder_seconds: Positive = 300
    """What is older than this goes as soon as there is news."""
    recorder_room_bytes: Positive = 1_048_576
    """Memory for the recording of one room; one chunk of it is kept in any case."""
    recorder_total_bytes: Positive = 67_108_864
    """Memory for all recordings; when it is used up, new rooms are not recorded."""
    snapshot_store: str | None = None
    """Where rooms are kept for the next process: ``file:`` and a folder, or a URL of Redis; None: nowhere."""
    snapshot_max_age_s: Annotated[int, Meta(ge=SHORTEST_MAX_AGE_S)] = 600
    """Rooms that are older than this when a process starts are not restored: everybody has gone home."""


def faults(raw: Mapping[str, Any]) -> list[SettingError]:
    """Everything that is wrong with ``raw``, key by key."""
    if fault := dict_fault("ROOMS", raw):
        return [fault]
    return [fault for key, value in raw.items() if (fault := _fault(key, value))]


def _fault(key: str, value: Any) -> SettingError | None:
    fault = shape_fault("ROOMS", Keys, key, value)
    if fault is None and key == "NAME_FILTER" and value is not None:
        return import_fault("ROOMS", key, value)
    if fault is None and key == "SNAPSHOT_STORE" and value is not None and not value.startswith(SCHEMES):
        hint = f"Write one that begins with {', '.join(SCHEMES)}; None keeps nothing."
        return SettingError("ROOMS", key, f"{value!r} names no store.", hint)
    return fault


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
