"""WebSockets through the tunnel (spec 6.2): messages, codes and reasons as without it."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from socket import create_connection

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.http11 import Request, Response
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from tests.tunnel.kit import RawPeer, hello, serving_client
from tests.tunnel.wire.conftest import Relay
from tunnel.core.frames import Accepted, Data, Open, Reset, WsAccept, WsClose

MIB = 1 << 20
closes: list[tuple[int, str]] = []
closed = threading.Semaphore(0)


def handler(socket: ServerConnection) -> None:
    """Echoes, until told by a text to close or to drop."""
    assert socket.request is not None
    try:
        if socket.request.path == "/headers":
            socket.send(
                "\n".join(f"{name}: {value}".lower() for name, value in socket.request.headers.raw_items())
            )
        for message in socket:
            if message == "close":
                socket.close(4321, "for a reason")
            elif message == "drop":
                socket.socket.shutdown(2)
            else:
                socket.send(message)
    finally:
        close = socket.protocol.close_rcvd
        closes.append((1006, "") if close is None else (int(close.code), close.reason))
        closed.release()


def refuse(socket: ServerConnection, request: Request) -> Response | None:
    """A site that lets nobody in at one path."""
    return socket.respond(HTTPStatus.FORBIDDEN, "not you\n") if request.path == "/refused" else None


def choose(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The last one that is offered."""
    return offered[-1] if offered else None


@pytest.fixture(scope="module")
def site() -> Iterator[Server]:
    """A WebSocket server."""
    with serve(
        handler, "127.0.0.1", 0, process_request=refuse, select_subprotocol=choose, compression=None
    ) as server:  # type: ignore[list-item]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module", autouse=True)
def tunnelled(relay: Relay, site: Server) -> Iterator[None]:
    """The client that serves it."""
    with serving_client(relay.port, "socket", site.socket.getsockname()[1], relay.token):
        yield


def visit(relay: Relay, path: str = "/", name: str = "socket", **options: object) -> ClientConnection:
    """A visitor's WebSocket."""
    uri = f"ws://{name}.tunnel.localhost:{relay.port}{path}"
    return connect(uri, sock=create_connection(("127.0.0.1", relay.port)), proxy=None, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("message", ["", "hello", "ünïcödé", b"", b"\0\xff", "x" * 100_000, bytes(MIB)])
def test_a_message_comes_back_as_it_was(relay: Relay, message: str | bytes) -> None:
    """Text stays text, whatever its size; a long one is longer than any window."""
    with visit(relay) as socket:
        socket.send(message)
        assert socket.recv(20) == message


def test_fragments_are_one_message_and_many_messages_stay_in_order(relay: Relay) -> None:
    """However they were cut."""
    with visit(relay) as socket:
        socket.send(["in ", "three ", "pieces"])
        assert socket.recv(20) == "in three pieces"
        for number in range(200):
            socket.send(str(number))
        assert [socket.recv(20) for _ in range(200)] == [str(number) for number in range(200)]


def test_the_sites_close_reaches_the_visitor_with_code_and_reason(relay: Relay) -> None:
    """Games say with it why it is over."""
    with visit(relay) as socket:
        socket.send("close")
        with pytest.raises(ConnectionClosed) as ended:
            socket.recv(20)
    assert ended.value.rcvd is not None
    assert (ended.value.rcvd.code, ended.value.rcvd.reason) == (4321, "for a reason")


def test_the_visitors_close_reaches_the_site_with_code_and_reason(relay: Relay) -> None:
    """After the message that was sent before it. A socket of an earlier test may still be ending."""
    with visit(relay) as socket:
        socket.send("last")
        socket.close(4000, "done")
    while (4000, "done") not in closes:
        assert closed.acquire(timeout=20)


def test_a_site_that_drops_is_a_drop(relay: Relay) -> None:
    """1006 on both sides: no code was sent by anybody."""
    with visit(relay) as socket:
        socket.send("drop")
        with pytest.raises(ConnectionClosed) as ended:
            socket.recv(20)
    assert ended.value.rcvd is None


def test_text_that_is_none_ends_the_socket_and_not_the_tunnel(relay: Relay) -> None:
    """A peer is somebody else's program: its bytes are not passed on as text."""
    with RawPeer(relay.port, relay.token, hello("garbled")) as peer, ThreadPoolExecutor(1) as pool:
        peer.ready()
        visiting = pool.submit(lambda: visit(relay, name="garbled").__enter__())  # type: ignore[attr-defined]
        stream = peer.next_of(Open).stream
        peer.send(WsAccept(stream, Accepted()))
        socket = visiting.result(20)
        peer.send(Data(stream, b"\xff", fin=True, text=True))
        with pytest.raises(ConnectionClosed) as ended:
            socket.recv(20)
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1007
        assert peer.next_of(Reset, WsClose).stream == stream


def test_a_socket_whose_tunnel_breaks_is_dropped(relay: Relay) -> None:
    """As by a lost network: the page's own code decides whether to come back."""
    with RawPeer(relay.port, relay.token, hello("brittle")) as peer, ThreadPoolExecutor(1) as pool:
        peer.ready()
        visiting = pool.submit(lambda: visit(relay, name="brittle").__enter__())  # type: ignore[attr-defined]
        peer.send(WsAccept(peer.next_of(Open).stream, Accepted()))
        socket = visiting.result(20)
    with pytest.raises(ConnectionClosed) as ended:
        socket.recv(20)
    assert ended.value.rcvd is None


def test_a_subprotocol_is_chosen_by_the_site(relay: Relay) -> None:
    """From what the visitor offered."""
    with visit(relay, subprotocols=["one", "two"]) as socket:
        assert socket.subprotocol == "two"


def test_a_refusal_of_the_site_is_the_visitors_answer(relay: Relay) -> None:
    """With its status and its body."""
    with pytest.raises(InvalidStatus) as refused, visit(relay, "/refused"):
        pass
    assert refused.value.response.status_code == 403
    assert refused.value.response.body == b"not you\n"


def test_nobody_at_home_is_a_502_and_an_unknown_name_a_404(relay: Relay) -> None:
    """Before the upgrade, as for pages."""
    for name, status, error in (("nobody", 404, "no_peer"), ("a.b", 400, "bad_host")):
        with pytest.raises(InvalidStatus) as refused, visit(relay, name=name):
            pass
        response = refused.value.response
        assert (response.status_code, response.headers["x-tunnel-error"]) == (status, error)


def test_what_a_visitor_says_about_itself_is_replaced_here_too(relay: Relay) -> None:
    """The address by which players are told apart must not be typed by one of them."""
    claims = {"X-Forwarded-For": "10.1.1.1", "X-Real-IP": "10.1.1.1", "Cookie": "a=1"}
    with visit(relay, "/headers", additional_headers=claims) as socket:
        lines = str(socket.recv(20)).splitlines()
    assert "x-forwarded-for: 127.0.0.1" in lines
    assert "cookie: a=1" in lines
    assert f"host: socket.tunnel.localhost:{relay.port}" in lines
    assert not any("10.1.1.1" in line for line in lines)
