"""A Python of its own for what can't be undone in this one: imports, and Twisted's reactor."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def said_by(program: str) -> str:
    """What a fresh Python prints."""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()
