"""The wheel that other teams install: all that the four apps need to run, and nothing else of ours."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("gateway", "rooms", "debugger", "tunnel")
BUILD_S = 120


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files of a wheel that was built just now."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=BUILD_S)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def in_git(app: str) -> set[str]:
    """The files of an app that are part of the project; what a developer left lying about is not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", app],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


@pytest.mark.parametrize("app", APPS)
def test_an_app_is_in_it_whole(names: set[str], app: str) -> None:
    """Templates, static files, migrations, data and catalogues: only the translators' sources stay here."""
    missing = {name for name in in_git(app) if not name.endswith(".po")} - names
    assert missing == set()


@pytest.mark.parametrize("app", APPS)
def test_an_app_is_typed_for_those_who_import_it(names: set[str], app: str) -> None:
    """PEP 561: without the marker a type checker ignores every annotation."""
    assert f"{app}/py.typed" in names


def test_nothing_else_is_in_it(names: set[str]) -> None:
    """This repository's site, tests and tools would take names in everybody's environment."""
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(APPS)


def test_the_licences_travel_along(names: set[str]) -> None:
    """The flags and lists in it are other people's work."""
    licences = {name.rpartition("/")[2] for name in names if "/licenses/" in name}
    assert licences >= {"LICENSE", "THIRD-PARTY-NOTICES.md"}
