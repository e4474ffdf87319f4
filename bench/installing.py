"""Get what the bench needs into ``var/bench``: the generator, the peers' packages, a database with sessions.

Nothing of it goes into the site's own environment or locks. What is there already is left alone.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from bench.contestants import HOME, NPM, PEERS, PYTHON, ROOT, halyard
from bench.generator import COOKIES, compile_program

DATA = HOME / "data"


def everything(sockets: int) -> None:
    """For a run with so many sockets."""
    compile_program()
    python_peers()
    npm_peers()
    sessions(sockets)


def python_peers() -> None:
    """Into an environment of their own."""
    wanted = PEERS / "requirements.txt"
    if _is_newer(PYTHON.parent.parent / "installed", wanted):
        return
    _say("the Python peers")
    subprocess.run([sys.executable, "-m", "venv", str(PYTHON.parent.parent)], check=True)
    subprocess.run([str(PYTHON), "-m", "pip", "install", "--quiet", "-r", str(wanted)], check=True)
    (PYTHON.parent.parent / "installed").touch()


def npm_peers() -> None:
    """Beside copies of the peers' files: a module is looked for where its importer lies."""
    NPM.mkdir(parents=True, exist_ok=True)
    for file in (*PEERS.glob("*.js"), PEERS / "package.json"):
        if not _is_newer(NPM / file.name, file):
            shutil.copy(file, NPM)
    if _is_newer(NPM / "installed", PEERS / "package.json"):
        return
    if shutil.which("npm") is None:
        raise SystemExit("The peers need Node and npm; get them with: sudo apt-get install nodejs npm")
    _say("the JavaScript peers")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=NPM, check=True)
    # Bun's program is put in its place by its own script, which npm may be told not to run.
    subprocess.run(["node", "install.js"], cwd=NPM / "node_modules" / "bun", check=True)
    (NPM / "installed").touch()


def sessions(count: int) -> None:
    """A session for each client in the bench's own database."""
    if (
        COOKIES.exists()
        and len(COOKIES.read_text().splitlines()) >= count
        and (DATA / "halyard.sqlite3").exists()
    ):
        return
    _say(f"{count} sessions")
    DATA.mkdir(parents=True, exist_ok=True)
    environment = {"PATH": "/usr/bin:/bin", **halyard().environment}
    for words in (
        ["manage.py", "migrate", "--verbosity", "0"],
        ["-m", "bench.sessions", str(count), str(COOKIES)],
    ):
        subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, check=True)


def _is_newer(made: Path, source: Path) -> bool:
    return made.exists() and made.stat().st_mtime >= source.stat().st_mtime


def _say(what: str) -> None:
    print(f"Getting {what} (once) ...", flush=True)
