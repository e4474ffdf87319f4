"""A network that goes wrong under a game: what the player, the others and the operator see (spec 1.4, 2.3).

Real processes, real sockets; between them a proxy that delays, throttles, stalls, cuts, resets and forgets.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import cast

import pytest

from tests.faults.players import Frame, question, until
from tests.faults.site import Awake, site, troubles
from tests.faults.tcp_proxy import Proxy, Way
from tests.serving import Served

SLOW_S = 0.08
THIN = 40_000
"""Bytes a second: a phone at the edge of its cell."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One site for all of them."""
    with site(tmp_path_factory.mktemp("network")) as served:
        yield served


@pytest.fixture(scope="module")
def ana(server: Served) -> Awake:
    """She hosts a game that lasts longer than this module."""
    host = Awake(server, "Ana").opens()
    host.creates(questionCount=20, secondsPerQuestion=30)
    question([host])
    return host


@pytest.fixture
def network(server: Served) -> Iterator[Proxy]:
    """What is between Ben and the server."""
    with Proxy(server.port) as proxy:
        yield proxy


@pytest.fixture
def ben(ana: Awake, network: Proxy) -> Iterator[Awake]:
    """He comes late to Ana's game, behind the network."""
    player = behind(network, "Ben")
    player.joins(ana.joined["room"]["roomCode"])
    yield player
    player.socket.close()


def behind(network: Proxy, name: str) -> Awake:
    """A player whose browser knows the site by the network's address."""
    return Awake(cast(Served, network), name).opens()


def own_game(server: Served, network: Proxy) -> tuple[Awake, Awake, Frame]:
    """Cleo, who hosts, and Dan behind the network, in the only question of their game."""
    cleo = Awake(server, "Cleo").opens()
    dan = behind(network, "Dan")
    dan.joins(cleo.creates(questionCount=1, secondsPerQuestion=10))
    return cleo, dan, question([cleo, dan])


def told_of(player: Awake, seat: str, status: str) -> None:
    """Wait until the roster says so of a seat; who came a moment ago may be news himself."""
    while True:
        news = player.hears("MEMBERS")
        told = [member for member in (*news["joined"], *news["updated"]) if member["userId"] == seat]
        if status in [member.get("status") for member in told]:
            return


def test_a_slow_and_thin_network_loses_nothing_and_no_points(server: Served, network: Proxy) -> None:
    """160 ms there and back, a fraction of a frame at a time: all comes, in order, and the round trip is
    credited, as the player sees in the breakdown.
    """
    network.delays(SLOW_S)
    network.throttles(THIN)
    cleo, dan, asked = own_game(server, network)
    beats = dan.beats
    until(lambda: dan.beats >= beats + 3)  # a round trip is measured by the heartbeats of the game
    dan.answers(asked)
    cleo.answers(asked)
    assert 2 * SLOW_S * 1000 <= dan.hears("YOUR_RESULT")["breakdown"]["lagCreditMs"] <= 250
    order = [
        "ROOM_JOINED",
        "GAME_STARTING",
        "NEW_QUESTION",
        "ANSWER_ACCEPTED",
        "QUESTION_RESULTS",
        "YOUR_RESULT",
    ]
    told = [frame["type"] for frame in dan.log]
    assert all(told.index(before) < told.index(after) for before, after in pairwise(order))
    for player in (cleo, dan):
        player.socket.close()


DROPS: dict[str, tuple[Callable[[Proxy], None], str]] = {
    "cut": (Proxy.cuts, "code=1006"),
    "reset": (Proxy.resets, "code=1006"),
    "half-open": (Proxy.forgets_clients, "code=4002"),
    "stalled": (Proxy.stalls, "code=4002"),
    "deaf": (lambda proxy: proxy.stalls(Way.DOWN), "code=4002"),
    "mute": (lambda proxy: proxy.stalls(Way.UP), "code=4002"),
}
"""Each fault, and how the operator reads of it."""


@pytest.mark.parametrize("fault", DROPS)
def test_a_player_whose_network_fails_waits_in_grace_and_comes_back(
    server: Served, network: Proxy, ana: Awake, ben: Awake, fault: str
) -> None:
    """The others see it, the log has one line of it and no complaint, and the seat is still his."""
    fail, line = DROPS[fault]
    lines, seat = len(server.lines), ben.joined["seatId"]
    fail(network)
    told_of(ana, seat, "grace")
    until(lambda: any("socket closed" in told and line in told for told in server.lines[lines:]))
    state = ben.comes_back(server)
    assert seat in [member["userId"] for member in state["room"]["members"]]
    told_of(ana, seat, "connected")
    assert sum("socket closed" in told for told in server.lines[lines:]) == 1
    assert troubles(server) == []


def test_who_comes_back_before_the_server_has_noticed_takes_his_seat_at_once(
    server: Served, network: Proxy, ana: Awake, ben: Awake
) -> None:
    """The old connection is half open; nobody sees a gap, and it is the old one that goes."""
    while not ana.heard.empty():
        ana.heard.get()
    network.forgets_clients()
    lines = len(server.lines)
    ben.comes_back(server)
    until(lambda: any("code=1000" in told and "attached elsewhere" in told for told in server.lines[lines:]))
    ana.log.clear()
    ben.says("SEND_REACTION", reaction="heart")
    ana.hears("REACTIONS")
    changes = [patch for frame in ana.log if frame["type"] == "MEMBERS" for patch in frame["updated"]]
    assert "grace" not in [patch.get("status") for patch in changes]
