"""The flight recorder of this process, as the settings want it.

What is kept and how it is played again is in ``rooms.core.recording``.
"""

from rooms import conf
from rooms.core.recording import Bounds, Recorder


def recorder() -> Recorder | None:
    """A recorder as the settings want it; None if they want none."""
    keys = conf.config()
    if keys.recorder_steps is None:
        return None
    bounds = Bounds(
        keys.recorder_steps, keys.recorder_seconds, keys.recorder_room_bytes, keys.recorder_total_bytes
    )
    return Recorder(bounds)
