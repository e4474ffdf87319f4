"""The relay on Daphne: what holds there (spec 6.6), where request bodies are spooled first."""

import hashlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from socket import create_connection

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import Server

from tests.serving import ROOT, environment_of, manage
from tests.tunnel.kit import RawPeer, SiteBehind, Visitor, hello, serving_client
from tests.tunnel.wire.conftest import SETTINGS
from tests.tunnel.wire.test_pages import cut_after_its_beginning, digest
from tests.tunnel.wire.test_sockets import site  # noqa: F401  (a fixture)
from tunnel.core.frames import Fatal, Open

LISTENING = re.compile(r"Listening on TCP address 127\.0\.0\.1:(\d+)")


class OnDaphne:
    """A relay's port and a token for every name."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnDaphne]:
    """The stock command, which the site gives its adapter."""
    data: Path = tmp_path_factory.mktemp("daphne")
    assert manage(SETTINGS, data, "migrate", "--no-input").returncode == 0
    token = manage(SETTINGS, data, "tunnel_token", "issue", "daphne", "--scope", "*").stdout.strip()
    command = [
        str(Path(sys.executable).parent / "daphne"),
        "-p",
        "0",
        "-b",
        "127.0.0.1",
        "quizsite.asgi:application",
    ]
    environment = environment_of(SETTINGS, data)
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    found = next((match for line in process.stdout if (match := LISTENING.search(line))), None)
    assert found is not None
    reader = threading.Thread(target=process.stdout.read, daemon=True)
    reader.start()
    yield OnDaphne(int(found[1]), token)
    process.terminate()
    process.wait(20)
    reader.join(20)
    process.stdout.close()


@pytest.fixture(scope="module", autouse=True)
def client(relay: OnDaphne, behind: SiteBehind) -> Iterator[None]:
    """The client that serves the site behind."""
    with serving_client(relay.port, "preview", behind.port, relay.token):
        yield


def test_pages_and_bodies_come_through(relay: OnDaphne, behind: SiteBehind) -> None:
    """Several cookies stay several; ten mebibytes arrive whole."""
    behind.says(
        "/lines", b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok"
    )
    behind.on("/digest", digest)
    sent = os.urandom(10_485_760)
    with Visitor(relay.port, "preview") as visitor:
        reply = visitor.ask("/lines").reply()
        assert (reply.status, reply.body, reply.values("set-cookie")) == (200, b"ok", ["a=1", "b=2"])
        visitor.ask("/digest", f"Content-Length: {len(sent)}", method="POST", body=sent)
        assert visitor.reply().body == f"{len(sent)} {hashlib.sha256(sent).hexdigest()}".encode()


def test_the_relays_own_answers_are_the_same(relay: OnDaphne) -> None:
    """Unknown names, bad hosts, bodies that are too large."""
    for name, lines, body, status, error in (
        ("nobody", (), b"", 404, "no_peer"),
        ("a.b", (), b"", 400, "bad_host"),
        ("preview", ("Content-Length: 10485761",), bytes(10_485_761), 413, "too_large"),
    ):
        with Visitor(relay.port, name) as visitor:
            reply = visitor.ask("/", *lines, method="POST" if body else "GET", body=body).reply()
            assert (reply.status, reply.error) == (status, error)


def test_a_response_that_breaks_off_is_seen_to_break_off(relay: OnDaphne, behind: SiteBehind) -> None:
    """Also on this server."""
    begun = cut_after_its_beginning(behind, b"Content-Length: 100\r\n")
    with Visitor(relay.port, "preview") as visitor:
        assert visitor.ask("/cut").head().status == 200
        begun.set()
        assert len(visitor.rest()) < 100


def test_a_visitor_that_leaves_is_noticed_and_a_wrong_token_told_so(relay: OnDaphne) -> None:
    """The peer need not go on; the client can read why."""
    with RawPeer(relay.port, relay.token, hello("slow")) as peer:
        peer.ready()
        with Visitor(relay.port, "slow") as visitor:
            visitor.ask("/")
            peer.next_of(Open)
    with RawPeer(relay.port, f"tnl_abcdefghi123_{'x' * 43}", None) as stranger:
        assert stranger.next_of(Fatal).code == "unauthorized"
        assert stranger.ended().rcvd.code == 1008  # type: ignore[union-attr]


def test_messages_and_closes_come_through(relay: OnDaphne, site: Server) -> None:  # noqa: F811
    """As on uvicorn."""
    with (
        serving_client(relay.port, "socket", site.socket.getsockname()[1], relay.token),
        connect(
            f"ws://socket.tunnel.localhost:{relay.port}/",
            sock=create_connection(("127.0.0.1", relay.port)),
            proxy=None,
        ) as socket,
    ):
        for message in ("hello", b"\0\xff", "x" * 100_000):
            socket.send(message)
            assert socket.recv(20) == message
        socket.send("close")
        with pytest.raises(ConnectionClosed) as ended:
            socket.recv(20)
        assert ended.value.rcvd is not None
        assert (ended.value.rcvd.code, ended.value.rcvd.reason) == (4321, "for a reason")
