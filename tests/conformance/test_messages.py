"""What a message is, and what is none: binary, fragments, sizes, UTF-8, protocol errors, pings (spec 1.3)."""

import pytest

from tests.conformance.conftest import Server
from tests.conformance.raw import BINARY, CONT, PING, PONG, TEXT, Frame, frame

MIB = 1_048_576


def test_text_and_binary_are_one_to_the_application(server: Server, name: str) -> None:
    """A binary message with the same bytes is the same message."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"same") + frame(BINARY, b"same"))
        assert [client.receive().payload for _ in "12"] == [b"same", b"same"]


@pytest.mark.parametrize("size", [1, 125, 126, 65_535, 65_536])
def test_a_mask_is_taken_off_whatever_the_length(server: Server, name: str, size: int) -> None:
    """Each way to say a length, and a mask that changes every byte."""
    payload = b"abcdefg" * 10_000
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, payload[:size], mask=b"\x11\x22\x44\x88"))
        assert client.receive().payload == payload[:size]


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
def test_a_message_in_fragments_arrives_whole(server: Server, name: str, opcode: int) -> None:
    """Fragments are joined, also when one cuts a character in two, and a ping between them is answered."""
    whole = "Zürich → العربية".encode()
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(opcode, whole[:2], fin=False) + frame(PING, b"between"))
        client.send(frame(CONT, whole[2:9], fin=False) + frame(CONT, b"", fin=False) + frame(CONT, whole[9:]))
        assert client.receive() == Frame(PONG, b"between")
        assert client.receive().payload == whole


def test_a_message_of_1024_fragments_is_accepted(server: Server, name: str) -> None:
    """The limit itself is allowed."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"a", fin=False) + frame(CONT, b"b", fin=False) * 1022 + frame(CONT, b"c"))
        assert client.receive().payload == b"a" + b"b" * 1022 + b"c"


def test_a_message_of_1025_fragments_is_1008(server: Server, name: str) -> None:
    """Empty fragments cost memory and never end."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 1024)
        assert client.closed_with() == (1008, "Unfinished message")
    assert server.seen(name)["close"] == [1008, "Unfinished message", "server"]


@pytest.mark.parametrize(
    "part",
    [frame(TEXT, b"a", fin=False), frame(TEXT, b"abcd")[:-1], frame(TEXT, b"abcd")[:2]],
    ids=["fragment", "half a frame", "half a header"],
)
def test_a_message_that_does_not_end_is_1008(server: Server, name: str, part: bytes) -> None:
    """Half a message may not stay for ever, pings or not."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(part)
        assert client.closed_with() == (1008, "Unfinished message")


def test_messages_that_end_reset_the_clock_of_the_unfinished(server: Server, name: str) -> None:
    """A busy client whose packets always end inside a frame is not slow: only the last message is."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        one = frame(TEXT, b"abcd")
        client.send(one[:3])
        for _ in range(5):
            client.send(one[3:] + one[:3])
            assert client.receive().payload == b"abcd"
        assert client.closed_with() == (1008, "Unfinished message")


def test_one_mebibyte_reaches_the_application(server: Server, name: str) -> None:
    """The server's cap lies above the application's, so that the application can answer (spec 1.8)."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text(b"a" * MIB)
        assert len(client.receive().payload) == MIB


@pytest.mark.parametrize(
    "frames",
    [frame(TEXT, b"a" * (MIB + 1)), frame(TEXT, b"a" * MIB, fin=False) + frame(CONT, b"a" * 100)],
    ids=["one frame", "fragments"],
)
def test_more_than_one_mebibyte_is_1009(server: Server, name: str, frames: bytes) -> None:
    """The client reads the close frame although it is still sending; the application sees the same code."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.push(frames, at_most=len(frames))
        assert client.closed_with()[0] == 1009
    assert server.seen(name)["close"][0] == 1009


@pytest.mark.parametrize(
    "payload", [b"\xff\xfe", b"\xed\xa0\x80", b"\xc3"], ids=["no start byte", "surrogate", "cut short"]
)
def test_invalid_utf8_in_a_text_message_is_1007(server: Server, name: str, payload: bytes) -> None:
    """RFC 6455, 8.1. The application never sees it."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text(payload)
        assert client.closed_with()[0] == 1007
    seen = server.seen(name)
    assert seen["close"][0] == 1007
    assert seen["messages"] == 0


def test_invalid_utf8_costs_no_traceback(server: Server, name: str) -> None:
    """Hostile input is no error of ours."""
    before = len(server.log_text())
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text(b"\xff")
        client.closed_with()
    server.seen(name)
    assert "Traceback" not in server.log_text()[before:]


def test_a_binary_message_may_hold_anything(server: Server, name: str) -> None:
    """Bytes that are no UTF-8 are the application's to judge."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(BINARY, b"#\xff") + frame(TEXT, b"next"))
        assert client.receive().payload == b"next"
    assert server.seen(name)["messages"] == 2


@pytest.mark.parametrize(
    "wrong",
    [
        frame(TEXT, b"a", masked=False),
        frame(TEXT, b"a", rsv=4),
        frame(TEXT, b"a", rsv=1),
        frame(0x3, b"a"),
        frame(CONT, b"a"),
        frame(TEXT, b"a", fin=False) + frame(TEXT, b"b"),
        frame(PING, b"a", fin=False),
        frame(PING, b"a" * 126),
        frame(0x8, b"\x03\xec"),
        frame(0x8, b"\x03"),
    ],
    ids=[
        "unmasked",
        "rsv1",
        "rsv3",
        "opcode",
        "no start",
        "no end",
        "fragmented ping",
        "long ping",
        "bad code",
        "half a code",
    ],
)
def test_a_protocol_error_is_1002(server: Server, name: str, wrong: bytes) -> None:
    """The library finds it, the client reads it, the application is told the same code."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(wrong)
        assert client.closed_with()[0] == 1002
    assert server.seen(name)["close"][0] == 1002


def test_a_fault_that_the_server_found_is_told_from_a_code_that_the_peer_sent(
    server: Server, name: str
) -> None:
    """1002 by the server is not a client that sends 1002: the table of endings asks who (spec 1.7)."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"a", masked=False))
        client.closed_with()
    assert server.seen(name)["close"][2] == "server"


def test_a_message_before_a_fault_in_the_same_packet_is_delivered(server: Server, name: str) -> None:
    """What was good was good."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"good") + frame(0x3, b"bad"))
        client.closed_with()
    assert server.seen(name)["messages"] == 1


def test_thirty_pings_are_answered_in_order(server: Server, name: str) -> None:
    """The limit itself is allowed (spec 1.3)."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(b"".join(frame(PING, b"%d" % n) for n in range(30)))
        assert [client.receive() for _ in range(30)] == [Frame(PONG, b"%d" % n) for n in range(30)]


def test_more_pings_are_1008(server: Server, name: str) -> None:
    """Each costs a pong."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(PING) * 31)
        assert client.closed_with() == (1008, "Ping rate exceeded")
    assert server.seen(name)["close"] == [1008, "Ping rate exceeded", "server"]


def test_pongs_that_nobody_asked_for_are_ignored(server: Server, name: str) -> None:
    """Some clients send them as heartbeats (RFC 6455, 5.5.3)."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(PONG, b"1234") * 100 + frame(TEXT, b"next"))
        assert client.receive().payload == b"next"
