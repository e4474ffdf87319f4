"""The bytes of a server's text message, made once for all its receivers.

A server frame is not masked, so a broadcast is the same bytes on every socket (RFC 6455, 5.1 and 5.2). Only
whole text messages are made here; what else goes over a socket is left to the server's own library.
"""

from struct import pack
from typing import Final

TEXT_FIN: Final = 0x81
"""The first byte of a text frame that is a whole message (RFC 6455, 5.2)."""
LEN_7: Final = 126
"""From this length on the 7 bits of the second byte say only how many bytes hold the length."""
LEN_16: Final = 65_536

_SHORT: Final = [pack("!BB", TEXT_FIN, length) for length in range(LEN_7)]
"""The headers of most frames, by the payload's length."""

_latest: tuple[bytes, bytes] = (b"", _SHORT[0])


def text_frame(payload: bytes) -> bytes:
    """The frame that carries ``payload``, made once for as long as the same object is asked for.

    One entry, found by identity: a dict by content would hash every payload that goes to one socket only.
    """
    global _latest
    made_of, frame = _latest
    if payload is made_of:
        return frame
    length = len(payload)
    frame = (_SHORT[length] if length < LEN_7 else _long_header(length)) + payload
    _latest = (payload, frame)
    return frame


def _long_header(length: int) -> bytes:
    if length < LEN_16:
        return pack("!BBH", TEXT_FIN, 126, length)
    return pack("!BBQ", TEXT_FIN, 127, length)
