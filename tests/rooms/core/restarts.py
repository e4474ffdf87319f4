"""A restart at the table: the room is saved and read back on another clock, and all sockets are gone."""

from rooms.core import snapshot
from rooms.core.effects import Restored
from tests.rooms.core.kit import Table

REBOOTED = 40.0
"""The monotonic clock of a machine that has just been started: no rule may compare it with the old one's."""


def restart(table: Table, now: float = REBOOTED, lost_s: float = 0.0) -> None:
    """The process ends and another takes the room over, on a clock that shows ``now``.

    ``lost_s`` has passed since the room was saved: it was not written again, because nothing happened to it.
    """
    data = snapshot.Packer().pack(table.room, table.now - lost_s)
    head = snapshot.unpack_head(snapshot.pack_head(table.now, wall=0.0))
    table.room = snapshot.unpack(data, head, now).room
    table.now = now
    table.dead |= table.inside.keys()
    table.inside = {}
    table.happens(Restored())
