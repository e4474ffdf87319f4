"""The code is as ruff and mypy want it, and no file or function is longer than a reader can hold."""

import ast
from pathlib import Path

import pytest

from tests.house.project import APPS, CONTRACT, CORES, modules, name, tool

MODULE_LINES = 300
FUNCTION_LINES = 50


@pytest.mark.parametrize("arguments", [("check",), ("format", "--check")], ids=" ".join)
def test_ruff_has_nothing_to_say(arguments: tuple[str, ...]) -> None:
    """One way of writing, kept by a tool and not by reviewers."""
    checked = tool("ruff", *arguments)
    assert checked.returncode == 0, checked.stdout


def test_the_cores_are_typed_throughout() -> None:
    """mypy, strict: what a rule takes and returns is known before it runs."""
    checked = tool("mypy")
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("module", [*filter(Path.read_text, modules(*CORES)), CONTRACT], ids=name)
def test_a_core_module_opens_with_its_law(module: Path) -> None:
    """What lives here, what must not, where to look next: the first lines of all but an empty file."""
    assert ast.get_docstring(ast.parse(module.read_text()))


@pytest.mark.parametrize("module", modules(*APPS), ids=name)
def test_a_module_fits_in_a_readers_head(module: Path) -> None:
    """Files stay below 300 lines and functions below 50: what grows past that is two things."""
    text = module.read_text()
    assert len(text.splitlines()) < MODULE_LINES
    too_long = [
        f"{function.name}: {lines} lines"
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (function.end_lineno or 0) - function.lineno + 1) >= FUNCTION_LINES
    ]
    assert too_long == []
