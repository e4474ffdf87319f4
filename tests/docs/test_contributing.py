"""CONTRIBUTING.md: its five steps, done on a copy of the project as they stand there, make a message type."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from tests.docs.pages import ROOT, Block, blocks, commands, write_file
from tests.house.project import tool

NEEDED = (
    "gateway",
    "rooms",
    "debugger",
    "quizsite",
    "tunnel",
    "tests",
    "docs/protocol",
    "manage.py",
    "pyproject.toml",
)
RUN_S = 120


def apply_diff(block: Block, project: Path) -> Path:
    """Change the file that a diff names. A hunk is known by its lines, which must be in the file once."""
    first, _, rest = block.text.partition("\n")
    path = project / first.removeprefix("--- ")
    text = path.read_text(encoding="utf-8")
    for hunk in re.split(r"^@@.*\n", rest, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        before = "".join(_code(line) for line in lines if not line.startswith("+"))
        after = "".join(_code(line) for line in lines if not line.startswith("-"))
        assert text.count(before) == 1, f"{path.name} has {text.count(before)} times:\n{before}"
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")
    return path


def _code(line: str) -> str:
    """Without the diff's column; an empty line may lack it."""
    return line if line == "\n" else line[1:]


def run(project: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Type a command of the page there."""
    python, *arguments = command.split()
    assert python == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env={"PATH": os.environ["PATH"], "DATA_DIR": str(project / "var"), "ENV_FILE": os.devnull},
        capture_output=True,
        text=True,
        timeout=RUN_S,
    )


class Copy(Struct, frozen=True):
    """A copy of the project with the page's files and changes in it, no command run."""

    project: Path
    touched: list[str]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """What somebody has who did the five steps but for the commands."""
    project = tmp_path_factory.mktemp("project")
    for name in NEEDED:
        source, target = ROOT / name, project / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    done = [
        apply_diff(block, project) if block.language == "diff" else write_file(block, project)
        for block in blocks(ROOT / "CONTRIBUTING.md")
    ]
    return Copy(project, [str(path) for path in done if path is not None])


def test_the_five_steps_make_a_message_type(copy: Copy) -> None:
    """Until the documents are printed the project calls them stale; then the page's own test passes."""
    typed = [
        command
        for block in blocks(ROOT / "CONTRIBUTING.md")
        if block.language == "console"
        for command in commands(block)
    ]
    assert run(copy.project, "python manage.py protocol_docs --check").returncode == 1
    for command in typed:
        ran = run(copy.project, command)
        assert ran.returncode == 0, f"$ {command}\n{ran.stdout}{ran.stderr}"
    assert tool("ruff", "check", *copy.touched, folder=copy.project).stdout == "All checks passed!\n"
    assert '"WAVED"' in (copy.project / "docs/protocol/asyncapi.json").read_text(encoding="utf-8")


def test_there_are_five_steps() -> None:
    """As many as the heading says, numbered."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*(\d)\. ", text, re.MULTILINE) == ["1", "2", "3", "4", "5"]


def test_every_make_command_it_names_exists() -> None:
    """Whoever comes to help starts with these."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\s*make ([a-z-]+)", text, re.MULTILINE))
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"run", "check", "test", "docs"} <= named <= targets
