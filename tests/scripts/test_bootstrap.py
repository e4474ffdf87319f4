"""scripts.bootstrap and the Makefile: what is missing is said in one sentence, with what mends it."""

import ast
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import bootstrap

ROOT = bootstrap.ROOT


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """What was said before make's own last line; a traceback or a second line is a failure."""
    assert done.returncode != 0
    sentence, makes_own = done.stderr.strip().splitlines()
    assert makes_own.startswith("make")
    return sentence


def test_a_busy_port_is_said_before_anything_is_set_up() -> None:
    """The whole road: make, Python, one sentence with a command, no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = make("run", f"PORT={port}", f"PYTHON={sys.executable}")
    assert done.stdout == ""
    assert complaint(done).startswith(f"Port {port} is in use by another program; take another: make")


def test_the_port_may_come_from_the_environment_as_well() -> None:
    """`PORT=x make run` and `make run PORT=x` are the same."""
    assert complaint(make("run", f"PYTHON={sys.executable}", PORT="x")) == (
        "PORT must be from 1 to 65535, not 'x'; say: make run PORT=8001"
    )


def test_a_machine_without_python_is_told_how_to_get_it() -> None:
    """make runs, but what it should run is not there."""
    assert complaint(make("run", "PYTHON=no-such-python")).startswith("There is no no-such-python here; get")


@pytest.mark.parametrize(
    ("platform", "command"),
    [("linux", "sudo apt-get install python3.11-venv"), ("darwin", "brew install python3")],
)
def test_an_old_python_is_told_what_is_needed(platform: str, command: str) -> None:
    """With both versions, and the package that brings a newer one."""
    assert bootstrap.old_python((3, 9), platform) == (
        f"Halyard needs Python 3.11 or newer, and this is 3.9; get one, for example with: {command}"
    )


@pytest.mark.parametrize("module", ["__init__", "bootstrap", "browser", "environment", "missing", "network"])
def test_an_old_python_gets_as_far_as_being_told(module: str) -> None:
    """What runs on the machine's own Python parses on 3.7, annotations being left unread."""
    ast.parse((ROOT / "scripts" / f"{module}.py").read_text(), feature_version=(3, 7))


def test_an_unknown_command_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """And with the exit code of a wrong call."""
    assert bootstrap.main(["dance"]) == 2
    assert "run|test|lint" in capsys.readouterr().err


def test_the_phones_address_is_said_where_there_is_one() -> None:
    """Both lines come before the server starts, for whoever stands before a class."""
    assert bootstrap.invitation(8000, "192.168.1.20") == [
        "Halyard is at http://localhost:8000",
        "Phones in the same network: http://192.168.1.20:8000",
    ]
    assert bootstrap.invitation(8001, None)[0] == "Halyard is at http://localhost:8001"
    assert "no network" in bootstrap.invitation(8001, None)[1]


def test_the_site_answers_under_every_name_that_this_machine_has() -> None:
    """Loopback stays allowed when .env names other hosts: it is what the first line says."""
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(bootstrap.hosts())


def test_no_tests_is_a_failure(tmp_path: Path) -> None:
    """pytest ends with 5 when it found nothing to run; the sentence says so and the exit code is 1."""
    assert bootstrap.verdict(0) == 0
    assert bootstrap.verdict(1) == 1
    with pytest.raises(bootstrap.Missing, match="No test was found"):
        bootstrap.verdict(5)


@pytest.mark.skipif(shutil.which("bash") is None, reason="CI's script is for bash")
def test_cis_script_is_sound_bash() -> None:
    """It parses; the rest of it is tests/house."""
    assert subprocess.run(["bash", "-n", ".ci/run"], cwd=ROOT).returncode == 0
