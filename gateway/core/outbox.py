"""What waits for a slow socket, what is dropped for it, and when it must go (spec 1.5).

A frame is written straight through while the transport takes it; else it waits here, in order. Order is never
changed: a critical frame pushes what pacing held back out in front of it. The outbox knows the transport only
as a number of bytes; ``gateway.core.connection`` makes writes of what it lets go.
"""

from typing import Final

from msgspec import Struct

from gateway.contract import FrameClass
from gateway.core.limits import TokenBucket

WRITE_THROUGH_BYTES: Final = 65_536
"""At this much in the transport's own buffer frames wait here instead, where they can still be replaced."""


_CRITICAL: Final = FrameClass.CRITICAL
"""Bound once: a member of an enum is a slow thing to look up, and this one is with every frame."""


class OutboundPolicy(Struct, frozen=True):
    """``pressure_bytes`` is where droppable frames go, ``max_buffered_bytes`` where the socket goes."""

    pressure_bytes: int = 262_144
    max_buffered_bytes: int = 1_048_576
    paced_per_s: float = 60.0
    paced_burst: float = 120.0


class Waiting(Struct, frozen=True):
    """A frame that could not be written yet."""

    payload: bytes
    frame_class: FrameClass
    key: str | None


class Flushed(Struct, frozen=True):
    """Payloads to write now, in order. ``resync``: frames were lost, a fresh state must follow these."""

    payloads: tuple[bytes, ...] = ()
    resync: bool = False


class Outbox(Struct):
    """The waiting frames of one connection, and what it cost it to be slow.

    ``blocked``: the transport is full and will call back when it has emptied. ``held_until``: pacing holds
    the first waiting frame until then. ``lost``: a frame was replaced, the socket needs a fresh state.
    """

    policy: OutboundPolicy
    pace: TokenBucket
    waiting: list[Waiting] = []
    waiting_bytes: int = 0
    blocked: bool = False
    held_until: float | None = None
    lost: bool = False
    dropped: int = 0
    replaced: int = 0

    @classmethod
    def fresh(cls, policy: OutboundPolicy, now: float) -> "Outbox":
        """An outbox with nothing in it."""
        return cls(policy, TokenBucket.full(policy.paced_burst, policy.paced_per_s, now))

    def lets_through(self, frame_class: FrameClass, buffered: int) -> bool:
        """Whether `push` would hand the frame on and change nothing: true of nearly every frame, so the shell
        asks this first.
        """
        return (
            frame_class is _CRITICAL
            and buffered < WRITE_THROUGH_BYTES
            and not (self.blocked or self.waiting or self.lost)
        )

    def push(self, frame: Waiting, buffered: int, now: float) -> Flushed | None:
        """Accept ``frame``, with ``buffered`` bytes in the transport. None: over the cap, the socket ends."""
        pending = self.waiting_bytes + buffered
        if pending > self.policy.max_buffered_bytes:
            return None
        self.blocked = self.blocked or buffered >= WRITE_THROUGH_BYTES
        if frame.frame_class is FrameClass.DROPPABLE and not self._welcome(pending, now):
            self.dropped += 1
            return Flushed()
        if frame.frame_class is FrameClass.COALESCABLE:
            self._replace_older(frame)
            if not self.blocked and (self.waiting or not self.pace.take(now)):
                self._append(frame)
                self.held_until = now + self.pace.retry_after(now)
                return Flushed()
        if not (self.blocked or self.waiting or self.lost):
            return Flushed((frame.payload,))
        self._append(frame)
        return Flushed() if self.blocked else self._flush()

    def drained(self) -> Flushed:
        """The transport has emptied its buffer."""
        self.blocked = False
        return self._flush()

    def wake(self, now: float) -> Flushed:
        """A held frame may have its token now; early and late calls are harmless."""
        if self.blocked or self.held_until is None or not self.pace.take(now):
            return Flushed()
        return self._flush()

    def deadline(self) -> float | None:
        """When pacing lets the held frames go; a full transport calls back by itself."""
        return None if self.blocked else self.held_until

    def _welcome(self, pending: int, now: float) -> bool:
        return pending <= self.policy.pressure_bytes and self.pace.take(now)

    def _replace_older(self, frame: Waiting) -> None:
        """At most one frame of a key waits: the newest, at the end, where it contradicts nothing before it.

        A frame without a key replaces none.
        """
        if frame.key is None:
            return
        for index, older in enumerate(self.waiting):
            if older.frame_class is FrameClass.COALESCABLE and older.key == frame.key:
                del self.waiting[index]
                self.waiting_bytes -= len(older.payload)
                self.lost = True
                self.replaced += 1
                return

    def _append(self, frame: Waiting) -> None:
        self.waiting.append(frame)
        self.waiting_bytes += len(frame.payload)

    def _flush(self) -> Flushed:
        """All of it, in order: held frames are few (one a key), so they go without a token each.

        Not cut at `WRITE_THROUGH_BYTES`: a transport calls back only after it was full, so what stayed here
        although the transport has room would wait for ever.
        """
        payloads = tuple(frame.payload for frame in self.waiting)
        resync, self.lost = self.lost, False
        self.waiting, self.waiting_bytes, self.held_until = [], 0, None
        return Flushed(payloads, resync)
