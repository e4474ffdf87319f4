"""A Python process of its own in the checkout, for what a process reads once: settings, checks, commands."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, **environment: str) -> str:
    """What `python arguments` prints, warnings being errors, with nothing but `environment` to go by."""
    done = ended(*arguments, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def ended(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same process after its end, a good one or not."""
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "ENV_FILE": os.devnull, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
