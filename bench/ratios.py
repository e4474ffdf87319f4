"""The figures that the project promises, as ratios of one run, and whether they are reached.

A ratio is the median of the rounds' own ratios: rounds are interleaved, so both sides of each had the same
machine.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from bench.plan import GROWTH
from bench.play import Played

OURS: Final = "halyard"


@dataclass(frozen=True)
class Ratio:
    """``at_least`` or else ``at_most`` is what was promised."""

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
        return f"≥ {self.at_least:g}" if self.at_least is not None else f"≤ {self.at_most:g}"


STOCK: Final = "channels on uvicorn"
RATIOS: Final = (
    Ratio("inbound_vs_stock", "a", STOCK, "inbound, times stock Channels' echo on uvicorn", at_least=7),
    Ratio("inbound_vs_bun", "a", "bun", "inbound, times Bun's bare echo", at_least=0.6),
    Ratio(
        "inbound_vs_bun_pipeline",
        "a",
        "bun with the same pipeline",
        "inbound, times Bun's same pipeline",
        at_least=0.85,
    ),
    Ratio("fanout_vs_stock", "b", STOCK, "fan-out, times stock Channels' `group_send`", at_least=35),
    Ratio("fanout_vs_node_ws", "b", "node ws", "fan-out, times Node's ws looping", at_least=1),
    Ratio("fanout_vs_bun", "b", "bun", "fan-out, times Bun's `publish`", at_least=0.8),
    Ratio("game_vs_bun", "c", "bun", "p99 of a game, times that of the small game in Bun", at_most=1),
    Ratio("game_vs_node_ws", "c", "node ws", "p99 of a game, times that of the small game on ws", at_most=1),
    Ratio("idle_memory_vs_stock", "d", STOCK, "memory of an idle socket, times stock Channels'", at_most=1),
    Ratio("connects_vs_stock", "e", STOCK, "connects, times stock Channels with sessions", at_least=1),
    Ratio("flood_p99_ratio", "f", None, "p99 of the others under a flood, times quiet", at_most=1.5),
    Ratio("restore_99_s", "g", None, "seconds until 99 % of 1,000 sit again", at_most=5),
)
COST_GROWTH: Final = Ratio(
    "cost_growth",
    "h",
    None,
    "cost for each socket at 16,000, times that at 250: the worse of fan-out and memory",
    at_most=1.2,
)


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
    shares: Callable[[Played, str], float] = lambda one, name: median(
        result["client_cpu"] for result in one.results[name]
    )
    scenarios = [one for letter, one in played.items() if letter.split("-")[0] == ratio.letter]
    names = [OURS] if ratio.peer is None else [OURS, ratio.peer]
    return {
        "scenario": scenarios[0].scenario.title,
        "client_cpu": {name: max(round(shares(one, name), 3) for one in scenarios) for name in names},
    }


def _rounds(ratio: Ratio, played: Mapping[str, Played]) -> list[float]:
    one = played.get(ratio.letter)
    if one is None or (ratio.peer is not None and ratio.peer not in one.results):
        return []
    ours = one.figures(OURS)
    if ratio.peer is None:
        return ours
    return [mine / theirs for mine, theirs in zip(ours, one.figures(ratio.peer), strict=True)]
