"""The relay on Daphne: what holds there (spec 6.6), where request bodies are spooled first.

Some tests are those of uvicorn, imported: with this module's relay they are about Daphne.
"""

import hashlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from socket import create_connection

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.serving import ROOT, environment_of, manage
from tests.tunnel.kit import RawPeer, SiteBehind, Visitor, hello, serving_client
from tests.tunnel.wire.conftest import SETTINGS, memory_of
from tests.tunnel.wire.test_limits import (  # noqa: F401  (tests, which run here too)
    MIB,
    test_a_body_that_is_too_large_is_answered_while_it_arrives,
    test_a_body_that_stops_arriving_is_a_408_and_a_peer_that_does_not_answer_a_504,
    test_a_large_refused_upload_costs_no_memory,
    test_a_peer_that_sends_without_credit_is_put_out,
    test_a_visitor_that_ends_its_half_has_left,
    test_a_visitor_that_is_stopped_in_a_download_fills_nothing_and_gets_it_whole,
    test_a_visitor_that_never_reads_stops_the_site_and_fills_nothing,
)
from tests.tunnel.wire.test_pages import (  # noqa: F401  (tests, which run here too)
    cut_after_its_beginning,
    digest,
    test_a_response_that_breaks_off_is_seen_to_break_off,
    test_an_absolute_target_goes_to_the_peer_of_its_host_header_and_nowhere_else,
    test_an_interim_answer_is_not_the_answer,
    test_each_event_arrives_before_the_next_is_sent,
    test_fifty_mebibytes_come_down_whole,
    test_framing_that_could_be_read_in_two_ways_is_refused,
    test_no_host_is_none_either,
    test_odd_paths_and_queries_arrive_byte_for_byte,
    test_repeated_header_lines_come_in_order,
    test_responses_without_a_body_hang_nobody,
    test_the_head_of_a_response_does_not_wait_for_its_body,
    test_two_hosts_are_none,
    test_what_is_not_http_is_a_502,
)
from tests.tunnel.wire.test_sockets import (  # noqa: F401  (two fixtures, and a test that runs here too)
    site,
    test_what_a_visitor_says_about_itself_is_replaced_here_too,
    tunnelled,
)
from tunnel.core.frames import Fatal, Open, Reset, Stop

LISTENING = re.compile(r"Listening on TCP address 127\.0\.0\.1:(\d+)")


class OnDaphne:
    """A relay's port and a token for every name."""

    def __init__(self, port: int, token: str, pid: int) -> None:
        self.port = port
        self.token = token
        self._pid = pid

    @property
    def memory(self) -> int:
        """Bytes that the relay's process has in memory."""
        return memory_of(self._pid)


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
    yield OnDaphne(int(found[1]), token, process.pid)
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
    for name, status, error in (("nobody", 404, "no_peer"), ("a.b", 400, "bad_host")):
        with Visitor(relay.port, name) as visitor:
            reply = visitor.ask("/").reply()
            assert (reply.status, reply.error) == (status, error)


@pytest.mark.parametrize(
    ("host", "path", "accept", "kind"),
    [
        (None, "/", "text/html", "text/html; charset=utf-8"),
        (None, "/", "*/*", "application/json"),
        ("127.0.0.1", "/_bifrost/preview/", "*/*", "application/json"),
    ],
)
def test_a_refused_body_is_answered_before_anything_of_it_came(
    relay: OnDaphne, host: str | None, path: str, accept: str, kind: str
) -> None:
    """By its declared length, by name and by path, as a page or as JSON; and nobody is told to go on."""
    with Visitor(relay.port, "preview", host) as visitor:
        lines = ("Content-Length: 52428800", "Expect: 100-continue", f"Accept: {accept}")
        reply = visitor.ask(path, *lines, method="POST").reply()
        assert (reply.status, reply.error) == (413, "too_large")
        assert reply.values("content-type") == [kind]
        assert (reply.values("connection"), reply.values("cache-control")) == (["close"], ["no-store"])


def test_the_sites_own_pages_have_no_limit_of_the_tunnels(relay: OnDaphne) -> None:
    """What the site takes is the site's business."""
    sent = bytes(11 * MIB)
    with Visitor(relay.port, host="127.0.0.1") as visitor:
        with suppress(OSError):  # it may have a limit of its own
            visitor.ask("/nothing-here", f"Content-Length: {len(sent)}", method="POST", body=sent)
        assert visitor.reply().error == ""


def test_a_refused_upload_that_ends_in_time_ends_the_connection_at_once(relay: OnDaphne) -> None:
    """What was thrown away is bounded in time and size; a body that is over needs no waiting."""
    with Visitor(relay.port, "preview") as visitor:
        body = b"%x\r\n%s\r\n" % (MIB, bytes(MIB)) * 10 + b"1\r\n!\r\n0\r\n\r\n"
        visitor.ask("/digest", "Transfer-Encoding: chunked", method="POST", body=body)
        assert visitor.reply().status == 413
        assert visitor.rest() == b""


def test_a_visitor_that_leaves_is_noticed_and_a_wrong_token_told_so(relay: OnDaphne) -> None:
    """The peer need not go on; the client can read why."""
    with RawPeer(relay.port, relay.token, hello("slow")) as peer:
        peer.ready()
        with Visitor(relay.port, "slow") as visitor:
            visitor.ask("/")
            peer.next_of(Open)
        assert peer.next_of(Reset).content.code is Stop.CANCELLED
    with RawPeer(relay.port, f"tnl_abcdefghi123_{'x' * 43}", None) as stranger:
        assert stranger.next_of(Fatal).code == "unauthorized"
        assert stranger.ended().rcvd.code == 1008  # type: ignore[union-attr]


def test_messages_and_closes_come_through(relay: OnDaphne) -> None:
    """As on uvicorn."""
    with connect(
        f"ws://socket.tunnel.localhost:{relay.port}/",
        sock=create_connection(("127.0.0.1", relay.port)),
        proxy=None,
    ) as socket:
        for message in ("hello", b"\0\xff", "x" * 100_000):
            socket.send(message)
            assert socket.recv(20) == message
        socket.send("close")
        with pytest.raises(ConnectionClosed) as ended:
            socket.recv(20)
        assert ended.value.rcvd is not None
        assert (ended.value.rcvd.code, ended.value.rcvd.reason) == (4321, "for a reason")
