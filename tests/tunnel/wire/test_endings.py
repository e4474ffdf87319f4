"""However a peer ends while requests run, its visitors are told at once and nobody else's (spec 6.1), on both
servers. Who may end it, and what it is told itself, is ``test_peers``. The head timeout is a minute here.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.serving import manage, serving
from tests.tunnel.kit import RawPeer, SiteBehind, Visitor, hello, serving_client
from tests.tunnel.wire.conftest import Relay
from tests.tunnel.wire.test_limits import (  # noqa: F401  (a test, which runs here with time)
    test_the_257th_request_in_flight_is_refused_and_a_visitor_that_leaves_makes_room,
)
from tests.tunnel.wire.test_peers import (  # noqa: F401  (tests, which run here on both servers)
    test_a_client_that_does_not_answer_loses_its_name_to_its_owner,
    test_a_living_client_keeps_its_name_unless_it_is_taken_by_force,
    test_the_same_instance_takes_its_name_back_at_once_and_its_old_end_changes_nothing,
)
from tunnel.core.frames import Data, Fatal, Head, Open, ResponseHead

SETTINGS = "tests.tunnel.patient_settings"
NARROW = "from tunnel.models import Token; Token.objects.filter(token_id='{}').update(scope='another')"


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def relay(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relay]:
    """A relay on each server, whose head timeout is never what ends a request."""
    data: Path = tmp_path_factory.mktemp("endings")
    assert manage(SETTINGS, data, "migrate", "--no-input").returncode == 0
    token = manage(SETTINGS, data, "tunnel_token", "issue", "all", "--scope", "*").stdout.strip()
    with serving(SETTINGS, data, "--server", request.param) as served:
        yield Relay(served, data, token)


@pytest.fixture(scope="module", autouse=True)
def client(relay: Relay, behind: SiteBehind) -> Iterator[None]:
    """The client that serves the site behind."""
    with serving_client(relay.port, "preview", behind.port, relay.token):
        yield


class Victim:
    """A peer with a token of its own, and what is done to it."""

    def __init__(self, relay: Relay, peer: RawPeer, token: str, later: ExitStack) -> None:
        self.relay = relay
        self.peer = peer
        self.token = token
        self.token_id = token.split("_")[1]
        self.later = later

    def is_killed(self) -> None:
        """Its process is gone, and with it the connection, without a word."""
        self.peer.socket.socket.shutdown(2)

    def is_blackholed(self) -> None:
        """The connection stands, and nothing comes: no ping is answered from here on."""

    def is_replaced(self) -> None:
        """The same client comes back by another connection."""
        new = self.later.enter_context(RawPeer(self.relay.port, self.token, hello("victim")))
        new.ready()

    def is_revoked(self) -> None:
        """By a command, in another process."""
        self._meanwhile("tunnel_token", "revoke", self.token_id)

    def is_narrowed(self) -> None:
        """Its token is for another name from now on."""
        self._meanwhile("shell", "-c", NARROW.format(self.token_id))

    def _meanwhile(self, *arguments: str) -> None:
        """A command takes seconds to start, in which a living client answers the relay's pings."""
        with ThreadPoolExecutor(1) as elsewhere:
            done = elsewhere.submit(self.relay.manage, *arguments)
            assert self.peer.next_of(Fatal).code == "unauthorized"
            done.result()


ENDINGS = [Victim.is_killed, Victim.is_blackholed, Victim.is_replaced, Victim.is_revoked, Victim.is_narrowed]


@pytest.mark.parametrize("ends", ENDINGS, ids=lambda ends: ends.__name__)
def test_visitors_of_a_peer_that_ends_are_told_at_once_and_nobody_elses(
    relay: Relay, ends: Callable[[Victim], None]
) -> None:
    """502 for whoever waits, a visible break for whoever has begun, and the neighbour's visitor waits on.
    Nothing of it comes from a timeout of the request's own.
    """
    token = relay.issue("victim")
    with ExitStack() as open_ends:
        peer = open_ends.enter_context(RawPeer(relay.port, token, hello("victim"))).ready()
        begun = open_ends.enter_context(Visitor(relay.port, "victim")).ask("/")
        peer.send(Head(stream := peer.next_of(Open).stream, ResponseHead(200)))
        peer.send(Data(stream, b"half"))
        begun.head()
        assert begun.chunk() == b"half"
        waiting = open_ends.enter_context(Visitor(relay.port, "victim")).ask("/")
        peer.next_of(Open)
        neighbour = open_ends.enter_context(Beside(relay))
        ends(Victim(relay, peer, token, open_ends))
        reply = waiting.reply()
        assert (reply.status, reply.error) == (502, "peer_gone")
        assert begun.chunk() is None
        assert neighbour.is_served()


class Beside:
    """Another peer with a visitor that waits. It answers its pings in a thread until it is asked to serve."""

    def __init__(self, relay: Relay) -> None:
        self._peer = RawPeer(relay.port, relay.token, hello("beside")).ready()
        self._visitor = Visitor(relay.port, "beside").ask("/")
        self._stream = self._peer.next_of(Open).stream
        self._pool = ThreadPoolExecutor(1)
        self._pongs = self._pool.submit(self._peer.next_of, Data)

    def __enter__(self) -> "Beside":
        return self

    def __exit__(self, *_: object) -> None:
        self._visitor.socket.close()
        self._peer.socket.close()
        self._pool.shutdown()

    def is_served(self) -> bool:
        """Whether the visitor that has waited all the time gets the peer's answer."""
        self._peer.send(Head(self._stream, ResponseHead(204), end=True))
        return self._visitor.reply().status == 204
