"""What is no scenario is refused in words that name the field or the line."""

import json
from typing import Any

import pytest

from debugger.scenario import AFTERMATH_MS, LONGEST_MS, ScenarioError, parse


def refused(scenario: Any) -> str:
    """The text of the refusal."""
    data = scenario if isinstance(scenario, bytes) else json.dumps(scenario).encode()
    with pytest.raises(ScenarioError) as caught:
        parse(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("scenario", "named"),
    [
        ({"actions": [{"at": 1, "do": "explodes"}]}, ["explodes", "$.actions[0].do"]),
        ({"actions": [{"at": -1, "do": "start_game"}]}, [">= 0", "$.actions[0].at"]),
        ({"actions": [{"at": LONGEST_MS + 1, "do": "start_game"}]}, ["<= 600000", "$.actions[0].at"]),
        ({"actions": [{"at": 1, "do": "start_game"}] * 100_000}, ["<= 100", "$.actions"]),
        ({"actions": [{"at": 1, "do": "stops_reading"}]}, ["stops_reading", "player", "$.actions[0]"]),
        ({"actions": [{"at": 1, "do": "stops_reading", "player": "Dia"}]}, ["Dia", "$.actions[0].player"]),
        ({"actions": [{"at": 1, "do": "stops_reading", "player": "Eve"}]}, ["Eve", "$.actions[0].player"]),
        ({"untilMs": 10, "actions": [{"at": 11, "do": "start_game"}]}, ["11", "$.actions[0].at"]),
        ({"players": 5}, ["<= 4", "$.players"]),
        ({"players": 1}, [">= 2", "$.players"]),
        ({"secondsPerQuestion": 12}, ["10, 15, 20, 30", "12", "$.secondsPerQuestion"]),
        ({"busyBytesPerSecond": 10**9}, ["<= 1000000", "$.busyBytesPerSecond"]),
        ({"player": 3}, ["player"]),
        ([], ["object"]),
        (b'{\n"players": 3,\n"actions": [}', ["line 3"]),
        (b"\x00\x01", ["JSON", "line 1"]),
        (b"", ["JSON"]),
        (b"[" * 100_000, ["object"]),
        (b'{"actions": [\n{"at": 1,\n "do": "start_game"},\n {"at": 2,\n "do": "x"}]}', ["line 5:"]),
        (b'\n{"actions": [], "actions": [{"at": 2, "do": "x"}]}', ["line 1:"]),
        (b'{\n"players":\n9}', ["line 3:"]),
        (b'{"actions": [\n{"at": 1, "do": "floods_answers"}]}', ["line 2:"]),
        (b'{"untilMs": 5, "title": "{[", "actions":\n[{"do": "start_game", "at":\n 9}]}', ["line 3:"]),
    ],
)
def test_a_refusal_names_what_is_wrong(scenario: Any, named: list[str]) -> None:
    """Unknown actions, times out of range, too many of them, strangers, and files that are no scenario."""
    text = refused(scenario)
    assert all(part in text for part in named), text


def test_a_run_without_an_end_goes_on_for_a_whole_game_after_its_last_action() -> None:
    """And never longer than a run may last."""
    assert parse(b"{}").end_ms == AFTERMATH_MS
    assert parse(b'{"actions": [{"at": 5000, "do": "start_game"}]}').end_ms == 5000 + AFTERMATH_MS
    assert parse(b'{"actions": [{"at": 599999, "do": "start_game"}]}').end_ms == LONGEST_MS
