"""What the tutorials are followed with: a wheel of this checkout, and the Pythons of this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import tutorial

NEWER = "3.13"
LOOK_S = 30


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What other teams install."""
    return tutorial.wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def newer_python() -> str:
    """A Python on which Django 6 runs, if this machine has one."""
    found = next(filter(_runs, _candidates()), None)
    if found is None:
        pytest.skip(
            f"no Python {NEWER} is here: uv, pyenv and the PATH were asked (uv python install {NEWER})"
        )
    return found


def _candidates() -> list[str]:
    if sys.version_info[:2] == tuple(map(int, NEWER.split("."))):
        return [sys.executable]
    asked = subprocess.run([*tutorial.UV, "python", "find", NEWER], capture_output=True, text=True)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    kept = map(str, pyenv.glob(f"versions/{NEWER}.*/bin/python"))
    return [path for path in (asked.stdout.strip(), shutil.which(f"python{NEWER}"), *kept) if path]


def _runs(python: str) -> bool:
    """A shim of pyenv is on the PATH for versions that are not chosen too."""
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    ran = subprocess.run([python, "-c", say], capture_output=True, text=True, timeout=LOOK_S)
    return ran.stdout.strip() == NEWER
