"""Before a socket is open: what a refusal carries, what an accept carries, what the request may smuggle."""

import json

import pytest

from tests.conformance.conftest import Server
from tests.conformance.raw import TEXT, frame

SECRET = "9f86d081884c7d65"


def test_a_refusal_arrives_with_its_status_headers_and_body(server: Server, name: str) -> None:
    """The client can read why it was refused (spec 1.2)."""
    with server.connect() as client:
        client.ask(f"/refuse?id={name}")
        answer = client.answer()
        assert answer.status == 403
        assert answer.header("x-flags-reject-reason") == "ip_connection_cap"
        assert answer.header("retry-after") == "7"
        assert answer.header("content-type") == "application/json"
        assert json.loads(answer.body)["code"] == "ip_connection_cap"
        assert answer.header("upgrade") is None
        assert client.ending() == "fin"
    assert server.seen(name)["after"] == "websocket.disconnect"


def test_a_refusal_that_nobody_reads_is_not_kept(server: Server, name: str) -> None:
    """It is given the time of a close, then the connection goes with it."""
    with server.connect(receive_buffer=4096) as client:
        client.ask(f"/refuse-at-length?id={name}")
        server.seen(name)
        assert server.forgets(client, 2.0)


def test_an_accept_carries_headers_of_the_application(server: Server, name: str) -> None:
    """Headers given with ``websocket.accept`` are in the 101."""
    with server.connect() as client:
        client.ask(f"/port?id={name}")
        answer = client.answer()
        assert answer.status == 101
        assert answer.header("x-conformance") == "yes"


def test_an_exception_before_accept_is_a_500(server: Server, name: str) -> None:
    """A broken application answers, and the connection ends."""
    with server.connect() as client:
        client.ask(f"/broken?id={name}")
        assert client.answer().status == 500
        assert client.ending() == "fin"


def test_compression_is_never_negotiated(server: Server, name: str) -> None:
    """permessage-deflate costs memory for each socket: off, however much the client wants it (spec 1.5)."""
    with server.connect() as client:
        client.ask(
            f"/port?id={name}", [("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")]
        )
        answer = client.answer()
        assert answer.status == 101
        assert answer.header("sec-websocket-extensions") is None


def test_a_frame_that_comes_before_the_answer_is_delivered_after_it(server: Server, name: str) -> None:
    """A hasty client gets its 101 first, unmixed, and its message is not lost."""
    with server.connect() as client:
        client.ask(f"/late?id={name}")
        server.ask(f"/asked/{name}")
        client.send(frame(TEXT, b"hasty"))
        server.ask(f"/release/{name}")
        assert client.answer().status == 101
        assert client.receive().payload == b"hasty"


@pytest.mark.parametrize(
    "smuggled",
    ["a\nx-evil: 1", "a\rx-evil: 1", "a\r\n x-evil: 1", "a\0x-evil: 1"],
    ids=["lf", "cr", "fold", "nul"],
)
def test_a_header_cannot_be_smuggled_in_the_value_of_another(
    server: Server, name: str, smuggled: str
) -> None:
    """Whatever a server makes of line breaks in a value, no header appears that the client did not send."""
    with server.connect() as client:
        client.ask(f"/port?id={name}", [("X-Plain", smuggled)])
        try:
            status = client.answer().status
        except (EOFError, ConnectionResetError):
            status = 400
        assert status in (101, 400)
        if status == 101:
            client.close(1000)
            assert "x-evil" not in dict(server.seen(name)["headers"])


def test_a_repeated_origin_does_not_hide_the_first(server: Server, name: str) -> None:
    """Two ``Origin`` headers arrive as two, or as one that no origin equals; never as the last alone."""
    with server.connect() as client:
        client.ask(f"/port?id={name}", [("Origin", "http://evil.example"), ("Origin", "http://localhost")])
        if client.answer().status == 101:
            client.close(1000)
            origins = [value for header, value in server.seen(name)["headers"] if header == "origin"]
            assert "evil" in "".join(origins)


def test_a_header_that_is_too_long_is_answered(server: Server, name: str) -> None:
    """A cookie of 9 KiB is let in or refused, but not left hanging."""
    with server.connect() as client:
        client.ask(f"/port?id={name}", [("Cookie", "a" * 9000)])
        assert client.answer().status in (101, 400, 431)


def test_a_request_line_that_is_not_ascii_costs_no_traceback(server: Server, name: str) -> None:
    """Hostile bytes are refused without a line in the log."""
    before = len(server.log_text())
    with server.connect() as client:
        client.ask(f"/port\xff?id={name}\xfc")
        assert client.ending() in ("fin", "rst")
    assert "Traceback" not in server.log_text()[before:]


def test_no_log_line_holds_a_query_string(server: Server, name: str) -> None:
    """It holds a reconnect token (spec 1.2): no line shows it, nor the session's cookie, at any log level."""
    for path in ("/port", "/refuse"):
        with server.connect() as client:
            client.ask(f"{path}?id={name}&reconnectToken={SECRET}", [("Cookie", f"sessionid={SECRET}")])
            client.answer()
            client.close(1000)
            client.ending()
    server.ask(f"/now/{name}?reconnectToken={SECRET}")
    server.ask("/now/last")
    assert SECRET not in server.log_text()
