"""Where frames and whole messages end: the two looks that `gateway.transports.intake` takes at the bytes.

Nearly every frame of a client is a message by itself: final, masked, no extension. Such a one is unmasked
here; what any other frame means is left to websockets' protocol. Pure functions of bytes, no state.
"""

from typing import Final

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # in C where the wheel has it

from gateway.transports.port import MAX_MESSAGE_BYTES

TEXT_FIN: Final = 0x81
BINARY_FIN: Final = 0x82
"""First bytes of a frame that is a message: final, no extension bit, text or binary (RFC 6455, 5.2)."""
MASKED: Final = 0x80
"""In the second byte: a client's frame (RFC 6455, 5.3)."""
LEN_16, LEN_64 = 126, 127
"""In the second byte: the length follows, in two bytes or in eight."""
MASK_BYTES: Final = 4

HEAD_BYTES: Final = 2 + MASK_BYTES
"""In front of a payload whose length the second byte says by itself."""
SHORT_BYTES: Final = HEAD_BYTES + LEN_16 - 1
"""The longest frame with such a head."""
_SECOND_ABOVE_SIZE: Final = MASKED - HEAD_BYTES
"""What the second byte of such a frame is more than the size of the whole frame."""

Whole = tuple[bytes, bool, int]
"""A message, whether it is text, and where it ends."""


def short_text(data: bytes) -> bytes | None:
    """The message, if ``data`` is one frame and nothing else: text of up to 125 characters, all ASCII.

    Nearly every packet of a client is that, and three looks tell. `whole_message` finds the other messages.
    """
    size = len(data)
    if not HEAD_BYTES <= size <= SHORT_BYTES or data[1] != size + _SECOND_ABOVE_SIZE or data[0] != TEXT_FIN:
        return None
    payload = apply_mask(data[HEAD_BYTES:], data[2:HEAD_BYTES])
    return payload if payload.isascii() else None


def whole_message(data: bytes | bytearray, at: int) -> Whole | None:
    """The message at ``at``; None if what is there is not all here, or anything but a plain message.

    Text is valid UTF-8: a fault is left to the library to name.
    """
    here = len(data)
    if here < at + 2 + MASK_BYTES:
        return None
    first, length = data[at], data[at + 1] - MASKED
    start = at + 2 + MASK_BYTES
    if length == LEN_16 and here >= start + 2:
        length = data[at + 2] << 8 | data[at + 3]
        start += 2
    elif not 0 <= length < LEN_16:
        return None
    end = start + length
    if end > here or (first != TEXT_FIN and first != BINARY_FIN):
        return None
    payload = apply_mask(data[start:end], data[start - MASK_BYTES : start])
    if first == TEXT_FIN and not payload.isascii() and not is_utf8(payload):
        return None
    return payload, first == TEXT_FIN, end


def frame_end(data: bytes | bytearray) -> int:
    """Where the first frame of ``data`` ends; 0 if that is not here yet.

    A header that is a fault by itself ends the frame: nobody has to wait for a payload that is refused.
    """
    here = len(data)
    if here < 2:
        return 0
    length = data[1] - MASKED
    if length < 0:
        return 2
    end = 2 + MASK_BYTES
    if length >= LEN_16:
        size = 2 if length == LEN_16 else 8
        if here < 2 + size:
            return 0
        length = int.from_bytes(data[2 : 2 + size])
        if length > MAX_MESSAGE_BYTES:
            return 2 + size
        end += size
    return end + length if here >= end + length else 0


def is_utf8(data: bytes) -> bool:
    """Whether a text message may hold this (RFC 6455, 8.1)."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
