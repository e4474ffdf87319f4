"""The figures that the project promises, as ratios of one run, and whether they are reached.

A ratio is the median of the rounds' own ratios: rounds are interleaved, so both sides of each had the same
machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from bench.plan import GROWTH
from bench.play import Played

OURS: Final = "halyard"


@dataclass(frozen=True)
class Ratio:
    """``at_least`` or else ``at_most`` is what was promised; neither: nothing was."""

    key: str
    letter: str
    peer: str | None
    text: str
    at_least: float | None = None
    at_most: float | None = None

    def met(self, value: float) -> bool:
        """Whether the promise is kept."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is None or value <= self.at_most

    @property
    def promise(self) -> str:
        """In words."""
        if self.at_least is not None:
            return f"≥ {self.at_least:g}"
        return "" if self.at_most is None else f"≤ {self.at_most:g}"


STOCK: Final = "channels on uvicorn"
BUN: Final = "bun"
BUN_PIPELINE: Final = "bun with the same pipeline"
WS: Final = "node ws"
RATIOS: Final = (
    Ratio("inbound_vs_stock", "a", STOCK, "inbound, times stock Channels' echo on uvicorn", at_least=7),
    Ratio("inbound_vs_bun", "a", BUN, "inbound, times Bun's bare echo"),
    Ratio("inbound_vs_bun_pipeline", "a", BUN_PIPELINE, "inbound, times Bun's same pipeline", at_least=0.85),
    Ratio("fanout_vs_stock", "b", STOCK, "fan-out, times stock Channels' `group_send`", at_least=35),
    Ratio("fanout_vs_node_ws", "b", WS, "fan-out, times Node's ws looping", at_least=1),
    Ratio("fanout_vs_bun", "b", BUN, "fan-out, times Bun's `publish`", at_least=0.8),
    Ratio("game_vs_stock", "c", STOCK, "p99 of a game, times that of a smaller one on Channels", at_most=1),
    Ratio("game_vs_bun", "c", BUN, "p99 of a game, times that of a smaller one in Bun", at_most=1),
    Ratio("game_vs_node_ws", "c", WS, "p99 of a game, times that of a smaller one on ws", at_most=1),
    Ratio("idle_memory_vs_stock", "d", STOCK, "memory of an idle socket, times stock Channels'", at_most=1),
    Ratio("connects_vs_stock", "e", STOCK, "connects, times stock Channels with sessions"),
    Ratio("flood_p99_ratio", "f", None, "p99 of the others under a flood, times quiet", at_most=1.5),
    Ratio("restore_99_s", "g", None, "seconds until 99 % of 1,000 sit again"),
)
COST_GROWTH: Final = Ratio(
    "cost_growth", "h", None, "cost of one socket among 16,000, times that among 250", at_most=1.2
)
"""The worse of fan-out and memory."""


def measured(played: Mapping[str, Played]) -> dict[str, tuple[Ratio, float, list[float]]]:
    """Each ratio for which everything was measured, with that of each round."""
    found = {}
    for ratio in RATIOS:
        rounds = _rounds(ratio, played)
        if rounds:
            found[ratio.key] = (ratio, median(rounds), rounds)
    growth = grown(played)
    if growth:
        found[COST_GROWTH.key] = (COST_GROWTH, max(growth.values()), list(growth.values()))
    return found


def grown(played: Mapping[str, Played]) -> dict[str, float]:
    """The worst cost at more sockets, times that at the fewest, by what is played."""
    found = {}
    for plays in ("fanout", "idle"):
        costs = [
            median(played[letter].figures(OURS))
            for sockets in GROWTH
            if (letter := f"h-{plays}-{sockets}") in played
        ]
        if len(costs) > 1:
            found[plays] = max(costs[1:]) / costs[0]
    return found


def behind(ratio: Ratio, played: Mapping[str, Played]) -> dict[str, Any]:
    """The generator's share of its core behind a ratio, for each side."""
    scenarios = [one for letter, one in played.items() if letter.split("-")[0] == ratio.letter]
    names = [OURS] if ratio.peer is None else [OURS, ratio.peer]
    return {
        "scenario": scenarios[0].scenario.title,
        "client_cpu": {name: max(round(client_cpu(one, name), 3) for one in scenarios) for name in names},
    }


def client_cpu(one: Played, name: str) -> float:
    """The generator's share of its core, the median of the rounds."""
    return float(median(result["client_cpu"] for result in one.results[name]))


def _rounds(ratio: Ratio, played: Mapping[str, Played]) -> list[float]:
    one = played.get(ratio.letter)
    if one is None or (ratio.peer is not None and ratio.peer not in one.results):
        return []
    ours = one.figures(OURS)
    if ratio.peer is None:
        return ours
    return [mine / theirs for mine, theirs in zip(ours, one.figures(ratio.peer), strict=True)]
