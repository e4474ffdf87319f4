"""Does what a tutorial says: writes its files, types its commands, and serves what came of it.

Everything is read from the page, in its order. Three things differ, and none of them is the reader's: `uv`
does what the page's pip and venv do, in a tenth of the time and with the Python that the test wants; the
wheel was built before; the server listens on a free port.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from tests.docs.pages import DOCS, ROOT, blocks, commands, write_file
from tests.serving import Served

INSTALL_S = 300
COMMAND_S = 60
UV = [str(Path(sys.executable).parent / "uv")]


class Reader(Struct, frozen=True):
    """Somebody with a Python and an empty folder. ``pins`` is what pip is told beside the page."""

    python: str
    folder: Path
    wheel: Path
    pins: str

    def instead(self, command: str) -> list[str]:
        """What is run for a command of the page."""
        match shlex.split(command):
            case ["python3", "-m", "venv", folder]:
                return [*UV, "venv", "--quiet", "--python", self.python, folder]
            case [".", _]:
                return ["true"]  # the environment's programs are first on this reader's PATH
            case ["pip", "wheel", "--no-deps", "--wheel-dir", folder, "~/halyard"]:
                (self.folder / folder).mkdir()
                return ["cp", str(self.wheel), folder]
            case ["pip", "install", pattern]:
                return ["bash", "-c", f"{UV[0]} pip install --quiet {pattern} '{self.pins}'"]
            case words:
                return words

    @property
    def environment(self) -> dict[str, str]:
        """The developer's own, but for what would tell Django or Python of this project."""
        theirs = {"DJANGO_SETTINGS_MODULE", "ENV_FILE", "DATA_DIR", "PYTHONPATH"}
        kept = {key: value for key, value in os.environ.items() if key not in theirs}
        programs = self.folder / ".venv" / "bin"
        return {
            **kept,
            "PATH": f"{programs}{os.pathsep}{kept['PATH']}",
            "VIRTUAL_ENV": str(self.folder / ".venv"),
            "PYTHONUNBUFFERED": "1",
        }

    def types(self, command: str) -> str:
        """Run a command to its end and return what it said."""
        ran = subprocess.run(
            self.instead(command),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=INSTALL_S if command.startswith("pip") else COMMAND_S,
        )
        assert ran.returncode == 0, f"$ {command}\n{ran.stdout}{ran.stderr}"
        return ran.stdout + ran.stderr

    def starts(self, command: str) -> Served:
        """Run a command that serves."""
        process = subprocess.Popen(
            [*self.instead(command), "--port", "0"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Served(process)


@contextmanager
def followed(page: str, reader: Reader) -> Iterator[Served]:
    """The page, done from top to bottom; its last command serves for the length of the ``with``."""
    said = []
    for block in blocks(DOCS / page):
        if block.language == "console":
            said += commands(block)
            for command in commands(block):
                if command.endswith(" serve"):
                    continue
                reader.types(command)
        else:
            write_file(block, reader.folder)
    assert said[-1].endswith(" serve"), f"{page} does not end in serving: {said[-1]!r}"
    server = reader.starts(said[-1])
    try:
        yield server
    finally:
        server.stop()


def wheel(folder: Path) -> Path:
    """This checkout's wheel, built now."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=INSTALL_S)
    (built,) = folder.glob("*.whl")
    return built
