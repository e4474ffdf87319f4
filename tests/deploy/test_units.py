"""deploy/systemd: the units say what the server needs of systemd, and systemd understands them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.management.commands import serve
from tests.deploy.front import DEPLOY, ROOT

UNITS = DEPLOY / "systemd"
STOP_S = 10  # spec 4.4


def unit(name: str) -> dict[str, list[str]]:
    """What a unit file says, by section and key (``Service.User``); a key may be there twice."""
    said: dict[str, list[str]] = {}
    section = ""
    for line in (UNITS / name).read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            said.setdefault(f"{section}.{key}", []).append(value)
    return said


def test_there_is_time_to_drain() -> None:
    """A stop may take 10 s; systemd must not kill before, and has to send what drains."""
    service = unit("halyard.service")
    (patience,) = service["Service.TimeoutStopSec"]
    assert int(patience) > STOP_S
    assert (service["Service.KillSignal"], service["Service.KillMode"]) == (["SIGTERM"], ["mixed"])


def test_the_socket_outlives_the_server() -> None:
    """Who connects while it restarts waits in the backlog: the address belongs to its own unit."""
    assert unit("halyard.service")["Unit.Requires"] == ["halyard.socket"]
    assert unit("halyard.socket")["Socket.ListenStream"] == ["127.0.0.1:8000"]
    assert unit("halyard.socket")["Install.WantedBy"] == ["sockets.target"]


def test_it_starts_what_is_there() -> None:
    """The last command is `serve` with options that it has; those before it are commands of this project."""
    service = unit("halyard.service")
    (started,), before = service["Service.ExecStart"], service["Service.ExecStartPre"]
    python, manage, command, *options = started.split()
    assert (manage, command) == ("manage.py", "serve")
    serve.Command().create_parser("manage.py", "serve").parse_args(options)
    assert [line.split()[:3] for line in before] == [
        [python, "manage.py", "migrate"],
        [python, "manage.py", "collectstatic"],
    ]


def test_systemd_finds_no_fault(tmp_path: Path) -> None:
    """`systemd-analyze verify`, with this checkout and its Python in the place of the installed ones."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here; get it with: sudo apt-get install systemd")
    for path in UNITS.iterdir():
        text = path.read_text().replace("/srv/halyard/.venv/bin/python", sys.executable)
        (tmp_path / path.name).write_text(text.replace("/srv/halyard", str(ROOT)))
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        timeout=60,
    )
    ours = [line for line in checked.stderr.splitlines() if "halyard" in line]
    assert (checked.returncode, ours) == (0, []), checked.stderr
