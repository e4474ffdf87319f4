"""A relay that stops, and what its clients and their visitors notice (spec 6.1, 6.2)."""

import asyncio
import signal
import threading
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.serving import Served, manage, serving
from tests.tunnel.kit import RawPeer, SiteBehind, Visitor, hello, serving_client
from tests.tunnel.wire.conftest import SETTINGS
from tunnel.core.frames import Data, Fatal, GoAway, Head, Open, ResponseHead, Stop


class Own:
    """A database for relays that a test starts and stops, one after the other."""

    def __init__(self, data: Path, server: str) -> None:
        self.data = data
        self.server = server
        assert manage(SETTINGS, data, "migrate", "--no-input").returncode == 0
        issued = manage(SETTINGS, data, "tunnel_token", "issue", "x", "--scope", "*")
        self.token = issued.stdout.strip()

    def serving(self, *arguments: str) -> AbstractContextManager[Served]:
        """Start it."""
        return serving(SETTINGS, self.data, "--server", self.server, *arguments)


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def own(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Own:
    """A migrated database and a token, for either server."""
    return Own(tmp_path_factory.mktemp("leaving"), request.param)


def stop(relay: Served) -> None:
    """Ask the relay to stop; returns when it has begun to."""
    relay.process.send_signal(signal.SIGTERM)
    assert relay.logged("draining sockets=")


def test_a_relay_that_stops_lets_a_response_come_to_its_end(own: Own) -> None:
    """The client is told which stream was the last; it finishes that one, then it is sent to come back."""
    with own.serving() as relay, RawPeer(relay.port, own.token, hello("slow")) as peer:
        peer.ready()
        with Visitor(relay.port, "slow") as visitor:
            visitor.ask("/")
            stream = peer.next_of(Open).stream
            peer.send(Head(stream, ResponseHead(200)))
            visitor.head()
            stop(relay)
            assert peer.next_of(GoAway) == GoAway(stream, Stop.GOING, "the relay stops")
            peer.send(Data(stream, b"to the end", end=True))
            assert (visitor.chunk(), visitor.chunk()) == (b"to the end", b"")
        assert peer.next_of(Fatal) == Fatal("going", "the relay stops", retry=True)
        close = peer.ended().rcvd
        assert close is not None
        assert close.code == 1013
        assert relay.wait() == 0


def test_a_relay_that_stops_does_not_wait_for_a_response_without_end(own: Own, behind: SiteBehind) -> None:
    """After a few seconds it is cut off, visibly; supervisors kill what takes longer."""

    async def endless(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nbegun")
        await reader.read()

    behind.on("/endless-events", endless)
    with own.serving() as relay, serving_client(relay.port, "events", behind.port, own.token) as client:
        with Visitor(relay.port, "events") as visitor:
            visitor.ask("/endless-events").head()
            assert visitor.chunk() == b"begun"
            stop(relay)
            assert visitor.chunk() is None
        assert relay.wait() == 0
        assert client.says(r"the relay goes away \(the relay stops\); finishing 1 requests")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_a_client_comes_back_to_its_relay(own: Own, behind: SiteBehind, ending: signal.Signals) -> None:
    """After a farewell as after a crash, by itself and with a wait; a visitor is served as before."""
    with ExitStack() as running:
        with own.serving() as first:
            client = running.enter_context(serving_client(first.port, "steady", behind.port, own.token))
            first.process.send_signal(ending)
            first.wait()
        assert client.says(r"lost: .*; trying again in \d")
        assert ("the relay goes away" in client.log) is (ending is signal.SIGTERM)
        with own.serving("--port", str(first.port)):
            assert client.says("serving http://steady", 2)
            with Visitor(first.port, "steady") as visitor:
                assert visitor.ask("/").reply().body == b"hello"


def test_a_client_finishes_what_it_has_begun_before_it_leaves(own: Own, behind: SiteBehind) -> None:
    """A response that was under way when the relay said that it goes arrives whole."""
    gone = threading.Event()

    async def half(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
        await writer.drain()
        assert await asyncio.to_thread(gone.wait, 20)
        writer.write(b" rest")

    behind.on("/halves", half)
    with own.serving() as relay, serving_client(relay.port, "halves", behind.port, own.token) as client:
        with Visitor(relay.port, "halves") as visitor:
            visitor.ask("/halves")
            assert visitor.sees(b"first")
            stop(relay)
            assert client.says("the relay goes away")
            gone.set()
            assert visitor.reply().body == b"first rest"
        assert relay.wait() == 0
        assert client.says("lost: the relay stops; trying again")
