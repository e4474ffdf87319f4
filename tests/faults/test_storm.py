"""Reconnect storms: everybody of many running games is cut at once, comes back at once, and misses nothing.

With a real process and its real limits; ``python -m bench.storm`` takes the times of a thousand players.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.faults.players import SITE, migrated
from tests.faults.storm import BACKOFF_S, TOKEN, Storm, scraped, sessions
from tests.serving import Served, serving, start

ROOMS, PLAYERS = 10, 20
UNAVAILABLE = "HTTP 503"
"""What a server says that is about to stop, or on a machine too busy to find a session in time: no cap and no
shield, and the client comes again."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The site's own data folder."""
    return migrated(tmp_path / "template", tmp_path / "data")


def on_the_same_port(data: Path, before: Served) -> Served:
    """The next process."""
    return start(SITE, data, "--port", str(before.port), METRICS_TOKEN=TOKEN)


async def cut(storm: Storm, first_s: float) -> None:
    """A storm of a network; then everybody sits, and sees what there is to see."""
    try:
        await storm.begins()
        await storm.is_cut(first_s)
        assert await storm.settles() == []
        assert storm.refusals().keys() <= {UNAVAILABLE}
    finally:
        await storm.leaves()


@pytest.mark.parametrize("first_s", [0.0, BACKOFF_S], ids=["at once", "as the web client"])
def test_nobody_is_refused_and_nothing_is_lost_when_the_network_cuts_everybody(
    data: Path, first_s: float
) -> None:
    """All sit on their own seats again, no cap and no shield minds them although every room is one address,
    and what each is told from then on, an end of the question among it, adds up to the room as it is.
    """
    with serving(SITE, data, METRICS_TOKEN=TOKEN) as server:
        storm = Storm(server, sessions(data, ROOMS * PLAYERS), PLAYERS)
        asyncio.run(cut(storm, first_s))
        assert scraped(server, "rooms_returned") == {"seat": ROOMS * PLAYERS}
        assert scraped(server, "gateway_refused").keys() <= {"unavailable"}
        assert scraped(server, "gateway_shield_denials") == {}
        assert scraped(server, "gateway_dropped").get("slow_reader", 0) == 0


@pytest.mark.parametrize("end", [Served.stop, Served.kill], ids=["SIGTERM", "SIGKILL"])
def test_nobody_is_refused_and_nothing_is_lost_when_the_server_restarts_under_everybody(
    data: Path, end: Callable[[Served], int]
) -> None:
    """The next process lets all in on their own seats; the one that stops says 503 to who is too early."""
    server = start(SITE, data, METRICS_TOKEN=TOKEN)
    storm = Storm(server, sessions(data, ROOMS * PLAYERS), PLAYERS)
    try:
        asyncio.run(restarted(storm, end, partial(on_the_same_port, data)))
        assert scraped(storm.server, "rooms_returned") == {"seat": ROOMS * PLAYERS}
        assert scraped(storm.server, "gateway_refused").keys() <= {"unavailable"}
        assert scraped(storm.server, "gateway_shield_denials") == {}
        assert scraped(storm.server, "gateway_dropped").get("slow_reader", 0) == 0
    finally:
        storm.server.stop()


async def restarted(storm: Storm, end: Callable[[Served], int], begin: Callable[[Served], Served]) -> None:
    """A storm of a restart."""
    try:
        await storm.begins()
        await storm.saved()
        await storm.outlives(end, begin)
        assert await storm.settles() == []
        assert storm.refusals().keys() <= {UNAVAILABLE}
    finally:
        await storm.leaves()
