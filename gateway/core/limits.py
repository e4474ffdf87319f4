"""Limiters: how many requests are too many. Pure arithmetic on explicit time, constant memory per key.

`SlidingWindow` counts (spec 1.3), `TokenBucket` paces (spec 1.6), `ViolationWindows` tells a burst from
sustained abuse (spec 1.6), `KeyedWindows` and `KeyedBuckets` hold many of them and forget idle ones without
ever scanning. What is limited is said where they are used: ``inbound``, ``actions``, ``shield``, ``memory``.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

EVICTIONS_PER_TOUCH: Final = 2
"""A touch may bring one new key: looking at two old ones keeps dead keys from piling up."""
EVICTIONS_PER_SWEEP: Final = 1_000
"""A sweep finds what nobody's touch came to, a fraction of a millisecond of it at once."""
MAX_KEYS: Final = 100_000
"""Of one table, about 30 MB; beyond it the key that was used longest ago is forgotten, idle or not. A process
full of players (1,000 rooms of 50) that each used a command a minute ago has fewer."""


class SlidingWindow(Struct):
    """At most ``limit`` (one or more) requests in any ``window_s`` seconds, estimated from two fixed windows.

    The estimate is ``current + (1 - elapsed share) * previous``; a request is allowed while it is below the
    limit, and only allowed requests count: a denied one costs nothing, so a flooder stays pinned at the limit
    instead of locked out.
    """

    limit: int
    window_s: float
    index: int = 0
    current: int = 0
    previous: int = 0

    def allow(self, now: float) -> bool:
        """Count one request at ``now`` if it is within the limit.

        `estimate` is written out here: this line judges every frame.
        """
        elapsed = now / self.window_s - self.index
        if not 0.0 <= elapsed < 1.0:  # hardly ever: the window has passed
            self.touch(now)
            elapsed = max(0.0, now / self.window_s - self.index)
        if self.current + (1.0 - elapsed) * self.previous >= self.limit:
            return False
        self.current += 1
        return True

    def estimate(self, now: float) -> float:
        """The requests of the last window, as far as two counters can know."""
        elapsed = now / self.window_s - self.index
        if 0.0 <= elapsed < 1.0:  # nearly always: the window that is counted in
            return self.current + (1.0 - elapsed) * self.previous
        index = math.floor(now / self.window_s)
        ahead = index - self.index
        if ahead <= 0:
            # A clock that stepped back must not refill the budget: time stands still until it catches up.
            current, previous, elapsed = self.current, self.previous, 0.0
        elif ahead == 1:
            current, previous, elapsed = 0, self.current, now / self.window_s - index
        else:
            return 0.0
        return current + (1.0 - elapsed) * previous

    def retry_after(self, now: float) -> float:
        """Seconds until the first whole millisecond at which a request would be allowed; 0.0 if it is now."""
        if self.estimate(now) < self.limit:
            return 0.0
        self.touch(now)
        empty = (self.index + 2) * self.window_s
        return _first_millisecond(now, empty, lambda at: self.estimate(at) < self.limit)

    def idle(self, now: float) -> bool:
        """Whether nothing that was counted matters any more."""
        return math.floor(now / self.window_s) - self.index > 1

    def holds(self, now: float) -> bool:
        """Whether ``now`` is in the window that is counted in."""
        return 0.0 <= now / self.window_s - self.index < 1.0

    def touch(self, now: float) -> None:
        """Turn to the window of ``now``: what was counted in it, and in the one before, is not idle."""
        ahead = math.floor(now / self.window_s) - self.index
        if ahead > 0:
            self.previous = self.current if ahead == 1 else 0
            self.current = 0
            self.index += ahead


class TokenBucket(Struct):
    """``rate`` tokens per second up to ``capacity``; refilled when looked at, never by a timer."""

    capacity: float
    rate: float
    tokens: float
    updated: float

    @classmethod
    def full(cls, capacity: float, rate: float, now: float) -> "TokenBucket":
        """A bucket that nobody has drawn from."""
        return cls(capacity, rate, capacity, now)

    def level(self, now: float) -> float:
        """Tokens in the bucket at ``now``."""
        return min(self.capacity, self.tokens + max(0.0, now - self.updated) * self.rate)

    def take(self, now: float) -> bool:
        """Draw one token if there is a whole one."""
        level = self.level(now)
        if level < 1:
            return False
        self.tokens, self.updated = level - 1, max(now, self.updated)
        return True

    def retry_after(self, now: float) -> float:
        """Seconds until the first whole millisecond at which there is a token; 0.0 if it is now."""
        refilled = max(now, self.updated) + 1 / self.rate
        return _first_millisecond(now, refilled, lambda at: self.level(at) >= 1)

    def idle(self, now: float) -> bool:
        """Whether the bucket is full again."""
        return self.level(now) >= self.capacity


VIOLATION_WINDOW_S: Final = 10.0
VIOLATIONS_TO_CLOSE: Final = 3
"""Consecutive windows: a burst, a bad minute on a train or one runaway render costs no session."""


class ViolationWindows(Struct):
    """Drops grouped in windows that follow back to back from the first drop (spec 1.6).

    ``streak`` is the number of consecutive windows, up to the current one, that saw a drop; a clean window
    resets it.
    """

    start: float | None = None
    streak: int = 0

    def drop(self, now: float) -> bool:
        """Count a dropped frame. True if it begins an episode: nothing, or a clean window, came before."""
        if self.start is None or (passed := (now - self.start) // VIOLATION_WINDOW_S) > 1:
            self.start, self.streak = now, 1
            return True
        if passed == 1:
            self.start += VIOLATION_WINDOW_S
            self.streak += 1
        return False

    @property
    def sustained(self) -> bool:
        """Whether this is abuse and not an accident."""
        return self.streak >= VIOLATIONS_TO_CLOSE

    def pause(self, seconds: float) -> None:
        """Let time stand still for ``seconds``: the account had no connection."""
        if self.start is not None:
            self.start += seconds


class KeyedWindows(Struct):
    """One `SlidingWindow` per key; the dict is in the order in which they turned to the window they count
    in, so idle ones are in front.
    """

    windows: dict[str, SlidingWindow] = {}

    def window(self, key: str, limit: int, window_s: float, now: float) -> SlidingWindow:
        """The window of ``key``, made if it is new."""
        window = self.windows.get(key)
        if window is not None and window.holds(now):
            return window
        window = self.windows.pop(key, None) or SlidingWindow(limit, window_s)
        # A command may ask for several keys before it charges one: untouched, the first would look idle.
        window.touch(now)
        _evict(self.windows, now, EVICTIONS_PER_TOUCH)
        self.windows[key] = window
        return window

    def forget(self, now: float) -> None:
        """Drop idle ones in front: once a crowd has gone home, nobody's touch does."""
        _evict(self.windows, now, EVICTIONS_PER_SWEEP)

    def pass_on(self, old: str, new: str, now: float) -> None:
        """What was counted for ``old`` counts for ``new`` from now on; of two the fuller window stays."""
        window, known = self.windows.pop(old, None), self.windows.get(new)
        if window is not None and (known is None or known.estimate(now) < window.estimate(now)):
            window.touch(now)
            self.windows.pop(new, None)
            self.windows[new] = window


class KeyedBuckets(Struct):
    """One `TokenBucket` per key, in order of last use."""

    capacity: float
    rate: float
    buckets: dict[str, TokenBucket] = {}

    def bucket(self, key: str, now: float) -> TokenBucket:
        """The bucket of ``key``, full if it is new."""
        bucket = self.buckets.pop(key, None) or TokenBucket.full(self.capacity, self.rate, now)
        _evict(self.buckets, now, EVICTIONS_PER_TOUCH)
        self.buckets[key] = bucket
        return bucket


def _first_millisecond(now: float, latest: float, free: Callable[[float], bool]) -> float:
    """Seconds to the first whole millisecond at which ``free`` holds, as it does from ``latest`` on.

    Searched, not solved: so it is exact in the very arithmetic that will judge the request, whose noise may
    carry it one step past ``latest``.
    """
    if free(now):
        return 0.0
    milliseconds = range(math.ceil((latest - now) * 1000) + 1)
    return bisect_left(milliseconds, True, key=lambda wait: free(now + wait / 1000)) / 1000


def _evict(table: dict[str, Any], now: float, at_most: int) -> None:
    for _ in range(at_most):
        oldest = next(iter(table), None)
        if oldest is None or not (len(table) >= MAX_KEYS or table[oldest].idle(now)):
            return
        del table[oldest]
