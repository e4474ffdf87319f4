"""How much may be under way on a stream: the two sides of a window (spec 6.2).

A frame costs its length and 32: empty frames are not free. Credit is granted after the receiver has passed
the bytes on, so a visitor that does not read stops the target and nothing between them grows.
"""

from typing import Final

from msgspec import Struct

from tunnel.core.frames import MAX_WINDOW_BYTES, ProtocolError

FRAME_COST: Final = 32
GRANT_SHARE: Final = 4
"""Credit is granted a quarter of the window at a time: a grant for each frame would be one frame in two."""


def cost(payload: bytes) -> int:
    """What a DATA frame costs."""
    return len(payload) + FRAME_COST


class Outgoing(Struct):
    """What this end may still send."""

    available: int

    def room(self) -> int | None:
        """The largest payload that may go now; None if not even an empty frame may."""
        return None if self.available < FRAME_COST else self.available - FRAME_COST

    def spend(self, payload: bytes) -> None:
        """A frame goes; the caller has asked `room`."""
        self.available -= cost(payload)

    def grant(self, increment: int) -> None:
        """The other end has made room; raises `ProtocolError` beyond the largest window."""
        if self.available + increment > MAX_WINDOW_BYTES:
            raise ProtocolError(f"a credit of {increment} on top of {self.available}")
        self.available += increment


class Incoming(Struct):
    """What the other end may still send; ``owed`` is consumed and not granted again."""

    window: int
    available: int
    owed: int = 0

    @classmethod
    def fresh(cls, window: int) -> "Incoming":
        """A window that is all free."""
        return cls(window, window)

    def arrive(self, payload: bytes) -> None:
        """A frame is here; raises `ProtocolError` if it had no credit."""
        if cost(payload) > self.available:
            raise ProtocolError(f"a frame that costs {cost(payload)} with a credit of {self.available}")
        self.available -= cost(payload)

    def consume(self, amount: int) -> int:
        """So much has been passed on; returns what to grant now, 0 for nothing yet."""
        self.owed += amount
        if self.owed < self.window // GRANT_SHARE:
            return 0
        granted, self.owed = self.owed, 0
        self.available += granted
        return granted
