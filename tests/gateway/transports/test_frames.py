"""The bytes of a text message, made once for all its receivers."""

import pytest
from websockets.frames import Frame, Opcode

from gateway.transports.frames import text_frame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 200_000])
def test_a_frame_is_what_the_library_would_have_made(size: int) -> None:
    """At every size at which the length is written differently."""
    payload = b"x" * size
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


def test_a_broadcast_is_framed_once() -> None:
    """The same object gets the same frame, without a copy for each receiver."""
    payload = b"to all of you"
    assert text_frame(payload) is text_frame(payload)


def test_another_message_in_between_changes_nothing_but_the_cost() -> None:
    """One entry is remembered; what it remembers is never given for something else."""
    one, other = b"one", b"other"
    first = text_frame(one)
    assert text_frame(other) == b"\x81\x05other"
    assert text_frame(one) == first
