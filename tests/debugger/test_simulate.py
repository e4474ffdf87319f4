"""`manage.py simulate`: a scenario file as text or JSON, and its expectations as an exit code."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.serving import ROOT, environment_of

DEMO = Path(__file__).resolve().parents[1] / "scenarios" / "demo.json"


def simulated(path: Path, *options: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("simulate", str(path), *options, stdout=out)
    return out.getvalue()


def test_the_text_has_one_line_for_each_row_and_says_how_it_ends() -> None:
    """Time, direction, player, type, note, size."""
    lines = simulated(DEMO).splitlines()
    assert "    4.000 ↓ all        NEW_QUESTION  (1 of 3, 15 s)  " in "\n".join(lines)
    assert any(line.startswith("    3.100 ↑ Ana        HEARTBEAT_RESPONSE") for line in lines)
    assert lines[-1].startswith("   60.000   end: finished; Ana connected")


def test_the_json_is_the_timeline_that_the_page_gets() -> None:
    """The same bytes from the same code."""
    run = json.loads(simulated(DEMO, "--json"))
    assert run["end"] == 60_000
    assert len(run["rows"]) + 1 == len(simulated(DEMO).splitlines())


def test_another_process_prints_the_same_bytes(tmp_path: Path) -> None:
    """A run that is shared is the same everywhere: nothing hangs on the order of a set."""
    command = [sys.executable, "manage.py", "simulate", str(DEMO), "--json"]
    environment = {**environment_of("quizsite.settings", tmp_path), "PYTHONHASHSEED": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == simulated(DEMO, "--json").strip()


def test_an_expectation_that_fails_is_an_error(tmp_path: Path) -> None:
    """The timeline is printed all the same: it is what one needs then."""
    file = tmp_path / "wrong.json"
    file.write_text('{"untilMs": 1000, "expect": [{"type": "GAME_FINISHED"}]}')
    with pytest.raises(CommandError, match=r"expected 1 rows with .*GAME_FINISHED"):
        simulated(file)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "line 1"),
        ('{"players": "four"}', r"\$\.players"),
        (" " * 2**22 + " ", "4194304 bytes"),
        (None, "No such"),
    ],
)
def test_a_file_that_is_no_scenario_is_named_with_the_reason(
    tmp_path: Path, content: str | None, says: str
) -> None:
    """Not JSON, not a scenario, too large, not there."""
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError, match=says) as caught:
        simulated(file)
    assert "bad.json" in str(caught.value)
