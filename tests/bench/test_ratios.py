"""bench.ratios and bench.report: the promised figures out of what was measured, and told as they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import plan, ratios, report
from bench.play import Played


def played(scenario: plan.Scenario, **figures: list[float]) -> Played:
    """A scenario with these results, round by round; names have underscores for spaces."""
    results = {
        name.replace("_", " "): [
            {
                scenario.figure: each,
                "client_cpu": 0.5,
                "server_cpu": 1.0,
                "seconds": 1.0,
                "counted": int(each),
            }
            for each in rounds
        ]
        for name, rounds in figures.items()
    }
    return Played(scenario, results, 0.0, 0.0)


def test_a_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    """The second round was slow for both, and the third for one: neither decides."""
    scenario = plan.inbound((plan.HALYARD, plan.CHANNELS), 1)
    found = ratios.measured({"a": played(scenario, halyard=[80, 8, 10], channels_on_uvicorn=[10, 1, 10])})
    assert found["inbound_vs_stock"][1:] == (8, [8, 8, 1])


def test_only_what_was_measured_is_told() -> None:
    """A quick run has no opinion on Node."""
    scenario = plan.fanout((plan.HALYARD, plan.CHANNELS), 1)
    found = ratios.measured({"b": played(scenario, halyard=[1.0], channels_on_uvicorn=[1.0])})
    assert set(found) == {"fanout_vs_stock"}


def test_growth_is_the_worst_of_all_sizes_and_of_fanout_and_memory() -> None:
    """A bump in the middle counts as much as one at the end."""
    sizes = zip(plan.GROWTH, (100, 130, 110, 120), strict=True)
    grown = {
        (one := plan.growth(sockets, "idle")).letter: played(one, halyard=[cost]) for sockets, cost in sizes
    }
    assert ratios.measured(grown)["cost_growth"][1] == 1.3


def test_every_promised_key_can_be_written() -> None:
    """The names that others read."""
    keys = {ratio.key for ratio in (*ratios.RATIOS, ratios.COST_GROWTH)}
    assert keys >= {
        *(
            "inbound_vs_stock",
            "inbound_vs_bun",
            "inbound_vs_bun_pipeline",
            "fanout_vs_stock",
            "fanout_vs_bun",
        ),
        *("idle_memory_vs_stock", "flood_p99_ratio", "cost_growth", "restore_99_s"),
    }


def test_results_say_what_was_not_reached_and_keep_what_was_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quick run renews its own keys."""
    monkeypatch.setattr(report, "RESULTS_JSON", tmp_path / "results.json")
    monkeypatch.setattr(report, "RESULTS_MD", tmp_path / "RESULTS.md")
    (tmp_path / "results.json").write_text(json.dumps({"restore_99_s": 2.5}))
    monkeypatch.setattr(report, "versions", _no_versions)
    scenario = plan.inbound((plan.HALYARD, plan.CHANNELS), 1)
    report.write({"a": played(scenario, halyard=[20.0], channels_on_uvicorn=[10.0])}, "make bench-quick")
    kept = json.loads((tmp_path / "results.json").read_text())
    assert (kept["inbound_vs_stock"], kept["restore_99_s"]) == (2, 2.5)
    assert kept["behind"]["inbound_vs_stock"]["client_cpu"] == {"halyard": 0.5, "channels on uvicorn": 0.5}
    assert (
        "Not reached: inbound, times stock Channels' echo on uvicorn."
        in (tmp_path / "RESULTS.md").read_text()
    )


def _no_versions(_: Any) -> dict[str, str]:
    return {}
