"""Node, for tests of what runs in browsers: it is found once, and runs copies of the project's modules.

The fixture is in `tests/conftest.py`; a test that only reads JavaScript needs neither.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
OLDEST_NODE = 18
"""Debian 12's: the oldest that has `node --test`."""
TIMEOUT_S = 120


class Node:
    """The program at ``path``."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def found(cls) -> "Node":
        """The machine's own; a test is skipped where there is none, or fails in CI."""
        path = shutil.which("node")
        version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout if path else ""
        if path and int(version.lstrip("v").split(".")[0]) >= OLDEST_NODE:
            return cls(path)
        missing = (
            f"this needs Node {OLDEST_NODE} or newer, found {version.strip() or 'none'}; "
            "on Debian: apt-get install nodejs"
        )
        # In CI a test that did not run must not look like one that passed.
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)

    def passes(self, folder: Path, tests: str) -> None:
        """Every test module below ``folder/tests`` passes, and there is one."""
        # One by one: what `node --test FOLDER` means differs between versions.
        files = sorted(str(path.relative_to(folder)) for path in (folder / tests).glob("*.test.mjs"))
        ran = self._run(folder, "--test", *files)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert re.search(r"^. tests [1-9]", ran.stdout, re.MULTILINE), ran.stdout

    def answer(self, folder: Path, script: str, given: Any = None) -> Any:
        """The JSON that a module's text prints in ``folder``; ``given`` is JSON on its standard input."""
        ran = self._run(folder, "--input-type=module", "--eval", script, given=json.dumps(given))
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    def _run(self, folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._path, *arguments],
            cwd=folder,
            input=given,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )


def copied(folder: Path, *parts: str) -> Path:
    """``folder`` with these folders of the project, and what tells older Nodes that `.js` is a module."""
    (folder / "package.json").write_text('{"type": "module"}')
    for part in parts:
        shutil.copytree(ROOT / part, folder / part)
    return folder
