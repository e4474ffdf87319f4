"""How sockets end: the code and the reason on the wire and for the application (spec 1.7)."""

import pytest

from gateway.core import closing
from tests.conformance.conftest import Server
from tests.conformance.raw import CLOSE, TEXT, frame

CODES = sorted({ending.code for ending in closing.SERVER_ENDINGS} | {1001, 1011, 1014, 3000})
PRIVATE = [code for code in CODES if code == 1000 or code >= 3000]
PROTOCOL = [code for code in CODES if code not in PRIVATE]
REASONS = sorted(
    {(ending.code, ending.reason) for ending in closing.SERVER_ENDINGS if ending.code in PRIVATE}
)
CLOSE_TIMEOUT_S = 2.0
"""Spec 1.5."""


def closes(server: Server, name: str, code: int, reason: str) -> tuple[int, str]:
    """What arrives when the application closes; it keeps its own code, whatever the client answers."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text(f"!close {code} {reason}")
        got = client.closed_with()
        client.close(4999)
        client.ending()
    assert server.seen(name)["close"] == [code, reason, "server"]
    return got


@pytest.mark.parametrize("code", PRIVATE)
def test_a_private_code_of_the_application_arrives(server: Server, name: str, code: int) -> None:
    """1000 and the codes that applications define."""
    assert closes(server, name, code, "why")[0] == code


@pytest.mark.parametrize("code", PROTOCOL)
def test_a_protocol_code_of_the_application_arrives(server: Server, name: str, code: int) -> None:
    """The codes of RFC 6455 that a server may send: 1008, 1012, 1013 and the others."""
    assert closes(server, name, code, "why")[0] == code


@pytest.mark.parametrize(("code", "reason"), REASONS, ids=[reason for _, reason in REASONS])
def test_a_reason_of_the_application_arrives(server: Server, name: str, code: int, reason: str) -> None:
    """Every reason of the one table."""
    assert closes(server, name, code, reason) == (code, reason)


def test_a_reason_that_is_too_long_is_cut_between_characters(server: Server, name: str) -> None:
    """A close frame holds 123 bytes of reason (RFC 6455, 5.5)."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text("!close 4000 " + "ü" * 100)
        assert client.closed_with() == (4000, "ü" * 61)


@pytest.mark.parametrize("code", [1000, 1001, 1008, 1009, 1011, 1012, 3000, 4000, 4999])
def test_the_application_sees_the_code_that_the_peer_sent(server: Server, name: str, code: int) -> None:
    """Its own, whatever it is, and that it was the peer's."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.close(code, "bye")
        assert client.closed_with()[0] in (code, 1000)
        assert client.ending() == "fin"
    assert server.seen(name)["close"][::2] == [code, "client"]


def test_the_application_sees_the_reason_of_the_peer(server: Server, name: str) -> None:
    """For the log."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.close(4000, "Replacing socket")
        client.closed_with()
    assert server.seen(name)["close"][1] == "Replacing socket"


def test_an_empty_close_is_1005(server: Server, name: str) -> None:
    """No status was given: not a drop, not 1000."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.close(None)
        client.ending()
    assert server.seen(name)["close"][::2] == [1005, "client"]


@pytest.mark.parametrize("how", ["fin", "rst"])
def test_a_drop_is_1006(server: Server, name: str, how: str) -> None:
    """A connection that ends without a close frame is a network drop."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text("there?")
        client.receive()
        client.reset() if how == "rst" else client.sock.close()
    assert server.seen(name)["close"] == [1006, "", "network"]


def test_a_drop_is_1006_for_an_application_without_port(server: Server, name: str) -> None:
    """The same code through plain ASGI."""
    with server.connect() as client:
        client.open(f"/asgi?id={name}")
        client.text("there?")
        client.receive()
        client.sock.close()
    assert server.seen(name)["close"][0] == 1006


def test_a_peer_that_leaves_during_the_handshake_is_noticed(server: Server, name: str) -> None:
    """Admission can stop waiting for it: the application is told before it has answered."""
    with server.connect() as client:
        client.ask(f"/late?id={name}")
        server.ask(f"/asked/{name}")
    server.ask(f"/left/{name}")


def test_messages_before_a_close_in_the_same_packet_are_delivered(server: Server, name: str) -> None:
    """ "Leave the room" and the close that follows it are both heard."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"last words") * 3 + frame(CLOSE, b"\x03\xe9"))
        client.closed_with()
    seen = server.seen(name)
    assert (seen["messages"], seen["close"][0]) == (3, 1001)


def test_nothing_is_delivered_after_a_close_of_the_application(server: Server, name: str) -> None:
    """What comes behind the message that made the application close is thrown away."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.send(frame(TEXT, b"!close 1000 Disposed") + frame(TEXT, b"more") * 10)
        assert client.closed_with() == (1000, "Disposed")
    assert server.seen(name)["messages"] == 1


def test_a_peer_that_does_not_answer_a_close_is_cut_off_within_two_seconds(server: Server, name: str) -> None:
    """No socket waits for a closing handshake that does not come."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text("!close 4002 Heartbeat timeout")
        client.closed_with()
        client.sock.settimeout(CLOSE_TIMEOUT_S)
        assert client.ending() in ("rst", "fin")


def test_an_exception_of_the_application_is_1011(server: Server, name: str) -> None:
    """We broke, and say so; never a bare drop."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text("!raise")
        assert client.closed_with()[0] == 1011


def test_an_exception_of_an_application_without_port_is_1011(server: Server, name: str) -> None:
    """The same for plain ASGI."""
    with server.connect() as client:
        client.open(f"/asgi?id={name}")
        client.text("!raise")
        assert client.closed_with()[0] == 1011


def test_writing_to_a_client_that_has_left_is_no_error(server: Server, name: str) -> None:
    """The application is told by an exception; that it lets it pass costs no traceback."""
    before = len(server.log_text())
    with server.connect() as client:
        client.open(f"/asgi?id={name}")
        client.text("!write-on")
        client.receive()
        client.reset()
    server.seen(name)
    server.ask("/now/x")
    assert "Traceback" not in server.log_text()[before:]


def test_an_application_that_returns_closes_the_socket(server: Server, name: str) -> None:
    """With a close frame: a bare drop would be a network fault to the client, and it would come again."""
    with server.connect() as client:
        client.open(f"/asgi?id={name}")
        client.text("!return")
        assert client.closed_with()[0] == 1000


@pytest.mark.parametrize("code", [1000, 1013, 4004])
def test_an_application_without_port_closes_with_any_code_and_reason(
    server: Server, name: str, code: int
) -> None:
    """Plain ASGI may send every code that a server may send."""
    with server.connect() as client:
        client.open(f"/asgi?id={name}")
        client.text(f"!close {code}")
        assert client.closed_with() == (code, "as told")
