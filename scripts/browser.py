"""A Chromium for the tests: an installed one, else Playwright's, else Debian's package.

A browser counts only if it runs: Playwright's download starts on no machine that lacks its libraries.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.missing import Missing

VARIABLE = "HALYARD_CHROMIUM"

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)

START_S = 60  # a first start on a slow disk; a browser that hangs longer is none
DOWNLOAD_S = 900

PLAYWRIGHTS_PATH = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def chromium(python: Path, environment: Mapping[str, str]) -> str | None:
    """The path of a Chromium that runs, fetched if need be; None when there is none to be had."""
    if environment.get(VARIABLE):
        return chosen(environment[VARIABLE])
    found = installed(environment) or playwrights(python) or debians(environment)
    return found or none_found(environment)


def none_found(environment: Mapping[str, str]) -> None:
    """Say so; in CI fail, for a browser test that was skipped looks like one that passed."""
    command = "brew install --cask chromium" if sys.platform == "darwin" else "sudo apt-get install chromium"
    if environment.get("CI"):
        raise Missing("No Chromium runs here, and CI must not skip its tests; install one with", command)
    print(f"No Chromium runs here, so the browser tests are skipped; install one with: {command}", flush=True)


def chosen(path: str) -> str:
    if not runs(path):
        raise Missing(f"{VARIABLE} is {path!r}, which does not run; go on without it", f"unset {VARIABLE}")
    return path


def runs(path: str) -> bool:
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=START_S).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def installed(environment: Mapping[str, str]) -> str | None:
    on_path = (shutil.which(name, path=environment.get("PATH")) for name in NAMES)
    return next((path for path in (*on_path, *MAC_APPLICATIONS) if path and runs(path)), None)


def playwrights(python: Path) -> str | None:
    """Playwright's own build: kept from an earlier download, else downloaded now."""
    asked = subprocess.run([str(python), "-c", PLAYWRIGHTS_PATH], capture_output=True, text=True)
    path = asked.stdout.strip()
    if path and not Path(path).exists():
        download = [str(python), "-m", "playwright", "install", "--no-shell", "chromium"]
        attempt(download, "Playwright's Chromium")
    return path if path and runs(path) else None


def debians(environment: Mapping[str, str]) -> str | None:
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        become_root: list[str] = []
    elif shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        become_root = ["sudo", "-n"]
    else:
        return None
    apt = [*become_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    attempt([*apt, "update"], "Debian's list of packages")
    attempt([*apt, "install", "-y", "--no-install-recommends", "chromium"], "Debian's Chromium")
    return installed(environment)


def attempt(command: list[str], what: str) -> None:
    """Run a download that may fail: whether it worked is seen by looking for what it should have brought."""
    print(f"Getting {what} ...", flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_S)
    except subprocess.TimeoutExpired:
        print(f"{what}: no answer within {DOWNLOAD_S} s", flush=True)
        return
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        print(f"{what}: not to be had ({said[0]})", flush=True)
