"""The gateway's own messages, as clients read and write them (spec 3)."""

import pytest
from msgspec import Struct

from gateway.contract import ClientError
from gateway.core import messages
from gateway.core.decoding import Decoder
from gateway.core.messages import (
    Connected,
    Error,
    Heartbeat,
    HeartbeatResponse,
    HeartbeatTimes,
    LastClose,
    LimitShown,
    RateLimit,
    SessionTrustContext,
)
from tests.gateway.core.vocabulary import frame, on_the_wire

DECODER = Decoder((HeartbeatResponse, SessionTrustContext))
GREETING = Connected("c1", "s1", 1, HeartbeatTimes(7000, 4000), {"GLOBAL": LimitShown(150, 10_000)})
GREETING_READ = {
    "type": "CONNECTED",
    "connectionId": "c1",
    "userId": "s1",
    "protocolVersion": 1,
    "heartbeat": {"intervalMs": 7000, "timeoutMs": 4000},
    "limits": {"GLOBAL": {"limit": 150, "windowMs": 10_000}},
}
BYE = LastClose(4002, "Heartbeat timeout")


@pytest.mark.parametrize(
    ("event", "read"),
    [
        (Heartbeat(5), {"type": "HEARTBEAT", "timestamp": 5}),
        (RateLimit(60, 120), {"type": "RATE_LIMIT", "limit": 60, "burst": 120}),
        (Error("C", "m", 400), {"type": "ERROR", "code": "C", "message": "m", "statusCode": 400}),
        (
            Error("C", "m", 429, {"retryAfter": 0.5}),
            {"type": "ERROR", "code": "C", "message": "m", "statusCode": 429, "details": {"retryAfter": 0.5}},
        ),
        (GREETING, GREETING_READ),
        (
            Connected("c1", "s1", 1, HeartbeatTimes(7000, 4000), {"GLOBAL": LimitShown(150, 10_000)}, BYE),
            {**GREETING_READ, "lastClose": {"code": 4002, "reason": "Heartbeat timeout"}},
        ),
    ],
)
def test_an_event_has_the_fields_that_the_protocol_names(event: Struct, read: object) -> None:
    """camelCase, tagged by type, optional fields left out when there is nothing to say."""
    assert on_the_wire(event) == read


@pytest.mark.parametrize("timestamp", [5, 5.25])
def test_a_heartbeat_response_echoes_a_number(timestamp: float) -> None:
    """JavaScript knows one kind of number."""
    assert DECODER.decode(frame("HEARTBEAT_RESPONSE", timestamp=timestamp)) == HeartbeatResponse(timestamp)


def test_a_trust_context_carries_a_token_of_bounded_length() -> None:
    """What is to be verified is not to be an attack by its size."""
    assert DECODER.decode(frame("SESSION_TRUST_CONTEXT", token="t" * 4096)).token == "t" * 4096
    with pytest.raises(ClientError) as refused:
        DECODER.decode(frame("SESSION_TRUST_CONTEXT", token="t" * 4097))
    assert refused.value.details["path"] == "$.token"


@pytest.mark.parametrize("type_", ["HEARTBEAT_RESPONSE", "SESSION_TRUST_CONTEXT"])
def test_an_unknown_field_is_refused(type_: str) -> None:
    """The unions are closed in both directions."""
    with pytest.raises(ClientError) as refused:
        DECODER.decode(frame(type_, timestamp=1, token="t", more=1))
    assert refused.value.code == "VALIDATION_ERROR"


def test_the_protocol_has_a_version() -> None:
    """Clients of another version can tell."""
    assert messages.PROTOCOL_VERSION == 1
