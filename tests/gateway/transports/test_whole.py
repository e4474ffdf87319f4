"""Where frames and whole messages end: at which byte, of which frames, and what is left to the library."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Opcode

from gateway.transports.port import MAX_MESSAGE_BYTES
from gateway.transports.whole import SHORT_BYTES, frame_end, is_utf8, short_text, whole_message
from tests.conformance.raw import frame

bodies = st.binary(max_size=300) | st.text(max_size=80).map(str.encode)
masks = st.binary(min_size=4, max_size=4)
heads = st.tuples(st.sampled_from(Opcode), st.booleans(), st.integers(0, 7))


@given(heads, bodies, masks, st.binary(max_size=20))
def test_a_frame_ends_with_its_last_byte(
    head: tuple[Opcode, bool, int], body: bytes, mask: bytes, behind: bytes
) -> None:
    """Not before all of it is here, and whatever follows."""
    opcode, fin, rsv = head
    data = frame(opcode, body, fin=fin, rsv=rsv, mask=mask)
    assert [frame_end(data[:cut]) for cut in range(len(data))] == [0] * len(data)
    assert frame_end(data + behind) == len(data)


@given(heads, bodies, masks, st.binary(max_size=20), st.binary(max_size=20))
def test_only_a_plain_message_is_taken(
    head: tuple[Opcode, bool, int], body: bytes, mask: bytes, before: bytes, behind: bytes
) -> None:
    """Final, data, no extension, text that is text; and its mask is taken off."""
    opcode, fin, rsv = head
    data = frame(opcode, body, fin=fin, rsv=rsv, mask=mask)
    found = whole_message(before + data + behind, len(before))
    text = opcode is Opcode.TEXT
    if fin and not rsv and (opcode is Opcode.BINARY or (text and is_utf8(body))):
        assert found == (body, text, len(before + data))
    else:
        assert found is None


@given(heads, bodies, masks, st.binary(max_size=20))
def test_the_short_way_takes_what_the_long_one_would_and_only_if_there_is_nothing_else(
    head: tuple[Opcode, bool, int], body: bytes, mask: bytes, behind: bytes
) -> None:
    """One frame, whole, short, ASCII: then both say the same of it."""
    opcode, fin, rsv = head
    data = frame(opcode, body, fin=fin, rsv=rsv, mask=mask)
    plain = opcode is Opcode.TEXT and fin and not rsv and body.isascii() and len(data) <= SHORT_BYTES
    assert short_text(data) == (body if plain else None)
    if plain:
        assert whole_message(data, 0) == (body, True, len(data))
    assert short_text(data[:-1]) is None
    assert short_text(data + behind) == (body if plain and not behind else None)


@given(st.sampled_from([0x81, 0x82, 0x01, 0xC1]), st.integers(0, 255), st.integers(0, 300))
def test_a_length_that_is_not_the_packets_is_no_short_message(first: int, second: int, size: int) -> None:
    """Nor one without a mask, whatever its bytes add up to."""
    data = bytes([first, second]) + bytes(size)
    whole = first == 0x81 and 0x80 <= second < 0xFE and second - 0x80 == size - 4
    assert short_text(data) == (bytes(size - 4) if whole else None)


@given(st.binary(max_size=40))
def test_bytes_that_are_no_frame_break_nothing(data: bytes) -> None:
    """What they are is the library's to say, and it is shown at least two of them."""
    assert 0 <= frame_end(data) <= len(data)
    assert whole_message(data, 0) is None or data[0] in (0x81, 0x82)
    assert whole_message(data, len(data)) is None
    short = short_text(data)
    assert short is None or whole_message(data, 0) == (short, True, len(data))


@pytest.mark.parametrize("size", [0, 125, 126, 65_535])
def test_every_length_that_two_bytes_can_say_is_taken(size: int) -> None:
    """And nothing is taken before its last byte is here."""
    payload = b"a" * size
    data = frame(Opcode.TEXT, payload)
    assert whole_message(data, 0) == (payload, True, len(data))
    assert whole_message(data[:-1], 0) is None


def test_a_longer_message_is_left_to_the_library() -> None:
    """It counts what a message may weigh."""
    data = frame(Opcode.BINARY, bytes(65_536))
    assert whole_message(data, 0) is None
    assert frame_end(data) == len(data)


def test_nobody_waits_for_a_payload_that_will_be_refused() -> None:
    """Its header is a fault already: too long, or not masked."""
    too_long = b"\x81\xff" + (MAX_MESSAGE_BYTES + 1).to_bytes(8)
    assert frame_end(too_long) == len(too_long)
    assert frame_end(b"\x81\xff" + MAX_MESSAGE_BYTES.to_bytes(8)) == 0
    assert frame_end(b"\x81\x05") == 2
