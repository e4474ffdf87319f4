"""The bench works: each side counts the same frames, and the figures are of the right order.

Seconds, not minutes, on a machine that does other things too: what is compared is work for each second of the
server's processor, and the bounds are far from what `bench/RESULTS.md` has.
"""

import sys
from collections.abc import Mapping

import pytest

from bench import contestants
from bench.contestants import Contestant
from bench.generator import Result, load
from bench.servers import running
from tests.bench.conftest import SOCKETS

pytestmark = pytest.mark.usefixtures("bench")

STOCK = contestants.channels_on_uvicorn(sys.executable)
SHORT = {"warm": 0.3, "seconds": 1}


def measured(contestant: Contestant, scenario: str, options: Mapping[str, object]) -> Result:
    """One run; it raises if the server's metrics and the generator do not agree."""
    with running(contestant) as server:
        return load(server, scenario, {**SHORT, **options})


def work(result: Result) -> float:
    """Frames for each second of the server's core."""
    return float(result["counted"] / (result["server_cpu"] * result["seconds"]))


def test_the_whole_pipeline_takes_less_of_a_core_than_the_echo_of_stock_channels() -> None:
    """(a): every frame sent was counted by our metrics and answered, for less than half of the price."""
    ours = measured(contestants.halyard(), "echo", {"sockets": 50})
    stock = measured(STOCK, "echo", {"sockets": 50})
    assert ours["types"]["REACTED"] > 0
    assert work(ours) > 2 * work(stock)


def test_a_broadcast_takes_far_less_of_a_core_than_a_group_send() -> None:
    """(b): every delivery that our metrics counted arrived, for less than a fifth of the price."""
    rooms = {"sockets": SOCKETS, "rooms": SOCKETS // 50}
    ours = measured(contestants.halyard(), "fanout", rooms)
    stock = measured(STOCK, "fanout", rooms)
    assert ours["types"]["SAID"] % 50 == 0
    assert work(ours) > 5 * work(stock)


def test_one_flooder_does_not_starve_the_others() -> None:
    """(f): with the real limits everybody is answered; starved they would wait thousands of times as long."""
    result = measured(contestants.halyard(limits="real"), "flood", {"sockets": 51, "rate": 200, "rounds": 1})
    assert result["flood_sent"] > 0
    assert result["flooded_p99_us"][0] < 1000 * result["quiet_p99_us"][0]
