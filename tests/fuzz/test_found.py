"""What fuzzing has found stays mended: every input that ever broke a rule, and those that it begins with."""

import importlib
from pathlib import Path

import pytest

from fuzz import hosts, importers, inbound
from fuzz.harness import FOUND, ROOT

TARGETS = {"hosts": hosts, "importers": importers, "inbound": inbound}


def found() -> list[Path]:
    """The inputs, whichever target they are of."""
    return sorted(path for path in FOUND.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", found(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_is_mended(path: Path) -> None:
    """The target's own check, on the very bytes."""
    TARGETS[path.parent.name].check(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_begins_with_inputs_that_it_accepts(name: str) -> None:
    """A seed that the check refuses would end each run before it begins."""
    target = TARGETS[name]
    assert target.SEEDS
    for seed in target.SEEDS:
        target.check(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_a_check_that_is_broken_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each looks at what the code under test says: a reader that says nonsense is a finding."""
    target = importlib.import_module(f"fuzz.{name}")
    broken = {"hosts": "whose", "importers": "settle", "inbound": "DECODER"}[name]
    monkeypatch.setattr(target, broken, None)
    with pytest.raises((AssertionError, TypeError, AttributeError)):
        list(map(target.check, target.SEEDS))


def test_every_target_is_run_by_make_fuzz() -> None:
    """A module in the folder that has a check is one of them."""
    there = {
        path.stem
        for path in (ROOT / "fuzz").glob("*.py")
        if "\ndef check(" in path.read_text(encoding="utf-8")
    }
    assert there == set(TARGETS)
    assert all(
        f'"{name}"' in (ROOT / "scripts" / "bootstrap.py").read_text(encoding="utf-8") for name in there
    )
