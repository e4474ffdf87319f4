"""Frames as bytes (spec 6.2): every frame comes back as it was, and no bytes do anything but be refused."""

import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunnel.core.codec import FrameTooLargeError, decode, encode
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
    Stop,
    Why,
    WsAccept,
    WsClose,
)

streams = st.integers(1, MAX_STREAM)
latin = st.text(st.characters(max_codepoint=255), max_size=20)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
lines = st.lists(st.tuples(latin, latin), max_size=4).map(tuple)
stops = st.sampled_from(Stop)
requests = st.builds(
    RequestHead, words, words, lines, st.sampled_from(["http", "https"]), words, words, st.booleans()
)
frames: st.SearchStrategy[Any] = st.one_of(
    st.builds(Hello, st.lists(words, max_size=3).map(tuple), words, words, st.integers(65536, 10**6)),
    st.builds(Ready, words, words, st.integers(1, 999), st.integers(1, 10**7), st.none() | st.floats(0, 1e9)),
    st.builds(Fatal, words, words, st.booleans()),
    st.builds(GoAway, st.integers(0, MAX_STREAM), stops, words),
    st.builds(Ping, st.binary(min_size=8, max_size=8)),
    st.builds(Pong, st.binary(min_size=8, max_size=8)),
    st.builds(Open, streams, requests, st.booleans()),
    st.builds(Head, streams, st.builds(ResponseHead, st.integers(), lines), st.booleans()),
    st.builds(Data, streams, st.binary(max_size=100), st.booleans(), st.booleans(), st.booleans()),
    st.builds(Credit, streams, st.integers(1, MAX_WINDOW_BYTES)),
    st.builds(Reset, streams, st.builds(Why, stops, words)),
    st.builds(WsAccept, streams, st.builds(Accepted, st.none() | words, lines)),
    st.builds(WsClose, streams, st.builds(Closing, st.integers(1000, 4999), words)),
)


@given(frames)
def test_a_frame_comes_back_as_it_was(frame: Frame) -> None:
    """Whatever is in it: header lines in order, text in any script, bytes of any value."""
    if isinstance(frame, Head) and not -(2**63) <= frame.content.status < 2**64:
        return
    assert decode(encode(frame)) == frame


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused(message: bytes) -> None:
    """Nothing but `ProtocolError` comes out of hostile bytes."""
    try:
        frame = decode(message)
    except ProtocolError:
        return
    assert decode(encode(frame)) == frame


@given(frames, st.data())
def test_a_frame_with_bytes_changed_is_a_frame_or_refused(frame: Frame, data: st.DataObject) -> None:
    """Nearly right is the harder case."""
    message = bytearray(encode(frame))
    at = data.draw(st.integers(0, len(message) - 1))
    message[at] = data.draw(st.integers(0, 255))
    with suppress(ProtocolError):
        decode(bytes(message))


def raw(kind: int, payload: bytes = b"", flags: int = 0, stream: int = 0, reserved: int = 0) -> bytes:
    return struct.pack(">BBHI", kind, flags, reserved, stream) + payload


@pytest.mark.parametrize(
    ("message", "named"),
    [
        (b"\x03\0\0\0", "4 bytes"),
        (raw(0x12, bytes(MAX_PAYLOAD_BYTES + 1), stream=1), "65513 bytes"),
        (raw(3, bytes(8), reserved=7), "reserved bits are 0x0007"),
        (raw(3, bytes(8), stream=5), "stream 5"),
        (raw(3, bytes(8), flags=1), "flags 0x01"),
        (raw(3, bytes(7)), "ping of 7 bytes"),
        (raw(0x12, b"x"), "stream 0"),
        (raw(0x12, b"x", flags=8, stream=1), "flags 0x08"),
        (raw(0x14, b"{}", flags=1, stream=1), "flags 0x01"),
        (raw(0x13, b"abc", stream=1), "credit of 3 bytes"),
        (raw(0x13, bytes(4), stream=1), "credit of 0"),
        (raw(0x13, b"\xff" * 4, stream=1), "credit of 4294967295"),
        (raw(0x77, stream=1), "0x77"),
        (raw(1, b"{}"), "0x01"),
        (raw(0x10, b"{", stream=1), "0x10"),
        (raw(0x10, b'{"method":"\xff"}', stream=1), "0x10"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said(message: bytes, named: str) -> None:
    """The value that offends stands in the text."""
    with pytest.raises(ProtocolError, match=named):
        decode(message)


def test_a_head_that_does_not_fit_into_a_frame_is_not_sent() -> None:
    """The sender learns it before a byte has left, and answers 431 or 502."""
    head = ResponseHead(200, (("x", "y" * MAX_PAYLOAD_BYTES),))
    with pytest.raises(FrameTooLargeError, match="a Head of"):
        encode(Head(1, head))


def test_the_head_of_a_frame_is_eight_bytes_in_network_order() -> None:
    """Type, flags, two zero bytes, stream: other languages write clients from this."""
    assert encode(Data(258, b"hi", end=True, text=True)) == b"\x12\x05\x00\x00\x00\x00\x01\x02hi"
    assert encode(Credit(1, 65536)) == b"\x13\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00\x00"
