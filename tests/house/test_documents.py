"""What the documents and lists promise is so: commands, changes, dependencies, migrations."""

import re
import stat
import subprocess

import pytest
from django.core.management import call_command

from tests.house.project import APPS, ROOT

LOCKS = ("requirements.txt", "requirements-dev.txt")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.MULTILINE))


def packages(lock: str) -> dict[str, set[str]]:
    """What a lock pins: for each package its versions (two, where an older Python needs an older one)."""
    pins: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", text(lock), re.MULTILINE):
        pins.setdefault(package, set()).add(version)
    return pins


def asked_for(source: str) -> set[str]:
    return {found.lower() for found in re.findall(r"^([A-Za-z][A-Za-z0-9-]*)", text(source), re.MULTILINE)}


def test_every_make_command_in_the_readme_exists() -> None:
    """A stranger's first command must not be a typing slip."""
    named = set(re.findall(r"`make ([a-z-]+)", text("README.md")))
    named |= set(re.findall(r"^\s*make ([a-z-]+)", text("README.md"), re.MULTILINE))
    assert {"run", "test"} <= named
    assert named <= make_targets()


def test_make_alone_lists_every_command() -> None:
    """Whoever types `make` learns what there is."""
    told = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = set(re.findall(r"^make ([a-z-]+)", told, re.MULTILINE))
    assert listed == make_targets() - {"help", "python"}


def test_the_changelog_has_a_place_for_the_next_change() -> None:
    """Keep a Changelog: what is not released yet stands under Unreleased, at the top."""
    first = re.search(r"^## (.+)$", text("CHANGELOG.md"), re.MULTILINE)
    assert first is not None
    assert first[1] == "[Unreleased]"


def test_every_license_that_came_with_somebodys_work_is_in_the_notices() -> None:
    """Fonts and pictures bring their terms as a file beside them; the notices point to each."""
    brought = [path for app in APPS for path in app.rglob("LICENSE*")]
    assert brought
    assert [path.name for path in brought if path.name not in text("THIRD-PARTY-NOTICES.md")] == []


@pytest.mark.django_db
def test_every_change_of_a_model_has_its_migration() -> None:
    """`makemigrations --check` finds nothing to write."""
    call_command("makemigrations", check=True, dry_run=True, verbosity=1)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_every_package_that_its_source_asks_for(lock: str) -> None:
    """A line added to a .in file without `make lock` would be missing on the next machine."""
    missing = asked_for(lock.replace(".txt", ".in")) - set(packages(lock))
    assert missing == set()


def test_tests_run_with_the_versions_that_the_site_runs_with() -> None:
    """The tests' lock has every pin of the site's own."""
    runs_with, tested = packages("requirements.txt"), packages("requirements-dev.txt")
    assert {package: tested.get(package) for package in runs_with} == runs_with


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_contents_and_names_no_index(lock: str) -> None:
    """Each package has the hashes of its files, wherever the user's pip fetches them."""
    entries = re.split(r"^(?=[a-z0-9])", text(lock), flags=re.MULTILINE)[1:]
    assert len(entries) == sum(map(len, packages(lock).values()))
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"--(?:extra-)?index-url|--find-links|://", text(lock))


def test_ci_runs_the_one_test_command() -> None:
    """What CI proves is what a developer runs."""
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & stat.S_IXUSR
    lines = script.read_text().splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
    assert lines[-1] == "make test"
