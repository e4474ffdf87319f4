"""One socket as a machine: the inbound pipeline, pings, last words, and saving it at any instant."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract import Budget, ClientError, FrameClass
from gateway.core import closing
from gateway.core.actions import Actions, Keys
from gateway.core.connection import (
    Connection,
    ConnectionPolicy,
    Drained,
    Effect,
    End,
    Event,
    Measured,
    Outgoing,
    Overrun,
    Reply,
    Resync,
    Write,
    error_event,
)
from gateway.core.hub import Admit, Hub, Open, Violated
from gateway.core.inbound import InboundPolicy
from gateway.core.messages import Error, wire_type
from gateway.core.messages import Heartbeat as Ping
from gateway.core.outbox import WRITE_THROUGH_BYTES, OutboundPolicy
from tests.gateway.core.vocabulary import DECODER, TICK, Shout, SubmitAnswer, frame, pong, through_json

NOW = 1000.0
SAY = frame("SHOUT")
BUCKET = ConnectionPolicy(inbound=InboundPolicy(limiter="token_bucket"))


Happening = bytes | Event
"""A message that is heard, or anything else."""


def happens(connection: Connection, happening: Happening, now: float) -> tuple[Any, ...]:
    """The effects; a command that was heard stands for itself."""
    if not isinstance(happening, bytes):
        return connection.apply(happening, now)
    heard = connection.hear(happening, now)
    return heard if isinstance(heard, tuple) else (heard,)


def opened(policy: ConnectionPolicy | None = None) -> Connection:
    """A connection accepted at NOW, first ping due two seconds later."""
    return Connection.opened(DECODER, policy or ConnectionPolicy(), 2.0, NOW)


def flooded(policy: ConnectionPolicy | None = None) -> Connection:
    """A connection that has used up its budget at NOW."""
    connection = opened(policy)
    for _ in range(150 if policy is None else 120):
        assert connection.hear(SAY, NOW) == Shout()
    return connection


def words(payload: bytes = b"hello", buffered: int = 0) -> Outgoing:
    """A critical frame on its way out."""
    return Outgoing(payload, FrameClass.CRITICAL, None, buffered)


# ---------- the inbound pipeline


def test_a_valid_command_is_delivered() -> None:
    """Next is its action limit, which is not this machine's."""
    assert opened().hear(frame("SHOUT", text="hi"), NOW) == Shout("hi")


def test_a_frame_that_is_no_command_is_answered_and_the_socket_stays() -> None:
    """Step 4 and 5: an ERROR with the path, and the next valid command works."""
    connection = opened()
    error = Error("VALIDATION_ERROR", "There is no such field: $.x", 400, {"path": "$.x", "action": "SHOUT"})
    assert connection.hear(frame("SHOUT", x=1), NOW) == (Reply(error),)
    assert connection.hear(SAY, NOW) == Shout()


def test_a_frame_over_budget_is_a_violation_and_answered() -> None:
    """Step 1; after ten replies it is only a violation."""
    connection = flooded()
    effects = [connection.hear(b"not even json", NOW) for _ in range(12)]
    assert [len(each) for each in effects] == [2] * 10 + [1] * 2
    assert effects[-1] == (Overrun(),)
    match effects[0]:
        case (Overrun(), Reply(Error(code="RATE_LIMIT_EXCEEDED", details={"action": "GLOBAL_WS_MESSAGE"}))):
            pass
        case other:
            pytest.fail(f"not the step-1 error: {other}")


@pytest.mark.parametrize("size", [0, 10_001])
def test_a_frame_of_a_wrong_size_is_answered_and_the_socket_stays(size: int) -> None:
    """Step 3."""
    connection = opened()
    assert [type(effect) for effect in connection.hear(b"x" * size, NOW)] == [Reply]
    assert connection.hear(SAY, NOW) == Shout()


def test_a_frame_over_128_kib_ends_the_socket_after_the_error() -> None:
    """Step 2: the client reads why before it sees 1009, so its reply must still get out."""
    connection = opened()
    reply, end = connection.hear(b"x" * 131_073, NOW)
    assert end == End(closing.MESSAGE_TOO_LARGE)
    assert isinstance(reply, Reply)
    assert isinstance(reply.event, Error)
    assert (reply.event.code, reply.event.status_code) == ("MESSAGE_TOO_LARGE", 413)
    assert connection.apply(words(b"the error"), NOW) == (Write(b"the error"),)


# ---------- heartbeats


def test_a_ping_goes_out_through_the_send_helper_and_its_answer_gives_the_round_trip() -> None:
    """The machine asks for a reply; the shell sends it like all else."""
    connection = opened()
    assert connection.deadline() == NOW + 2.0
    assert connection.wake(NOW + 2.0) == (Reply(Ping(1_002_000)),)
    assert connection.rtt() is None
    assert connection.hear(pong(1_002_000), NOW + 2.25) == (Measured(0.25),)
    assert connection.rtt() == 0.25
    assert connection.hear(pong(1_002_000), NOW + 3.0) == ()
    assert connection.deadline() == NOW + 9.0


def test_a_silent_socket_dies_of_its_heartbeat() -> None:
    """Two misses: 4002."""
    connection = opened()
    effects = [connection.wake(NOW + at) for at in (2.0, 6.0, 9.0, 13.0)]
    assert effects == [
        (Reply(Ping(1_002_000)),),
        (),
        (Reply(Ping(1_009_000)),),
        (End(closing.HEARTBEAT_TIMEOUT),),
    ]


def test_a_healthy_client_over_budget_stays_alive() -> None:
    """Its heartbeats are handled under their own limit."""
    connection = flooded()
    connection.wake(NOW + 2.0)
    for _ in range(150):
        connection.hear(SAY, NOW + 2.0)
    assert connection.hear(pong(1_002_000), NOW + 2.5) == (Measured(0.5),)


@pytest.mark.parametrize(
    "data",
    [frame("SHOUT", text="HEARTBEAT_RESPONSE"), b'"HEARTBEAT_RESPONSE"', frame("HEARTBEAT_RESPONSE", t=1)],
)
def test_over_budget_a_frame_that_only_looked_like_a_heartbeat_is_dropped_and_counted(data: bytes) -> None:
    """Like every other frame over budget: a violation, a few replies, one more in the connection's count."""
    connection = flooded()
    effects = [connection.hear(data, NOW) for _ in range(12)]
    assert [[type(effect) for effect in each] for each in effects] == [[Overrun, Reply]] * 10 + [
        [Overrun]
    ] * 2
    assert connection.parts.inbound.dropped == 12


@pytest.mark.parametrize("data", [frame("SHOUT", text="HEARTBEAT_RESPONSE"), b'"HEARTBEAT_RESPONSE"'])
def test_a_quoted_name_is_no_way_round_a_token_bucket(data: bytes) -> None:
    """It is never charged for such a frame, so it never delivers one."""
    connection = opened(BUCKET)
    for _ in range(1000):
        assert Overrun() in connection.hear(data, NOW)


def test_within_the_window_a_command_may_hold_the_name() -> None:
    """It was charged like any other."""
    assert opened().hear(frame("SHOUT", text="HEARTBEAT_RESPONSE"), NOW) == Shout("HEARTBEAT_RESPONSE")


def test_heartbeats_over_their_rate_are_ignored_and_the_third_in_a_row_ends_the_socket() -> None:
    """30 in 30 s; ignored means that they prove nothing either."""
    connection = opened()
    effects = [connection.hear(pong(1), NOW) for _ in range(34)]
    assert effects == [()] * 32 + [(End(closing.HEARTBEAT_RATE_EXCEEDED),), ()]


def test_a_denied_heartbeat_saves_nobody() -> None:
    """It is as if it had not come."""
    connection = opened()
    connection.wake(NOW + 2.0)
    for _ in range(30):
        connection.hear(pong(7), NOW + 2.0)
    connection.wake(NOW + 9.0)
    connection.hear(pong(1_009_000), NOW + 9.5)
    assert connection.rtt() is None
    assert connection.parts.heartbeat.pong_due == NOW + 13.0


# ---------- outbound


def test_a_slow_socket_is_told_to_catch_up_when_it_has_drained() -> None:
    """Its roster frames were replaced: after the queue comes a fresh state."""
    connection = opened()
    for payload in (b"old", b"new"):
        assert (
            connection.apply(Outgoing(payload, FrameClass.COALESCABLE, "M", WRITE_THROUGH_BYTES), NOW) == ()
        )
    assert connection.apply(Drained(), NOW) == (Write(b"new"), Resync())


def test_a_held_frame_is_the_next_deadline() -> None:
    """Pacing wakes the machine like a heartbeat does."""
    connection = opened(ConnectionPolicy(outbound=OutboundPolicy(paced_burst=1.0)))
    for payload in (b"1", b"2"):
        connection.apply(Outgoing(payload, FrameClass.COALESCABLE, "M", 0), NOW)
    assert connection.deadline() == NOW + 0.017
    assert connection.wake(NOW + 0.017) == (Write(b"2"),)
    assert connection.deadline() == NOW + 2.0


def test_what_was_held_goes_out_before_the_ping_of_the_same_wake() -> None:
    """A late wake does all that is due, in the order of the queue."""
    connection = opened(ConnectionPolicy(outbound=OutboundPolicy(paced_burst=1.0)))
    for payload in (b"1", b"2"):
        connection.apply(Outgoing(payload, FrameClass.COALESCABLE, "M", 0), NOW + 1.999)
    assert connection.wake(NOW + 2.5) == (Write(b"2"), Reply(Ping(1_002_500)))


def test_a_socket_that_reads_too_little_ends_with_1013_once() -> None:
    """Over 1 MiB, and what is still sent to it afterwards is not a second ending."""
    connection = opened()
    assert connection.apply(words(buffered=2**20 + 1), NOW) == (End(closing.BACKPRESSURE),)
    assert connection.apply(words(buffered=2**20 + 1), NOW) == ()


# ---------- the end


def test_after_its_end_a_connection_hears_nothing_and_never_wakes() -> None:
    """Exactly one End, whatever comes late from transport, alarm or peer."""
    connection = opened()
    connection.apply(words(b"queued", WRITE_THROUGH_BYTES), NOW)
    connection.hear(b"x" * 131_073, NOW)
    before = connection.to_state()
    late: list[Happening] = [SAY, b"x" * 131_073, pong(1), Drained()]
    assert [happens(connection, happening, NOW + 1) for happening in late] == [()] * 4
    assert (connection.wake(NOW + 50.0), connection.deadline()) == ((), None)
    assert connection.to_state() == before


def test_160_answers_at_one_instant_are_as_the_spec_counts_them() -> None:
    """150 pass the budget, 50 the action limit; 100 and 10 errors; one window, no close (spec 2.2)."""
    connection, hub = opened(), Hub()
    hub.apply(Admit("c1", "s", "a", "user:1", None), NOW)
    hub.apply(Open("c1"), NOW)
    actions = Actions.fresh({"SUBMIT_ANSWER": (Budget(50, 10.0),)})
    handled, denied, told = 0, 0, []
    for _ in range(160):
        for effect in happens(connection, frame("SUBMIT_ANSWER"), NOW):
            match effect:
                case SubmitAnswer() as command:
                    try:
                        actions.spend(wire_type(command), Keys("seat", "c1", "a"), NOW)
                        handled += 1
                    except ClientError as error:
                        denied += error.details["action"] == "SUBMIT_ANSWER"
                case Reply(Error(details={"action": action})):
                    told.append(action)
                case Overrun():
                    assert hub.apply(Violated("c1"), NOW) == ()
                case other:
                    pytest.fail(f"an effect that has no place here: {other}")
    assert (handled, denied, told) == (50, 100, ["GLOBAL_WS_MESSAGE"] * 10)
    assert hub.conduct.violations["user:1"].streak == 1


# ---------- words for others


def test_an_error_names_the_command_that_caused_it() -> None:
    """A refusal's own details go on top; with nothing to say there are none."""
    error = ClientError("ROOM_FULL", "The room is full.", 503, {"max": 50})
    assert error_event(error) == Error("ROOM_FULL", "The room is full.", 503, {"max": 50})
    assert error_event(error, "JOIN_ROOM") == Error(
        "ROOM_FULL", "The room is full.", 503, {"action": "JOIN_ROOM", "max": 50}
    )
    assert error_event(ClientError("C", "m", 400)).details is None
    assert str(error) == "The room is full."


def test_a_commands_type_is_its_tag() -> None:
    """The word on the wire is the key of its limits."""
    assert wire_type(Shout()) == "SHOUT"


# ---------- at any instant

HAPPENINGS: st.SearchStrategy[Happening] = st.one_of(
    st.sampled_from([SAY, pong(1), b"", b"junk", b"x" * 10_001, frame("ASK"), b'"HEARTBEAT_RESPONSE"']),
    st.builds(
        Outgoing,
        st.binary(min_size=1, max_size=3) | st.just(b"x" * 200_000),
        st.sampled_from(FrameClass),
        st.sampled_from([None, "A", "B"]),
        st.sampled_from([0, 1, WRITE_THROUGH_BYTES, 300_000, 900_000]),
    ),
    st.just(Drained()),
)
FLOOD: st.SearchStrategy[list[Happening]] = st.just(SAY).map(lambda message: [message] * 160)
STEPS = st.lists(
    st.tuples(
        st.lists(HAPPENINGS, max_size=4) | FLOOD,
        st.integers(0, 8 * 1024) | st.sampled_from([0, 1, 17, 18]),
        st.booleans(),
    ),
    max_size=25,
)


def pongs_of(effects: tuple[Effect, ...]) -> list[Happening]:
    """What a healthy client answers to these effects."""
    return [
        pong(each.event.timestamp)
        for each in effects
        if isinstance(each, Reply) and isinstance(each.event, Ping)
    ]


@given(STEPS, st.sampled_from([ConnectionPolicy(), BUCKET]), st.booleans())
def test_a_connection_that_is_stored_and_restored_at_random_does_exactly_the_same(
    steps: list[tuple[list[Happening], int, bool]], policy: ConnectionPolicy, answers: bool
) -> None:
    """Same effects, same deadlines, same state, whatever happens; and it ends at most once."""
    steady, moved, now = opened(policy), opened(policy), NOW
    ends = 0
    for happenings, ticks, restore in steps:
        now += ticks * TICK
        effects: list[Any] = [steady.wake(now)]
        assert moved.wake(now) == effects[0]
        for happening in [*happenings, *(pongs_of(effects[0]) if answers else ())]:
            effects.append(happens(steady, happening, now))
            assert happens(moved, happening, now) == effects[-1]
        if restore:
            moved = Connection.from_state(DECODER, through_json(moved.to_state()))
        assert (moved.deadline(), moved.rtt(), moved.to_state()) == (
            steady.deadline(),
            steady.rtt(),
            steady.to_state(),
        )
        ends += sum(isinstance(effect, End) for each in effects for effect in each)
    assert ends == steady.parts.ended


@pytest.mark.parametrize("state", [None, {}, {"inbound": 1}])
def test_what_is_no_connection_is_not_restored(state: object) -> None:
    """A damaged state is an error at once and not a strange socket later."""
    with pytest.raises(msgspec.ValidationError):
        Connection.from_state(DECODER, state)
