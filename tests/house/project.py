"""What the house's tests look at: the checkout, its Python files, and the tools of the environment."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CORES = (ROOT / "gateway" / "core", ROOT / "rooms" / "core", ROOT / "tunnel" / "core")
CONTRACT = ROOT / "gateway" / "contract.py"
APPS = tuple(ROOT / app for app in ("gateway", "rooms", "debugger", "quizsite", "tunnel"))


def modules(*folders: Path) -> list[Path]:
    """The Python files in `folders`, but for migrations, which Django writes."""
    found = (path for folder in folders for path in folder.rglob("*.py"))
    return sorted(path for path in found if "migrations" not in path.parts)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tool(program: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a program of this test's own environment, whose output is the test's message when it fails."""
    command = [str(Path(sys.executable).parent / program), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
