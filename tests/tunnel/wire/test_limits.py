"""What the relay bounds (spec 6.1, 6.2): requests, bodies, waiting, memory; and whom it does not bother."""

import asyncio
import hashlib
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress

import pytest
from websockets.exceptions import ConnectionClosed

from tests.tunnel.kit import START_S, RawPeer, SiteBehind, Visitor, hello, serving_client
from tests.tunnel.wire.conftest import Relay
from tests.tunnel.wire.test_pages import digest
from tunnel.core.frames import Data, Head, Open, Reset, ResponseHead, Stop, Why

pytestmark = pytest.mark.usefixtures("client")

MIB = 1 << 20


def test_the_257th_request_in_flight_is_refused_and_a_visitor_that_leaves_makes_room(relay: Relay) -> None:
    """429 at once; other peers notice nothing (spec 6.1)."""
    with RawPeer(relay.port, relay.token, hello("slow")) as peer, ExitStack() as crowd:
        peer.ready()
        visitors = [crowd.enter_context(Visitor(relay.port, "slow")).ask("/") for _ in range(256)]
        for _ in visitors:  # begun and never ended: nothing of this depends on how fast the machine is
            peer.send(Head(peer.next_of(Open).stream, ResponseHead(200)))
        with Visitor(relay.port, "slow") as late:
            reply = late.ask("/").reply()
            assert (reply.status, reply.error, reply.values("retry-after")) == (429, "queue_full", ["1"])
        with Visitor(relay.port, "preview") as other:
            assert other.ask("/").reply().status == 200
        visitors[0].socket.close()
        assert peer.next_of(Reset).content.code is Stop.CANCELLED
        with Visitor(relay.port, "slow") as next_one:
            next_one.ask("/")
            peer.send(Head(peer.next_of(Open).stream, ResponseHead(204), end=True))
            assert next_one.reply().status == 204


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large_is_answered_while_it_arrives(
    relay: Relay, behind: SiteBehind, declared: bool
) -> None:
    """413 can be read by a sender that has 200 kB more under way, whether or not it said the length."""
    behind.on("/digest", digest)
    with Visitor(relay.port, "preview") as visitor:
        if declared:
            visitor.ask("/digest", f"Content-Length: {50 * MIB}", method="POST", body=bytes(200_000))
        else:
            chunk = b"%x\r\n%s\r\n" % (MIB, bytes(MIB))
            over = b"30d40\r\n" + bytes(200_000) + b"\r\n"
            visitor.ask("/digest", "Transfer-Encoding: chunked", method="POST", body=chunk * 10 + over)
        reply = visitor.reply()
    assert (reply.status, reply.error) == (413, "too_large")
    assert reply.values("connection") == ["close"]


def test_a_large_refused_upload_costs_no_memory(relay: Relay) -> None:
    """What comes after the refusal is thrown away."""
    before = relay.memory
    with Visitor(relay.port, "preview") as visitor:
        visitor.ask("/", f"Content-Length: {50 * MIB}", method="POST", body=bytes(900_000))
        assert visitor.reply().status == 413
    assert relay.memory - before < 8 * MIB


def test_a_body_that_stops_arriving_is_a_408_and_a_peer_that_does_not_answer_a_504(relay: Relay) -> None:
    """Who stands still is told apart."""
    with RawPeer(relay.port, relay.token, hello("mute")) as peer, Visitor(relay.port, "mute") as visitor:
        peer.ready()
        visitor.ask("/", "Content-Length: 10", method="POST", body=b"half")
        reply = visitor.reply()
        assert (reply.status, reply.error) == (408, "body_stalled")
        with Visitor(relay.port, "mute") as other:
            reply = other.ask("/").reply()
            assert (reply.status, reply.error) == (504, "timeout")


def test_a_head_that_is_too_large_is_a_431(relay: Relay) -> None:
    """It would not fit into a frame, where each quotation mark is two bytes."""
    with Visitor(relay.port, "preview") as visitor:
        reply = visitor.ask("/", *(f"X-{number}: {chr(34) * 7000}" for number in range(6))).reply()
    assert (reply.status, reply.error) == (431, "head_too_large")


def test_a_visitor_that_never_reads_stops_the_site_and_fills_nothing(
    relay: Relay, behind: SiteBehind
) -> None:
    """A download of any size: the memory of the relay stays as it is, and other visitors are served."""
    stalled = threading.Event()
    written = 0

    async def endless(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                writer.write(bytes(MIB))
                await asyncio.wait_for(writer.drain(), 2)
                written += MIB
        except TimeoutError:
            stalled.set()
            await reader.read()  # until the client has gone

    behind.on("/endless", endless)
    before = relay.memory
    with Visitor(relay.port, "preview") as deaf:
        deaf.ask("/endless").head()
        assert stalled.wait(30)
        assert written < 30 * MIB
        assert relay.memory - before < 8 * MIB
        with Visitor(relay.port, "preview") as other:
            assert other.ask("/").reply().status == 200


DOWNLOAD = """
import hashlib, socket, sys
visitor = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
visitor.sendall(b"GET /paced HTTP/1.0\\r\\nHost: preview.tunnel.localhost\\r\\n\\r\\n")
found = hashlib.sha256()
while piece := visitor.recv(65536):
    found.update(piece.split(b"\\r\\n\\r\\n", 1)[-1] if piece.startswith(b"HTTP") else piece)
    print("reading", flush=True)
print(found.hexdigest())
"""


def test_a_visitor_that_is_stopped_in_a_download_fills_nothing_and_gets_it_whole(
    relay: Relay, behind: SiteBehind
) -> None:
    """SIGSTOP in the middle of 50 MiB: the site is stopped with it, and goes on with it."""
    stalled, block = threading.Event(), bytes(range(256)) * 4096

    async def paced(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (50 * MIB))
        for _ in range(50):
            writer.write(block)
            try:
                await asyncio.wait_for(writer.drain(), 1)
            except TimeoutError:
                stalled.set()
                await writer.drain()

    behind.on("/paced", paced)
    before = relay.memory
    with subprocess.Popen(
        [sys.executable, "-c", DOWNLOAD, str(relay.port)], stdout=subprocess.PIPE, text=True
    ) as visitor:
        assert visitor.stdout is not None
        assert visitor.stdout.readline() == "reading\n"
        visitor.send_signal(signal.SIGSTOP)
        assert stalled.wait(START_S)
        assert relay.memory - before < 8 * MIB
        visitor.send_signal(signal.SIGCONT)
        *_, last = visitor.stdout
    assert last.strip() == hashlib.sha256(block * 50).hexdigest()


def test_a_peer_that_sends_without_credit_is_put_out(relay: Relay) -> None:
    """Its windows are all that bounds what a hostile peer can make the relay hold."""
    with RawPeer(relay.port, relay.token, hello("flood")) as peer, Visitor(relay.port, "flood") as visitor:
        peer.ready()
        visitor.ask("/")
        stream = peer.next_of(Open).stream
        peer.send(Head(stream, ResponseHead(200, (("content-length", "1000000000"),))))
        with suppress(ConnectionClosed):
            for _ in range(1000):  # the visitor does not read: credit ends long before that
                peer.send(Data(stream, bytes(60_000)))
        assert peer.ended().rcvd.code == 1008  # type: ignore[union-attr]


def test_a_visitor_that_ends_its_half_has_left(relay: Relay) -> None:
    """A half-open connection holds no place of a peer."""
    with RawPeer(relay.port, relay.token, hello("half")) as peer, Visitor(relay.port, "half") as visitor:
        peer.ready()
        visitor.ask("/")
        stream = peer.next_of(Open).stream
        visitor.socket.shutdown(socket.SHUT_WR)
        assert peer.next_of(Reset) == Reset(stream, Why(Stop.CANCELLED))


def test_a_response_longer_than_it_said_is_cut_and_shorter_too(relay: Relay) -> None:
    """The next response on the connection must not be read out of this one."""
    for length, body in ((3, b"hello"), (9, b"hello")):
        with RawPeer(relay.port, relay.token, hello("liar")) as peer, Visitor(relay.port, "liar") as visitor:
            peer.ready()
            visitor.ask("/")
            stream = peer.next_of(Open).stream
            peer.send(Head(stream, ResponseHead(200, (("content-length", str(length)),))))
            peer.send(Data(stream, body, end=True))
            reply = visitor.reply()
            assert (reply.status, reply.whole) == (200, False)


def test_uploads_to_a_client_that_has_stopped_fill_nothing(relay: Relay, behind: SiteBehind) -> None:
    """Four bodies of ten mebibytes for a process that does not run: each visitor waits, none is kept."""
    with serving_client(relay.port, "stopped", behind.port, relay.token) as stopped, ExitStack() as crowd:
        stopped.send(signal.SIGSTOP)
        before = relay.memory
        visitors = [crowd.enter_context(Visitor(relay.port, "stopped")) for _ in range(4)]
        for visitor in visitors:
            visitor.socket.settimeout(0.5)
            with suppress(OSError):  # nobody takes it all
                visitor.ask("/digest", f"Content-Length: {10 * MIB}", method="POST", body=bytes(10 * MIB))
            visitor.socket.settimeout(START_S)
        assert relay.memory - before < 8 * MIB
