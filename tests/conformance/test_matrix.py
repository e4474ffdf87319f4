"""docs/servers.md shows what the suite proves. These cases start no server."""

from importlib import import_module

import pytest

from tests.conformance.expected import FAILURES
from tests.conformance.matrix import COLUMNS, HERE, MODULES, PAGE, cases, render
from tests.conformance.serve import KINDS


@pytest.fixture(autouse=True)
def deadline() -> None:
    """Not needed here: there is no server."""


def test_the_page_is_what_the_suite_proves() -> None:
    """Written again after every change of a case: ``python -m tests.conformance.matrix``."""
    assert PAGE.read_text(encoding="utf-8") == render()


def test_every_server_and_every_module_is_on_the_page() -> None:
    """A new one can't be forgotten."""
    assert list(COLUMNS) == list(KINDS)
    assert {path.stem for path in HERE.glob("test_*.py")} == {*MODULES, "test_matrix"}


def test_every_listed_failure_is_a_case() -> None:
    """A renamed case takes its entry along."""
    known = {case for name in MODULES for case in cases(import_module(f"tests.conformance.{name}"))}
    for kind, failures in FAILURES.items():
        assert set(failures) <= known, f"{kind} lists what is no case: {set(failures) - known}"
