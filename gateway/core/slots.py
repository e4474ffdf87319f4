"""One slot: an admitted attempt, later a socket, and the moves of its life.

Plain data with no rules about other slots; who replaces whom is decided in ``gateway.core.hub``.
"""

from enum import Enum

from msgspec import Struct

from gateway.contract import ConnId
from gateway.core.actions import Keys


class Stage(Enum):
    """Where a slot is in its life."""

    HANDSHAKE = "handshake"
    """Admitted, counted, not open yet."""
    CANCELLED = "cancelled"
    """Its handshake lost the race to a newer one for the same socket: it may not open."""
    OPEN = "open"
    REPLACED = "replaced"
    """A newer socket has taken its place and its count; its transport is being closed."""


LEGAL_MOVES = {
    Stage.HANDSHAKE: frozenset({Stage.OPEN, Stage.CANCELLED}),
    Stage.CANCELLED: frozenset[Stage](),
    Stage.OPEN: frozenset({Stage.REPLACED}),
    Stage.REPLACED: frozenset[Stage](),
}


class Slot(Struct):
    """``predecessor`` is the open socket that this handshake will replace, ``by_seat`` whether because it has
    the claimed seat (else it is the same tab's); ``successor`` is the pending handshake that will replace
    this socket.
    """

    conn_id: ConnId
    session: str
    address: str
    account: str
    client_id: str | None
    predecessor: ConnId | None = None
    by_seat: bool = False
    stage: Stage = Stage.HANDSHAKE
    successor: ConnId | None = None
    user_id: str | None = None
    keys: Keys | None = None
    """What its budgets count by, while that is known (`gateway.core.hub.Hub.keys`)."""

    @property
    def counted(self) -> bool:
        """Whether the counters hold this slot."""
        return self.stage is Stage.HANDSHAKE or (self.stage is Stage.OPEN and self.successor is None)

    def move(self, stage: Stage) -> None:
        """Go on to ``stage``; raises `ValueError` if there is no such move, and changes nothing then."""
        if stage not in LEGAL_MOVES[self.stage]:
            raise ValueError(f"a slot cannot go from {self.stage.value} to {stage.value}")
        self.stage = stage
