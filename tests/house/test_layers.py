"""Who may import whom (ARCHITECTURE.md): import-linter's contracts in pyproject.toml hold, and each bites."""

import shutil
from pathlib import Path

import pytest

from tests.house.project import APPS, ROOT, tool


def test_nobody_imports_what_they_must_not() -> None:
    """The cores are pure, the gateway knows no game, the site is above the game above the gateway."""
    checked = tool("lint-imports", "--no-cache")
    assert checked.returncode == 0, checked.stdout


PURE = "The cores and the contract are pure"
ORDER = "The site is above the game, the game above the gateway"
BESIDE = "The debugger stands beside the site, and the game does not know it"


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("gateway/core/__init__.py", "import asyncio", PURE),
        ("gateway/contract.py", "from time import monotonic", PURE),
        ("rooms/core/__init__.py", "from django.conf import settings", PURE),
        ("tunnel/core/__init__.py", "import asyncio", PURE),
        ("tunnel/__init__.py", "import gateway.core", "The tunnel knows the servers' transports at most"),
        ("gateway/transports/__init__.py", "import rooms", "The gateway knows no game and no site"),
        ("rooms/__init__.py", "import gateway.transports", "The game sees the gateway's front alone"),
        ("rooms/__init__.py", "import quizsite.csp", ORDER),
        ("rooms/__init__.py", "import debugger.scenario", ORDER),
        ("debugger/__init__.py", "import tunnel", BESIDE),
    ],
)
def test_one_forbidden_import_breaks_its_contract(
    tmp_path: Path, module: str, line: str, contract: str
) -> None:
    """A contract over a module that was renamed would hold for ever; one import must break it."""
    for app in APPS:
        shutil.copytree(app, tmp_path / app.name, ignore=shutil.ignore_patterns("static", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a") as file:
        file.write(f"\n{line}\n")
    checked = tool("lint-imports", "--no-cache", folder=tmp_path)
    assert checked.returncode == 1
    assert f"{contract} BROKEN" in checked.stdout
