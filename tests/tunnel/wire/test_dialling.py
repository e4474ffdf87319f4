"""What the client does with a relay that is none, or not the one that was named (spec 6.1, 6.5)."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus

import pytest
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

from tests.tunnel.kit import START_S, Client
from tunnel.core.codec import encode
from tunnel.core.frames import Fatal, Head, Ready, ResponseHead

TOKEN = f"tnl_abcdefghi123_{'x' * 43}"
Handler = Callable[[ServerConnection], None]


@contextmanager
def relay(handler: Handler, answer: Callable[[Request], Response | None] | None = None) -> Iterator[int]:
    """A relay made by hand; ``answer`` may refuse the upgrade."""
    process = None if answer is None else lambda _socket, request: answer(request)
    with serve(handler, "127.0.0.1", 0, process_request=process, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.socket.getsockname()[1]
        server.shutdown()
        thread.join()


@contextmanager
def dialling(port: int, *more: str, **environment: str) -> Iterator[Client]:
    """A client that dials it."""
    client = Client(["preview", "--relay", f"ws://127.0.0.1:{port}", *more], TOKEN, **environment)
    try:
        yield client
    finally:
        client.stop()


def test_a_close_with_1008_is_a_rejection_even_without_a_reason() -> None:
    """No script should go on trying."""
    with relay(lambda socket: socket.close(1008)) as port, dialling(port) as client:
        assert client.wait() == 3
        assert client.log == "rejected: unauthorized\n"


def test_a_refusal_that_may_pass_is_tried_again() -> None:
    """With the relay's own word for it."""

    def busy(socket: ServerConnection) -> None:
        socket.recv()
        socket.send(encode(Fatal("second_relay", "another process is the relay", retry=True)))

    with relay(busy) as port, dialling(port) as client:
        assert client.says(r"no connection: another process is the relay; trying again in \d", 2)


def test_a_redirect_is_not_followed_and_the_token_is_not_sent_elsewhere() -> None:
    """Whoever answers for the relay must not learn who else gets its clients' tokens."""
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.settimeout(0)
        where = f"ws://127.0.0.1:{elsewhere.getsockname()[1]}/"

        def moved(request: Request) -> Response:
            headers = request.headers.__class__({"Location": where, "Content-Length": "0"})
            return Response(HTTPStatus.TEMPORARY_REDIRECT, "moved", headers, b"")

        with relay(lambda socket: None, moved) as port, dialling(port) as client:
            assert client.says(r"no connection: .*307.*; trying again", 2)
        try:
            elsewhere.accept()
        except BlockingIOError:
            return
        raise AssertionError("the client followed a redirect")


def test_no_proxy_of_the_environment_is_used() -> None:
    """The token goes to the relay that was named, and to nobody on the way."""
    nobody = "http://127.0.0.1:1"
    arrived = threading.Event()
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"), nobody)
    with relay(lambda socket: arrived.set()) as port, dialling(port, **proxies):
        assert arrived.wait(START_S)


def test_the_token_travels_in_a_header_and_never_in_the_address() -> None:
    """Addresses end up in logs."""
    seen: list[Request] = []

    def look(request: Request) -> None:
        seen.append(request)

    with relay(lambda socket: socket.close(1008), look) as port, dialling(port) as client:
        client.wait()
    assert seen[0].path == "/_tunnel"
    assert seen[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in client.log


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    "garbage", [b"", b"\x99" * 20, encode(Head(7, ResponseHead(200))), encode(Ready("s", "u", 1, 1)) * 2, "t"]
)
def test_garbage_from_a_relay_ends_the_connection_and_not_the_client(
    garbage: bytes | str, first: bool
) -> None:
    """Instead of its first frame or after it: the client comes back, as after any loss."""

    def speak(socket: ServerConnection) -> None:
        socket.recv()
        if not first:
            socket.send(encode(Ready("s", "http://preview.example/", 1, 1)))
        socket.send(garbage)

    with relay(speak) as port, dialling(port) as client:
        assert client.says(r"(?:no connection|lost): .+; trying again in")
        assert client.stop() == 0
