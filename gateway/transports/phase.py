"""Where a socket of `gateway.transports.framed` is in its life."""

from enum import Enum


class Phase(Enum):
    """Where a socket is. It only moves down this list."""

    HANDSHAKE = "handshake"
    OPEN = "open"
    ENDED = "ended"
    """How it ends is known; the connection has still to go."""
    GONE = "gone"
    """Nothing is asked of the connection any more: it is lost, or was reset."""
