"""Frames as bytes and back (spec 6.2): a head of 8 bytes, then at most 65,504 bytes of payload.

Total on hostile input: `decode` returns a frame or raises `ProtocolError`, and what it returned encodes to a
frame that decodes to the same. Whether the frame may come now is not asked here (``tunnel.core.link``).
"""

from struct import Struct as Layout
from typing import Final

import msgspec

from tunnel.core.frames import (
    MAX_PAYLOAD_BYTES,
    MAX_STREAM,
    MAX_WINDOW_BYTES,
    Accepted,
    Closing,
    Credit,
    Data,
    Fatal,
    Frame,
    GoAway,
    Head,
    Hello,
    Open,
    Ping,
    Pong,
    ProtocolError,
    Ready,
    RequestHead,
    Reset,
    ResponseHead,
    Why,
    WsAccept,
    WsClose,
)

HEAD: Final = Layout(">BBHI")
"""Type, flags, reserved, stream."""
INCREMENT: Final = Layout(">I")
PING_BYTES: Final = 8

END: Final = 1
FIN: Final = 2
TEXT: Final = 4

WHOLE: Final[dict[int, type[Hello | Ready | GoAway | Fatal]]] = {1: Hello, 2: Ready, 5: GoAway, 6: Fatal}
"""Frames of the connection whose payload is their own JSON."""
ECHOES: Final[dict[int, type[Ping | Pong]]] = {3: Ping, 4: Pong}
HEADS: Final[dict[int, tuple[type[Open | Head], type[RequestHead | ResponseHead]]]] = {
    0x10: (Open, RequestHead),
    0x11: (Head, ResponseHead),
}
"""Frames of a stream with a JSON payload and the flag END."""
NOTES: Final[dict[int, tuple[type[Reset | WsAccept | WsClose], type[Why | Accepted | Closing]]]] = {
    0x14: (Reset, Why),
    0x15: (WsAccept, Accepted),
    0x16: (WsClose, Closing),
}
DATA: Final = 0x12
CREDIT: Final = 0x13

TYPES: Final[dict[type[Frame], int]] = {
    **{cls: kind for kind, cls in WHOLE.items()},
    **{cls: kind for kind, cls in ECHOES.items()},
    **{cls: kind for kind, (cls, _) in HEADS.items()},
    **{cls: kind for kind, (cls, _) in NOTES.items()},
    Data: DATA,
    Credit: CREDIT,
}


class FrameTooLargeError(ValueError):
    """What should be sent does not fit into a frame: a head with too many headers."""


def encode(frame: Frame) -> bytes:
    """The frame as one binary message; raises `FrameTooLargeError`."""
    flags, stream, payload = _parts(frame)
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise FrameTooLargeError(
            f"a {type(frame).__name__} of {len(payload)} bytes does not fit into {MAX_PAYLOAD_BYTES}"
        )
    return HEAD.pack(TYPES[type(frame)], flags, 0, stream) + payload


def decode(message: bytes) -> Frame:
    """The frame that a binary message is; raises `ProtocolError`."""
    if not HEAD.size <= len(message) <= HEAD.size + MAX_PAYLOAD_BYTES:
        raise ProtocolError(f"a frame of {len(message)} bytes")
    kind, flags, reserved, stream = HEAD.unpack_from(message)
    if reserved:
        raise ProtocolError(f"the reserved bits are {reserved:#06x}, not 0")
    payload = message[HEAD.size :]
    try:
        if kind in WHOLE or kind in ECHOES:
            return _connection_frame(kind, flags, stream, payload)
        return _stream_frame(kind, flags, stream, payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"the payload of frame {kind:#04x} is wrong: {error}") from error


def _parts(frame: Frame) -> tuple[int, int, bytes]:
    match frame:
        case Data():
            flags = END * frame.end | FIN * frame.fin | TEXT * frame.text
            return flags, frame.stream, frame.payload
        case Credit():
            return 0, frame.stream, INCREMENT.pack(frame.increment)
        case Open() | Head():
            return END * frame.end, frame.stream, msgspec.json.encode(frame.content)
        case Reset() | WsAccept() | WsClose():
            return 0, frame.stream, msgspec.json.encode(frame.content)
        case Ping() | Pong():
            return 0, 0, frame.token
        case _:
            return 0, 0, msgspec.json.encode(frame)


def _connection_frame(kind: int, flags: int, stream: int, payload: bytes) -> Frame:
    if stream or flags:
        raise ProtocolError(f"frame {kind:#04x} with stream {stream} and flags {flags:#04x}")
    if kind in WHOLE:
        return msgspec.json.decode(payload, type=WHOLE[kind])
    if len(payload) != PING_BYTES:
        raise ProtocolError(f"a ping of {len(payload)} bytes, not {PING_BYTES}")
    return ECHOES[kind](payload)


def _stream_frame(kind: int, flags: int, stream: int, payload: bytes) -> Frame:
    if not 1 <= stream <= MAX_STREAM:
        raise ProtocolError(f"frame {kind:#04x} on stream {stream}")
    allowed = END | FIN | TEXT if kind == DATA else END if kind in HEADS else 0
    if flags & ~allowed:
        raise ProtocolError(f"frame {kind:#04x} with flags {flags:#04x}")
    if kind == DATA:
        return Data(stream, payload, bool(flags & END), bool(flags & FIN), bool(flags & TEXT))
    if kind == CREDIT:
        return Credit(stream, _increment(payload))
    if kind in HEADS:
        opening, head = HEADS[kind]
        return opening(stream, msgspec.json.decode(payload, type=head), bool(flags))  # type: ignore[arg-type]
    if kind in NOTES:
        note, content = NOTES[kind]
        return note(stream, msgspec.json.decode(payload, type=content))  # type: ignore[arg-type]
    raise ProtocolError(f"frame {kind:#04x} is not in tunnel.v1")


def _increment(payload: bytes) -> int:
    if len(payload) != INCREMENT.size:
        raise ProtocolError(f"a credit of {len(payload)} bytes, not {INCREMENT.size}")
    (increment,) = INCREMENT.unpack(payload)
    if not 1 <= increment <= MAX_WINDOW_BYTES:
        raise ProtocolError(f"a credit of {increment}")
    return int(increment)
