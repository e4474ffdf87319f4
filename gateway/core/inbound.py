"""What a frame must pass before it is parsed: budget and size, steps 1 to 3 of spec 1.3.

The order is fixed and cheapest first; the guard answers with one `Verdict` and keeps no frame. Parsing is
next, in ``gateway.core.decoding``; what sustained abuse costs is decided for the whole account in
``gateway.core.hub``.
"""

import math
from typing import Any, Final, Literal

from msgspec import Struct

from gateway.core.limits import SlidingWindow, TokenBucket, ViolationWindows
from gateway.core.messages import Error, RateLimit

GLOBAL_ACTION: Final = "GLOBAL_WS_MESSAGE"
TRANSPORT_MAX_BYTES: Final = 1_048_576
"""What the transports let through: above any cap of ours, which can answer, below what hurts (spec 1.8)."""
HEARTBEAT_NAME: Final = b'"HEARTBEAT_RESPONSE"'
HEARTBEAT_MAX_BYTES: Final = 128
"""A heartbeat response is told by its size and its quoted name, without parsing it (spec 1.3)."""


class InboundPolicy(Struct, frozen=True):
    """Budgets and sizes of one connection; the defaults are spec 1.3 and 1.6."""

    limiter: Literal["sliding_window", "token_bucket"] = "sliding_window"
    frames: int = 150
    window_s: float = 10.0
    tokens_per_s: int = 60
    token_capacity: int = 120
    max_message_bytes: int = 131_072
    max_parsed_bytes: int = 10_000
    error_replies: int = 10
    """Replies to over-budget frames per window; the rest of a flood is only counted."""
    heartbeats: int = 30
    heartbeat_window_s: float = 30.0
    heartbeat_denials: int = 3
    """So many denied heartbeat responses in a row close the socket."""


class Passed(Struct, frozen=True):
    """Parse it. ``heartbeat_only``: uncharged, as it looks like a heartbeat response, so it must be one."""

    heartbeat_only: bool = False


class Dropped(Struct, frozen=True):
    """Over budget: not parsed, a violation. ``reply`` is None once the client has been told often enough."""

    reply: Error | RateLimit | None


class Refused(Struct, frozen=True):
    """Empty or too large. With ``fatal`` the socket closes after the reply."""

    reply: Error
    fatal: bool = False


Verdict = Passed | Dropped | Refused
PASSED: Final = Passed()
"""Of nearly every frame: one object, so that it can be told by its identity."""


class Inbound(Struct):
    """The guard of one connection."""

    policy: InboundPolicy
    window: SlidingWindow
    bucket: TokenBucket
    heartbeats: SlidingWindow
    episodes: ViolationWindows
    replies: int = 0
    replies_index: int = 0
    denied_heartbeats: int = 0
    dropped: int = 0
    """All frames of this connection that were dropped over budget: shown in the list of live connections."""

    @classmethod
    def fresh(cls, policy: InboundPolicy, now: float) -> "Inbound":
        """The guard of a connection that has sent nothing."""
        return cls(
            policy,
            SlidingWindow(policy.frames, policy.window_s),
            TokenBucket.full(policy.token_capacity, policy.tokens_per_s, now),
            SlidingWindow(policy.heartbeats, policy.heartbeat_window_s),
            ViolationWindows(),
        )

    def judge(self, data: bytes, now: float) -> Verdict:
        """Count the frame and say what becomes of it."""
        sliding = self.policy.limiter == "sliding_window"
        if not (self.window.allow(now) if sliding else self._draws_token(data, now)):
            return Passed(heartbeat_only=True) if _looks_like_heartbeat(data) else self.drop(now)
        size = len(data)
        if size > self.policy.max_message_bytes:
            return Refused(_too_large(size, self.policy.max_message_bytes), fatal=True)
        if not data:
            return Refused(Error("VALIDATION_ERROR", "The message is empty.", 400))
        if size > self.policy.max_parsed_bytes:
            return Refused(_too_large(size, self.policy.max_parsed_bytes))
        return PASSED

    def drop(self, now: float) -> Dropped:
        """Count a frame over budget, or one that passed as a heartbeat response and turned out to be none."""
        self.dropped += 1
        first = self.episodes.drop(now)
        if self.policy.limiter == "token_bucket":
            told = RateLimit(self.policy.tokens_per_s, self.policy.token_capacity)
            return Dropped(told if first else None)
        return Dropped(self._over_budget(now) if self._may_reply(now) else None)

    def heartbeat_allowed(self, now: float) -> bool:
        """Count a heartbeat response under its own limit."""
        allowed = self.heartbeats.allow(now)
        self.denied_heartbeats = 0 if allowed else self.denied_heartbeats + 1
        return allowed

    @property
    def heartbeat_abuse(self) -> bool:
        """Whether so many responses in a row were denied that the socket must go."""
        return self.denied_heartbeats >= self.policy.heartbeat_denials

    def _draws_token(self, data: bytes, now: float) -> bool:
        """The two limiters differ on purpose (spec 1.3): a bucket is never charged for what looks like a
        heartbeat, so that must be one.
        """
        return not _looks_like_heartbeat(data) and self.bucket.take(now)

    def _may_reply(self, now: float) -> bool:
        index = math.floor(now / self.policy.window_s)
        if index != self.replies_index:
            self.replies_index, self.replies = index, 0
        self.replies += 1
        return self.replies <= self.policy.error_replies

    def _over_budget(self, now: float) -> Error:
        return rate_limited("Too many messages", GLOBAL_ACTION, self.window.retry_after(now))


def _looks_like_heartbeat(data: bytes) -> bool:
    return len(data) <= HEARTBEAT_MAX_BYTES and HEARTBEAT_NAME in data


def rate_limited(message: str, action: str, retry_after: float) -> Error:
    """The error of every limiter; ``retry_after`` is in seconds."""
    details: dict[str, Any] = {"action": action, "retryAfter": retry_after}
    return Error("RATE_LIMIT_EXCEEDED", message, 429, details)


def _too_large(size: int, limit: int) -> Error:
    text = f"The message has {size} bytes, at most {limit} are allowed."
    return Error("MESSAGE_TOO_LARGE", text, 413)
