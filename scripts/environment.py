"""The virtual environment: made once, filled from a lock file, and again when the lock or Python changes.

Plain `venv` and `pip`, for these are what a fresh machine has. Who asks for which lock: `scripts.bootstrap`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from scripts.missing import Missing

OLDEST_PYTHON = (3, 11)
NEWER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")

# Prints what the packages were installed for; a change of it is a reason to install them again.
IDENTITY = f"import sys; assert sys.version_info >= {OLDEST_PYTHON}; print(sys.version, sys.prefix)"


def python_on_path() -> str | None:
    """A Python that is new enough, when the one that runs this is not (macOS's own `python3` is 3.9)."""
    return next((path for path in map(shutil.which, NEWER_PYTHONS) if path and identity(Path(path))), None)


def identity(python: Path) -> str | None:
    """Version and place of an interpreter; None if it does not run or is too old."""
    try:
        done = subprocess.run([str(python), "-c", IDENTITY], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


class Environment:
    """The virtual environment in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "bin"
        self.python = self.programs / "python"

    def make(self, has_module: Callable[[str], object] = importlib.util.find_spec) -> None:
        """Make it if there is none that runs; one whose Python an upgrade has removed is made anew."""
        if identity(self.python):
            return
        if not has_module("ensurepip"):
            version = "{}.{}".format(*sys.version_info[:2])
            raise Missing(
                f"Python {version} here cannot make virtual environments; mend that with",
                f"sudo apt-get install python{version}-venv",
            )
        if self.folder.exists() and not (self.folder / "pyvenv.cfg").exists():
            raise Missing(f"{self.folder} is no virtual environment; remove it with", f"rm -r {self.folder}")
        print(f"Making the virtual environment {self.folder.name} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(self.folder)], check=True)

    def install(self, lock: Path, *parts: Path) -> None:
        """Install `lock`, unless this very one was installed last. `parts` are locks that it contains."""
        if self._stamp(lock).exists() and self._stamp(lock).read_text() == self._fingerprint(lock):
            return
        print(f"Installing {lock.name} (once; it may take some minutes) ...", flush=True)
        self._pip("install", "--quiet", "--no-input", "--require-hashes", "-r", str(lock))
        for installed in (lock, *parts):
            self._stamp(installed).write_text(self._fingerprint(installed))

    def _stamp(self, lock: Path) -> Path:
        return self.folder / f"installed-{lock.name}"

    def _fingerprint(self, lock: Path) -> str:
        return hashlib.sha256(f"{identity(self.python)}{lock.read_text()}".encode()).hexdigest()

    def _pip(self, *arguments: str) -> None:
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check"]
        if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
            # An environment made by another tool may have no pip in it.
            subprocess.run([str(self.python), "-m", "ensurepip"], check=True, capture_output=True)
        if subprocess.run([*pip, *arguments]).returncode != 0:
            raise Missing("The packages could not be installed, see above; with a network, run it again")
