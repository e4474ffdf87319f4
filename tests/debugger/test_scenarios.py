"""Every scenario file holds what it expects of itself: whoever finds a fault in a game leaves one here."""

from pathlib import Path
from typing import Any

import pytest

from debugger.expect import failures
from debugger.recorded import RecordedRoom, parse_any
from debugger.scenario import Expected, Scenario, parse
from debugger.simulation import simulate

FILES = sorted((Path(__file__).resolve().parents[1] / "scenarios").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_scenario_does_what_it_expects(file: Path) -> None:
    """Played by the server's own code on a virtual clock."""
    scenario = parse_any(file.read_bytes())
    assert scenario.title
    assert scenario.expect
    run = scenario.play() if isinstance(scenario, RecordedRoom) else simulate(scenario)
    assert failures(run) == []


def test_an_expectation_that_does_not_hold_says_what_was_found() -> None:
    """With the moments at which such rows really were."""
    scenario = parse(
        b'{"untilMs": 20000, "expect": [{"player": "Ana", "type": "HEARTBEAT", "before": 5000, "rows": 2}]}'
    )
    (text,) = failures(simulate(scenario))
    assert "found 1" in text
    assert "3100, 10100, 17100" in text


def test_each_field_of_an_expectation_counts() -> None:
    """A field that nobody compared would make every file pass."""
    row: dict[str, Any] = {"kind": "out", "player": "Ana", "type": "HEARTBEAT", "count": 1}
    other = {
        "kind": "in",
        "player": "Ben",
        "type": "ERROR",
        "count": 2,
        "note": "x",
        "code": 1006,
        "edge": "drop",
    }
    for name, value in other.items():
        wrong = Expected(**{**row, name: value}, after=3100, before=3101)
        run = simulate(Scenario(until_ms=5000, expect=(wrong,)))
        assert len(failures(run)) == 1, name
    right = Expected(**row, after=3100, before=3101)
    assert failures(simulate(Scenario(until_ms=5000, expect=(right,)))) == []
