"""The guard before the parser: budget, sizes, replies to a flood, heartbeats' own limit (spec 1.3, 1.6)."""

import pytest

from gateway.core.inbound import Dropped, Inbound, InboundPolicy, Passed, Refused, rate_limited
from gateway.core.messages import Error, RateLimit
from tests.gateway.core.vocabulary import MS, frame, pong

NOW = 1000.0
SAY = frame("SHOUT")
BUCKET = InboundPolicy(limiter="token_bucket")


def guard(policy: InboundPolicy | None = None) -> Inbound:
    """The guard of a connection that has sent nothing."""
    return Inbound.fresh(policy or InboundPolicy(), NOW)


def spent(policy: InboundPolicy | None = None) -> Inbound:
    """A guard whose budget is used up at NOW, with no frame dropped yet."""
    inbound = guard(policy)
    for _ in range(inbound.policy.frames if inbound.policy.limiter == "sliding_window" else 120):
        assert inbound.judge(SAY, NOW) == Passed()
    return inbound


def test_the_numbers_are_the_specs() -> None:
    """The defaults of spec 1.3 and 1.6."""
    policy = InboundPolicy()
    assert (policy.limiter, policy.frames, policy.window_s) == ("sliding_window", 150, 10.0)
    assert (policy.tokens_per_s, policy.token_capacity) == (60, 120)
    assert (policy.max_message_bytes, policy.max_parsed_bytes) == (128 * 1024, 10_000)
    assert (policy.heartbeats, policy.heartbeat_window_s, policy.heartbeat_denials) == (30, 30.0, 3)
    assert policy.error_replies == 10


# ---------- sizes


@pytest.mark.parametrize(
    ("size", "verdict"),
    [
        (1, Passed()),
        (10_000, Passed()),
        (
            10_001,
            Refused(
                Error("MESSAGE_TOO_LARGE", "The message has 10001 bytes, at most 10000 are allowed.", 413)
            ),
        ),
        (
            131_072,
            Refused(
                Error("MESSAGE_TOO_LARGE", "The message has 131072 bytes, at most 10000 are allowed.", 413)
            ),
        ),
        (
            131_073,
            Refused(
                Error("MESSAGE_TOO_LARGE", "The message has 131073 bytes, at most 131072 are allowed.", 413),
                fatal=True,
            ),
        ),
        (0, Refused(Error("VALIDATION_ERROR", "The message is empty.", 400))),
    ],
)
def test_a_frame_is_judged_by_its_size(size: int, verdict: object) -> None:
    """Over 128 KiB the socket goes, between 10 000 bytes and that the frame; empty is no message."""
    assert guard().judge(b"x" * size, NOW) == verdict


@pytest.mark.parametrize("size", [0, 10_001, 131_073])
def test_a_refused_size_has_cost_its_budget(size: int) -> None:
    """The budget is first: nobody measures frames for free."""
    inbound = guard()
    inbound.judge(b"x" * size, NOW)
    assert inbound.window.estimate(NOW) == 1
    assert isinstance(spent().judge(b"x" * size, NOW), Dropped)


# ---------- over budget, sliding window


def test_150_frames_pass_and_the_next_is_dropped_with_the_exact_wait() -> None:
    """Before anything is parsed; the client learns when to come back."""
    reply = Error(
        "RATE_LIMIT_EXCEEDED", "Too many messages", 429, {"action": "GLOBAL_WS_MESSAGE", "retryAfter": 10.001}
    )
    inbound = spent()
    assert inbound.judge(SAY, NOW) == Dropped(reply)
    assert inbound.judge(SAY, NOW + 10.0) == Dropped(
        rate_limited("Too many messages", "GLOBAL_WS_MESSAGE", 0.001)
    )
    assert inbound.judge(SAY, NOW + 10.001) == Passed()


def test_a_flood_is_answered_ten_times_a_window() -> None:
    """Further drops are only counted: replies to a flood are bounded."""
    inbound = spent()
    told = [inbound.judge(SAY, NOW).reply is not None for _ in range(50)]  # type: ignore[union-attr]
    assert told == [True] * 10 + [False] * 40
    assert inbound.dropped == 50
    assert inbound.judge(SAY, NOW + 9.999) == Dropped(None)
    again = [inbound.judge(SAY, NOW + 10.0).reply is not None for _ in range(50)]  # type: ignore[union-attr]
    assert again == [True] * 10 + [False] * 40


def test_heartbeats_count_in_the_window_like_every_frame() -> None:
    """149 frames and one heartbeat are 150."""
    inbound = guard()
    assert inbound.judge(pong(1), NOW) == Passed()
    assert sum(inbound.judge(SAY, NOW) == Passed() for _ in range(200)) == 149


def test_a_heartbeat_over_budget_is_let_through_to_its_own_limit() -> None:
    """The limiter must not make a chatty but healthy player look dead."""
    inbound = spent()
    assert inbound.judge(pong(1), NOW) == Passed(heartbeat_only=True)
    assert inbound.dropped == 0


@pytest.mark.parametrize(
    ("data", "taken"),
    [
        (b'"HEARTBEAT_RESPONSE"', True),
        (b'{"type": "HEARTBEAT_RESPONSE", "timestamp": 123456789.25}', True),
        (b'"HEARTBEAT_RESPONSE"' + b" " * 108, True),
        (b'"HEARTBEAT_RESPONSE"' + b" " * 109, False),
        (b"HEARTBEAT_RESPONSE", False),
        (b'"HEARTBEAT_RESPONSE ', False),
        (b'"heartbeat_response"', False),
    ],
)
def test_a_heartbeat_is_told_without_parsing(data: bytes, taken: bool) -> None:
    """At most 128 bytes that hold the quoted type name."""
    assert (spent().judge(data, NOW) == Passed(heartbeat_only=True)) is taken


# ---------- over budget, token bucket


def test_a_bucket_lets_60_a_second_through_after_its_burst() -> None:
    """120 at once, then the configured rate."""
    inbound = spent(BUCKET)
    assert isinstance(inbound.judge(SAY, NOW), Dropped)
    assert sum(inbound.judge(SAY, NOW + 1.0) == Passed() for _ in range(1000)) == 60


def test_a_bucket_tells_its_values_once_per_episode() -> None:
    """In place of the step-1 error; an episode ends with a clean window."""
    inbound = spent(BUCKET)
    told = Dropped(RateLimit(60, 120))
    assert [inbound.judge(SAY, NOW) for _ in range(3)] == [told, Dropped(None), Dropped(None)]
    later = [*(inbound.judge(SAY, NOW + 12.0) for _ in range(121)), inbound.judge(SAY, NOW + 12.0)]
    assert later == [Passed()] * 120 + [Dropped(None)] * 2
    fresh = [inbound.judge(SAY, NOW + 31.0) for _ in range(122)]
    assert fresh == [Passed()] * 120 + [told, Dropped(None)]


@pytest.mark.parametrize("inbound", [guard(BUCKET), spent(BUCKET)])
def test_a_bucket_never_pays_for_what_looks_like_a_heartbeat_so_it_must_be_one(inbound: Inbound) -> None:
    """With tokens left as without: else a quoted name would be a way round the budget."""
    level = inbound.bucket.level(NOW)
    assert inbound.judge(pong(1), NOW) == Passed(heartbeat_only=True)
    assert inbound.bucket.level(NOW) == level


# ---------- drops and denials


def test_each_drop_is_counted_for_its_connection() -> None:
    """Shown in the list of live connections."""
    inbound = guard()
    inbound.drop(NOW)
    inbound.drop(NOW + 99)
    assert inbound.dropped == 2


def test_thirty_heartbeats_pass_in_thirty_seconds() -> None:
    """Their own limit, whatever the budget says."""
    inbound = guard()
    assert [inbound.heartbeat_allowed(990.0 + turn) for turn in range(31)].count(True) == 30
    assert not inbound.heartbeat_abuse


def test_the_third_denial_in_a_row_is_abuse() -> None:
    """And one that is allowed starts the row anew."""
    inbound = guard()
    for _ in range(30):
        inbound.heartbeat_allowed(990.0)
    seen = []
    for at in (990.0, 990.0, 1020.0 + MS, 1020.0 + MS, 1020.0 + MS, 1020.0 + MS):
        seen.append((inbound.heartbeat_allowed(at), inbound.heartbeat_abuse))
    no, yes = (False, False), (True, False)
    assert seen == [no, no, yes, no, no, (False, True)]
