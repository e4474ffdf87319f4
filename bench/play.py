"""Play a scenario: start who takes part, round by round the same load for each, and take the medians.

Whatever a server is: it is alone on its core while it is measured, and nobody is measured twice in a row.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from operator import truediv
from statistics import median
from typing import Any, Final

from bench.contestants import HOME, Contestant
from bench.generator import COOKIES, Result, load
from bench.plan import Scenario
from bench.servers import Running, running

CLIENT_BOUND: Final = 0.95
"""Share of the generator's core above which a figure is the generator's, and is marked."""
WARM_SOCKETS: Final = 200
"""Come and go before memory is measured: what a process keeps after its first clients is no socket's."""

DERIVED: Final[dict[str, Callable[[Result], float]]] = {
    "flood_ratio": lambda result: median(map(truediv, result["flooded_p99_us"], result["quiet_p99_us"])),
    "restore_s": lambda result: median(result["p99_s"]),
    "us_per_delivery": lambda result: result["server_cpu"] * result["seconds"] / result["counted"] * 1e6,
}


@dataclass
class Played:
    """All rounds of a scenario; ``results`` are by contestant, in the order of rounds."""

    scenario: Scenario
    results: dict[str, list[Result]]
    load_before: float
    load_after: float

    def figures(self, name: str) -> list[float]:
        """What is compared, round by round."""
        return [figure(self.scenario, result) for result in self.results[name]]


def figure(scenario: Scenario, result: Result) -> float:
    """What is compared of one run."""
    derived = DERIVED.get(scenario.figure)
    return derived(result) if derived else float(result[scenario.figure])


def play(scenario: Scenario, tell: Callable[[str], Any]) -> Played:
    """All rounds."""
    played = Played(scenario, {each.name: [] for each in scenario.contestants}, os.getloadavg()[0], 0.0)
    with ExitStack() as stack:
        kept: dict[str, Running] = {}
        if not scenario.fresh:
            kept = {each.name: stack.enter_context(running(each)) for each in scenario.contestants}
        for number in range(scenario.rounds):
            for contestant in scenario.contestants:
                with _at_hand(contestant, kept) as server:
                    result = load(server, scenario.plays, _options(scenario))
                played.results[contestant.name].append(result)
                shown = figure(scenario, result)
                tell(f"  {number + 1}/{scenario.rounds} {contestant.name}: {shown:,.3f} {scenario.unit}")
    played.load_after = os.getloadavg()[0]
    return played


@contextmanager
def _at_hand(contestant: Contestant, kept: dict[str, Running]) -> Iterator[Running]:
    if contestant.name in kept:
        yield kept[contestant.name]
        return
    with running(contestant) as server:
        if "idle" in contestant.dialects:
            load(server, "connects", {"sockets": WARM_SOCKETS})
        yield server


def _options(scenario: Scenario) -> dict[str, object]:
    options = dict(scenario.options)
    shared = options.pop("shared_cookies", None)
    if shared is not None:
        options["cookies"] = _first_cookies(int(str(shared)))
    return options


def _first_cookies(count: int) -> str:
    path = HOME / f"cookies-{count}"
    with COOKIES.open() as lines:
        path.write_text("".join(islice(lines, count)))
    return str(path)
