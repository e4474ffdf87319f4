"""Where snapshots of live rooms are kept: one interface, a file or Redis (spec 2.3).

``rooms.core.snapshot`` knows what is in them, ``rooms.snapshots.keeper`` when they are written. Adding a
store: a module with the three calls of `Store`, a scheme in `store_at`, its name in the stores' conformance
test.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

FILE: Final = "file:"
REDIS: Final = ("redis://", "rediss://", "unix://")
SCHEMES: Final = (FILE, *REDIS)


class Store(Protocol):
    """Holds one snapshot: a head, and each room's bytes by its id. May wait; one thread at a time calls it.

    ``name`` tells people where that is, without a password.
    """

    name: str

    def read(self) -> tuple[bytes, Mapping[str, bytes]] | None:
        """The whole snapshot, None if there is none. Raises `UnreadableError` if it is none of ours."""

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        """Put this in its place, all or nothing; without rooms nothing is left."""

    def set_aside(self) -> str:
        """Move what is there out of the way, unread, and say where to."""


def store_at(place: str, identity: str, max_age_s: float) -> Store:
    """The store that ``place`` names: ``file:`` and a folder, or a URL of Redis.

    ``identity`` tells the rooms of one database from those of another in the same place.
    """
    if place.startswith(FILE):
        from rooms.snapshots.files import FileStore

        return FileStore(Path(place.removeprefix(FILE)) / f"rooms-{identity}.snapshot")
    if place.startswith(REDIS):
        from rooms.snapshots.redis import RedisStore

        return RedisStore(place, f"halyard:rooms:{identity}", max_age_s)
    raise ValueError(f"{place!r} names no store: it must begin with one of {', '.join(SCHEMES)}")
