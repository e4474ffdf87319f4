"""Where frames and whole messages end: at which byte, of which frames, and what is left to the library."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Opcode

from gateway.transports.port import MAX_MESSAGE_BYTES
from gateway.transports.whole import frame_end, is_utf8, whole_message
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


@given(st.binary(max_size=40))
def test_bytes_that_are_no_frame_break_nothing(data: bytes) -> None:
    """What they are is the library's to say, and it is shown at least two of them."""
    assert 0 <= frame_end(data) <= len(data)
    assert whole_message(data, 0) is None or data[0] in (0x81, 0x82)
    assert whole_message(data, len(data)) is None


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
