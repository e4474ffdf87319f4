"""The vocabulary of ``tunnel.v1``: every frame that may travel between relay and client (spec 6.2).

One frozen class a frame; both ends speak in nothing else. How a frame looks as bytes is in
``tunnel.core.codec``, when it may be sent in ``tunnel.core.states``. The words come from outside, so nothing
here believes that a header or a path makes sense: that is ``tunnel.core.headers``.
"""

from enum import StrEnum
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

VERSION: Final = "tunnel.v1"
MAX_PAYLOAD_BYTES: Final = 65_504
"""With its cost of 32 the largest frame is exactly one initial window."""
CHUNK_BYTES: Final = 16_384
"""What a DATA frame normally holds: small enough that streams take turns, large enough that heads are noise.
"""
FIRST_WINDOW_BYTES: Final = 65_536
"""Credit of a stream's direction before anything was granted."""
MAX_STREAM: Final = 2**32 - 1
MAX_WINDOW_BYTES: Final = 2**31 - 1

StreamId = Annotated[int, Meta(ge=1, le=MAX_STREAM)]
Bytes = Annotated[int, Meta(ge=1, le=MAX_WINDOW_BYTES)]
CloseCode = Annotated[int, Meta(ge=1000, le=4999)]
Headers = tuple[tuple[str, str], ...]
"""Header lines in order, repeated ones included; bytes as Latin-1."""


class Stop(StrEnum):
    """Why a stream was reset, or a connection is being left."""

    CANCELLED = "cancelled"
    """The visitor left."""
    REFUSED = "refused"
    """The target does not listen, or said nothing that is HTTP."""
    BROKEN = "broken"
    """It ended in the middle."""
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    OVERLOAD = "overload"
    """Too much waited for this stream."""
    GOING = "going"
    """This end of the tunnel stops."""
    PROTOCOL = "protocol"
    """The other end broke the rules."""
    REPLACED = "replaced"
    """Another connection has taken the name."""


class Hello(Struct, frozen=True):
    """The client's first frame. ``instance`` is the running client, the same over its reconnects."""

    versions: tuple[str, ...]
    name: str
    instance: str
    window: Annotated[int, Meta(ge=FIRST_WINDOW_BYTES, le=MAX_WINDOW_BYTES)] = FIRST_WINDOW_BYTES
    force: bool = False


class Ready(Struct, frozen=True):
    """The relay's answer: the name is served. ``expires_in_s`` is None for a token without end."""

    session: str
    url: str
    max_requests: int
    max_body_bytes: int
    expires_in_s: float | None = None
    window: Annotated[int, Meta(ge=FIRST_WINDOW_BYTES, le=MAX_WINDOW_BYTES)] = FIRST_WINDOW_BYTES


class Fatal(Struct, frozen=True):
    """The relay refuses. ``retry``: coming back later may help."""

    code: str
    reason: str
    retry: bool = False


class GoAway(Struct, frozen=True):
    """This end leaves; streams above ``last_stream`` were not looked at."""

    last_stream: Annotated[int, Meta(ge=0, le=MAX_STREAM)]
    code: Stop
    reason: str = ""


class Ping(Struct, frozen=True):
    """Are you there? ``token`` comes back unread."""

    token: bytes


class Pong(Struct, frozen=True):
    """The answer to a ping."""

    token: bytes


class RequestHead(Struct, frozen=True):
    """What a visitor asks. ``target`` is the raw path and query; ``ip`` the visitor as the relay saw it."""

    method: str
    target: str
    headers: Headers
    scheme: Literal["http", "https"]
    host: str
    ip: str
    websocket: bool = False


class ResponseHead(Struct, frozen=True):
    """What the target answers."""

    status: int
    headers: Headers = ()


class Accepted(Struct, frozen=True):
    """The target took the WebSocket."""

    subprotocol: str | None = None
    headers: Headers = ()


class Why(Struct, frozen=True):
    """A reset's reason."""

    code: Stop
    reason: str = ""


class Closing(Struct, frozen=True):
    """How a WebSocket ended. 1005 is a close without code, 1006 a connection that dropped."""

    code: CloseCode
    reason: str = ""


class Open(Struct, frozen=True):
    """A new stream. ``end``: the request has no body."""

    stream: int
    content: RequestHead
    end: bool = False


class Head(Struct, frozen=True):
    """The response begins. ``end``: it has no body."""

    stream: int
    content: ResponseHead
    end: bool = False


class Data(Struct, frozen=True):
    """Bytes of a body (``end`` with the last), or a piece of a WebSocket message (``fin`` with the last)."""

    stream: int
    payload: bytes
    end: bool = False
    fin: bool = False
    text: bool = False


class Credit(Struct, frozen=True):
    """The sender may send this many bytes more on the stream."""

    stream: int
    increment: int


class Reset(Struct, frozen=True):
    """The stream is over, whatever state it was in."""

    stream: int
    content: Why


class WsAccept(Struct, frozen=True):
    """The upgrade succeeded."""

    stream: int
    content: Accepted


class WsClose(Struct, frozen=True):
    """The WebSocket is over; what the other end has sent meanwhile is dropped, as in RFC 6455."""

    stream: int
    content: Closing


ConnectionFrame = Hello | Ready | Ping | Pong | GoAway | Fatal
StreamFrame = Open | Head | Data | Credit | Reset | WsAccept | WsClose
Frame = ConnectionFrame | StreamFrame


class ProtocolError(Exception):
    """The other end broke ``tunnel.v1``: the connection must end."""
