"""The gateway's own words on the wire (spec 3): what every client hears and says, whatever the game.

These are the wire types themselves, camelCase and tagged by ``type``; the game's are in its own vocabulary.
Unions and codecs are made of both in ``gateway.wire``.
"""

from functools import cache
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

PROTOCOL_VERSION: Final = 1


class Heartbeat(Struct, frozen=True, tag_field="type", tag="HEARTBEAT"):
    """Server's ping; ``timestamp`` is to be echoed."""

    timestamp: int


class Error(Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", tag="ERROR"):
    """Something the client asked for was refused; nothing changed."""

    code: str
    message: str
    status_code: int
    details: dict[str, Any] | None = None


class RateLimit(Struct, frozen=True, tag_field="type", tag="RATE_LIMIT"):
    """Told once per episode in token-bucket mode, with the configured values."""

    limit: int
    burst: int


class HeartbeatTimes(Struct, frozen=True, rename="camel"):
    interval_ms: int
    timeout_ms: int


class LimitShown(Struct, frozen=True, rename="camel"):
    limit: int
    window_ms: int


class LastClose(Struct, frozen=True):
    """How this client's previous socket ended: a slow reader never sees its own close frame (spec 1.7)."""

    code: int
    reason: str


class Connected(Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", tag="CONNECTED"):
    """The first frame of every socket."""

    connection_id: str
    user_id: str
    protocol_version: int
    heartbeat: HeartbeatTimes
    limits: dict[str, LimitShown]
    last_close: LastClose | None = None


class HeartbeatResponse(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="HEARTBEAT_RESPONSE"
):
    """The client's echo of `Heartbeat.timestamp`."""

    timestamp: float


class SessionTrustContext(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="SESSION_TRUST_CONTEXT"
):
    """A token signed by the site that says who the client is beyond its session."""

    token: Annotated[str, Meta(max_length=4096)]


def wire_type(message: Struct) -> str:
    """The ``type`` of a command or an event on the wire: the tag of its class."""
    return _tag(type(message))


@cache
def _tag(kind: type[Struct]) -> str:
    """Asked for with every frame; msgspec makes a new description of the class each time."""
    return str(kind.__struct_config__.tag)
