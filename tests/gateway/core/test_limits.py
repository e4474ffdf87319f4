"""Limiters: the sliding window against formula and independent library, buckets, violations, tables."""

import random
from types import SimpleNamespace

import limits.storage.memory
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from gateway.core.limits import (
    EVICTIONS_PER_SWEEP,
    KeyedBuckets,
    KeyedWindows,
    SlidingWindow,
    TokenBucket,
    ViolationWindows,
)
from tests.gateway.core.vocabulary import MS, reloaded

W = 10.0


def allowed(window: SlidingWindow, times: int, now: float) -> int:
    """How many of so many requests at one instant pass."""
    return sum(window.allow(now) for _ in range(times))


# ---------- the sliding window


@pytest.mark.parametrize(
    ("previous", "current", "elapsed", "estimate"),
    [(0, 0, 0.0, 0.0), (0, 7, 5.0, 7.0), (40, 0, 0.0, 40.0), (40, 10, 2.5, 40.0), (40, 10, 7.5, 20.0)],
)
def test_the_estimate_weighs_the_previous_window_by_what_is_left_of_it(
    previous: int, current: int, elapsed: float, estimate: float
) -> None:
    """n(t) = c + (1 - (t - s) / W) * p."""
    window = SlidingWindow(50, W, index=3, current=current, previous=previous)
    assert window.estimate(3 * W + elapsed) == estimate


@pytest.mark.parametrize(("gap", "carried"), [(0, 30.0), (1, 30.0), (2, 0.0), (100, 0.0)])
def test_only_the_window_just_before_counts(gap: int, carried: float) -> None:
    """p carries over only if exactly one window has passed."""
    window = SlidingWindow(50, W)
    allowed(window, 30, 20.0)
    assert window.estimate(20.0 + gap * W) == carried
    window.touch(20.0 + gap * W)
    assert window.estimate(20.0 + gap * W) == carried


def test_the_limit_is_the_last_request_that_passes() -> None:
    """Allowed iff the estimate is below the limit: 160 at one instant are 150 and 10."""
    window = SlidingWindow(150, W)
    assert [window.allow(1000.0) for _ in range(160)] == [True] * 150 + [False] * 10


def test_a_denied_request_costs_nothing() -> None:
    """A flooder stays pinned at the limit: the estimate does not grow with what was refused."""
    window = SlidingWindow(5, W)
    allowed(window, 1000, 3.0)
    assert window.estimate(3.0) == 5.0


def test_a_burst_at_the_end_of_a_window_still_counts_at_the_start_of_the_next() -> None:
    """Fixed windows would let twice the limit through here."""
    window = SlidingWindow(50, W)
    assert allowed(window, 60, 9.999) == 50
    assert allowed(window, 60, 10.0) == 0
    assert allowed(window, 60, 15.0) == 25


@pytest.mark.parametrize(
    ("previous", "current", "elapsed", "wait"),
    [
        (0, 50, 0.0, 10.001),
        (0, 50, 9.5, 0.501),
        (50, 0, 0.0, 0.001),
        (50, 0, 0.0005, 0.0),
        (50, 1, 0.1, 0.101),
        (50, 1, 0.2, 0.001),
        (50, 1, 0.201, 0.0),
        (50, 10, 1.5, 0.501),
        (50, 25, 5.0, 0.001),
        (9, 49, 9.0, 0.0),
    ],
)
def test_the_wait_ends_in_the_first_millisecond_that_is_free(
    previous: int, current: int, elapsed: float, wait: float
) -> None:
    """Each request of the window before fades out a fiftieth of W into the next, and equal is full."""
    window = SlidingWindow(50, W, index=1, current=current, previous=previous)
    assert window.retry_after(W + elapsed) == wait


def test_a_clock_that_steps_back_refills_nothing() -> None:
    """Time stands still for the window until the clock has caught up (known failure C17)."""
    window = SlidingWindow(5, W)
    assert allowed(window, 9, 100.0) == 5
    assert allowed(window, 9, 40.0) == 0
    assert window.estimate(40.0) == 5.0
    assert window.index == 10


def test_the_previous_window_counts_in_full_before_its_successor_began() -> None:
    """A clock a little behind sees the start of the window, never more than all of the previous one."""
    window = SlidingWindow(50, W, index=4, current=1, previous=20)
    assert window.estimate(39.0) == 21.0


REQUESTS = st.lists(st.tuples(st.integers(0, 12_000), st.integers(1, 12)), min_size=1, max_size=40)


@given(st.integers(1, 20), st.sampled_from([1.0, 7.0, 10.0, 30.0, 60.0]), REQUESTS)
def test_no_window_ever_holds_more_than_the_limit(
    limit: int, window_s: float, requests: list[tuple[int, int]]
) -> None:
    """Whatever the schedule."""
    window, now_ms = SlidingWindow(limit, window_s), 0
    passed: list[int] = []
    for gap_ms, times in requests:
        now_ms += gap_ms
        passed += [now_ms] * allowed(window, times, now_ms / 1000)
    width = round(window_s * 1000)
    for first in passed:
        assert sum(1 for at in passed if at // width == first // width) <= limit


@given(st.integers(1, 200), st.sampled_from([1.0, 10.0, 30.0, 60.0]), REQUESTS, st.floats(0, 1e7))
def test_a_client_that_waits_as_told_is_let_in_and_not_a_millisecond_earlier(
    limit: int, window_s: float, requests: list[tuple[int, int]], start: float
) -> None:
    """retryAfter is exact, at any uptime of the machine."""
    window, now = SlidingWindow(limit, window_s), start
    for gap_ms, times in requests:
        now += gap_ms * MS
        allowed(window, times * 5, now)
        wait_ms = round(window.retry_after(now) * 1000)
        assert reloaded(window).allow(now + wait_ms / 1000)
        if wait_ms:
            assert not reloaded(window).allow(now + (wait_ms - 1) / 1000)


def test_asking_how_long_to_wait_changes_no_answer() -> None:
    """A question costs nothing, at whatever time it is asked."""
    asked, quiet, chance = SlidingWindow(7, W), SlidingWindow(7, W), random.Random(7)
    now = 0.0
    for _ in range(400):
        now += chance.choice([0.0, 0.3, 2.0, 11.0])
        asked.retry_after(now)
        assert asked.allow(now) == quiet.allow(now)


@pytest.mark.parametrize("seed", range(5))
def test_an_independent_library_agrees_at_each_of_400_steps(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The PyPI package `limits`, on our clock: the same verdict for quiet, busy and flooding stretches."""
    chance, now = random.Random(seed), 1_000_000.0
    monkeypatch.setattr(limits.storage.memory, "time", SimpleNamespace(time=lambda: now))
    reference = SlidingWindowCounterRateLimiter(MemoryStorage())
    item, ours = RateLimitItemPerSecond(5, 10), SlidingWindow(5, W)
    verdicts = []
    for _ in range(400):
        now = round(now + chance.choice([0.0, 0.0, 0.001, 0.173, 0.9, 2.5, chance.random() * 25]), 3)
        verdicts.append(ours.allow(now))
        assert reference.hit(item, "key") == verdicts[-1], now
    assert 100 < sum(verdicts) < 300


# ---------- the token bucket


def test_a_bucket_lets_its_burst_through_and_then_its_rate() -> None:
    """Defaults of spec 1.6: 120 at once, then 60 a second."""
    bucket = TokenBucket.full(120, 60.0, 5.0)
    assert sum(bucket.take(5.0) for _ in range(200)) == 120
    assert sum(bucket.take(6.0) for _ in range(200)) == 60
    assert sum(bucket.take(1000.0) for _ in range(200)) == 120


def test_a_token_is_whole_or_there_is_none() -> None:
    """Half a token is no token, and a denied request draws nothing."""
    bucket = TokenBucket(2.0, 1.0, 0.0, 0.0)
    assert [bucket.take(at) for at in (0.5, 0.75, 1.0, 1.5, 2.0)] == [False, False, True, False, True]


def test_a_bucket_is_not_refilled_by_a_clock_that_steps_back() -> None:
    """Neither at the step nor when the clock comes forward again."""
    bucket = TokenBucket.full(2, 1.0, 100.0)
    assert [bucket.take(100.0), bucket.take(50.0), bucket.take(50.0), bucket.take(100.0)] == [
        True,
        True,
        False,
        False,
    ]
    assert bucket.retry_after(50.0) == 51.0
    assert bucket.take(101.0)


@given(
    st.floats(1, 200), st.floats(0.05, 200), st.floats(0, 1e6), st.lists(st.integers(0, 3000), max_size=30)
)
def test_a_bucket_opens_in_the_millisecond_it_says(
    capacity: float, rate: float, start: float, gaps: list[int]
) -> None:
    """Exact as the window's: an alarm set to it finds a token and never spins."""
    bucket, now = TokenBucket.full(capacity, rate, start), start
    for gap_ms in gaps:
        now += gap_ms * MS
        while bucket.take(now):
            pass
        wait_ms = round(bucket.retry_after(now) * 1000)
        assert wait_ms >= 1
        assert reloaded(bucket).take(now + wait_ms / 1000)
        assert not reloaded(bucket).take(now + (wait_ms - 1) / 1000)


def test_a_bucket_with_a_token_opens_now() -> None:
    """No wait where none is needed."""
    assert TokenBucket.full(1, 0.5, 3.0).retry_after(3.0) == 0.0


# ---------- violation windows


def test_a_single_burst_is_one_window() -> None:
    """A thousand drops in ten seconds are one violation: the text of the spec, not its old sample code."""
    windows = ViolationWindows()
    assert [windows.drop(50.0 + drop / 100) for drop in range(1000)] == [True] + [False] * 999
    assert windows.streak == 1


@pytest.mark.parametrize(
    ("drops", "sustained"),
    [
        ([0, 10, 20], True),
        ([0, 19.5, 29.5], True),
        ([0, 9, 18, 27], True),
        ([0, 9, 19.999], False),
        ([0, 10, 30], False),
        ([0, 20, 40, 60], False),
        ([0, 10, 20, 41], False),
        ([0, 10, 20, 30, 40], True),
        ([5, 16, 25], True),
    ],
)
def test_the_third_window_in_a_row_with_a_drop_is_sustained_abuse(
    drops: list[float], sustained: bool
) -> None:
    """Windows follow back to back from the first drop; a clean one resets."""
    windows = ViolationWindows()
    for at in drops:
        windows.drop(at)
    assert windows.sustained is sustained


@given(st.integers(0, 10**9), st.lists(st.integers(50, 9_990), min_size=1))
def test_a_flooder_is_sustained_between_twenty_and_thirty_seconds_after_its_first_drop(
    start_ms: int, gaps: list[int]
) -> None:
    """With a drop in each window, whenever in it."""
    windows, now_ms, turn = ViolationWindows(), start_ms, 0
    windows.drop(now_ms / 1000)
    while not windows.sustained:
        now_ms += gaps[turn % len(gaps)]
        turn += 1
        windows.drop(now_ms / 1000)
    assert 19_999 <= now_ms - start_ms < 30_001


def test_an_episode_begins_with_nothing_or_a_clean_window_before_it() -> None:
    """So that the client is told once, and again after it had stopped."""
    windows = ViolationWindows()
    assert [windows.drop(at) for at in (0.0, 9.0, 19.0, 29.0, 45.0, 47.0, 66.0)] == [
        *(True, False, False, False),
        *(True, False, True),
    ]


def test_a_pause_does_not_count_as_clean_time() -> None:
    """An account without a connection drops nothing, and that is no merit."""
    windows = ViolationWindows()
    windows.drop(0.0)
    windows.drop(10.0)
    windows.pause(45.0)
    windows.drop(68.0)
    assert windows.sustained


def test_nothing_to_pause_is_nothing_to_do() -> None:
    """An account that never dropped a frame has no windows to move."""
    windows = ViolationWindows()
    windows.pause(5.0)
    assert windows == ViolationWindows()


# ---------- many keys


def test_keys_are_counted_apart() -> None:
    """One key's flood is no other's."""
    windows = KeyedWindows()
    assert allowed(windows.window("a", 2, W, 5.0), 9, 5.0) == 2
    assert allowed(windows.window("b", 2, W, 5.0), 9, 5.0) == 2
    assert allowed(windows.window("a", 2, W, 6.0), 9, 6.0) == 0
    buckets = KeyedBuckets(1, 1.0)
    assert [buckets.bucket(key, 5.0).take(5.0) for key in ("a", "b", "a")] == [True, True, False]


def test_a_window_that_was_asked_for_is_not_evicted_by_the_next_one_asked_for() -> None:
    """A command asks for all its keys before it charges any: a count on an evicted window would be lost."""
    windows = KeyedWindows()
    for now in (100.0, 200.0):
        first, second = windows.window("a", 5, W, now), windows.window("b", 5, W, now)
        assert windows.windows == {"a": first, "b": second}


def test_idle_keys_go_without_a_scan() -> None:
    """A key that is new, or counts in a new window, has two old ones looked at, and no more."""
    windows, buckets = KeyedWindows(), KeyedBuckets(1, 1.0)
    for visitor in range(100):
        windows.window(f"v{visitor}", 5, W, 5.0).allow(5.0)
        buckets.bucket(f"v{visitor}", 5.0).take(5.0)
    windows.window("v99", 5, W, 30.0)
    buckets.bucket("v99", 30.0)
    assert len(windows.windows) == len(buckets.buckets) == 98
    for turn in range(1, 50):
        windows.window("v99", 5, W, 30.0 + turn * W)
        buckets.bucket("v99", 30.0 + turn * W)
    assert list(windows.windows) == list(buckets.buckets) == ["v99"]


def test_once_nobody_comes_a_sweep_drops_what_is_idle_and_nothing_else() -> None:
    """No key is touched any more after a crowd has gone home."""
    windows = KeyedWindows()
    for visitor in range(100):
        windows.window(f"v{visitor}", 5, W, 5.0).allow(5.0)
    windows.window("late", 5, W, 15.0).allow(15.0)
    windows.forget(19.9)
    assert len(windows.windows) == 101
    windows.forget(20.0)
    assert list(windows.windows) == ["late"]


def test_a_sweep_takes_a_share_at_once() -> None:
    """A hundred thousand keys are no pause of the loop."""
    windows = KeyedWindows()
    for visitor in range(EVICTIONS_PER_SWEEP + 10):
        windows.window(f"v{visitor}", 5, W, 5.0)
    windows.forget(50.0)
    assert len(windows.windows) == 10
    windows.forget(50.0)
    assert not windows.windows


def test_a_key_that_is_still_counted_stays() -> None:
    """Eviction forgives nobody: the window before still weighs, a bucket that is not full still pays."""
    windows, buckets = KeyedWindows(), KeyedBuckets(10, 1.0)
    windows.window("old", 5, W, 5.0).allow(5.0)
    for _ in range(10):
        buckets.bucket("old", 5.0).take(5.0)
    windows.window("new", 5, W, 19.999)
    buckets.bucket("new", 14.0)
    assert "old" in windows.windows
    assert "old" in buckets.buckets
    windows.window("new", 5, W, 20.0)
    buckets.bucket("new", 15.0)
    assert "old" not in windows.windows
    assert "old" not in buckets.buckets


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 9_000)), max_size=60))
def test_a_table_gives_the_same_verdicts_as_windows_that_are_never_evicted(
    touches: list[tuple[str, int]],
) -> None:
    """Forgetting is not observable."""
    table, kept, now_ms = KeyedWindows(), {key: SlidingWindow(2, W) for key in "abcde"}, 0
    for key, gap_ms in touches:
        now_ms += gap_ms
        assert table.window(key, 2, W, now_ms / 1000).allow(now_ms / 1000) == kept[key].allow(now_ms / 1000)


def test_a_time_that_was_before_turns_no_window_back() -> None:
    """Commands of one turn may carry a time read a moment earlier: what is counted stays counted."""
    window = SlidingWindow(50, W)
    assert window.allow(3 * W)
    window.touch(3 * W - 0.001)
    assert (window.index, window.current) == (3, 1)
