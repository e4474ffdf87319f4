"""`make run`, `make test` and the other commands of the Makefile, each doing all of its own set-up.

It runs on the machine's own Python with the standard library alone, and says what is missing in one sentence
with the command that mends it. This file and those it imports must parse on Python 3.7: an old Python has to
get as far as being told so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from scripts import browser, network
from scripts.environment import OLDEST_PYTHON, Environment, python_on_path
from scripts.missing import Missing

ROOT = Path(__file__).resolve().parent.parent
RUNTIME_LOCK = ROOT / "requirements.txt"
TESTS_LOCK = ROOT / "requirements-dev.txt"
MUTANTS_LOCK = ROOT / "requirements-mutants.txt"
FUZZ_LOCK = ROOT / "requirements-fuzz.txt"

DEFAULT_PORT = 8000
DEFAULT_FUZZ_SECONDS = "600"
FUZZED = ("inbound", "hosts", "importers")  # modules of fuzz/
NO_TESTS_RAN = 5  # pytest's exit code

# Most tests wait for a server or a browser of their own, so two processors do three at once; those of a file
# share theirs.
AT_ONCE = ("--numprocesses=3", "--dist=loadfile")
COVERED = ("gateway/core", "rooms/core")  # where every branch must be tested


def main(arguments: list[str]) -> int:
    command = COMMANDS.get(arguments[0] if len(arguments) == 1 else "")
    if command is None:
        print(f"usage: python3 -m scripts.bootstrap {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        require_python(arguments)
        return command()
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as failed:
        print(f"This did not work: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130  # what a shell says of a command ended by Ctrl-C


def require_python(arguments: list[str]) -> None:
    """Go on with a newer Python if this one is too old and there is one."""
    if sys.version_info >= OLDEST_PYTHON:
        return
    newer = python_on_path()
    if newer:
        os.execv(newer, [newer, "-m", "scripts.bootstrap", *arguments])
    raise Missing(old_python(sys.version_info[:2], sys.platform))


def old_python(version: tuple[int, ...], platform: str) -> str:
    wanted = ".".join(map(str, OLDEST_PYTHON))
    found = ".".join(map(str, version))
    source = "brew install python3" if platform == "darwin" else "sudo apt-get install python3.11-venv"
    return f"Halyard needs Python {wanted} or newer, and this is {found}; get one, for example with: {source}"


def environment(*locks: Path) -> Environment:
    """The virtual environment with the first lock installed, which contains the others."""
    made = Environment(Path(os.environ.get("VENV") or ROOT / ".venv"))
    made.make()
    made.install(*locks)
    return made


def for_running() -> Environment:
    return environment(RUNTIME_LOCK)


def for_tests() -> Environment:
    return environment(TESTS_LOCK, RUNTIME_LOCK)


# The commands -----------------------------------------------------------------------------------------------


def run() -> int:
    port = network.port_from(os.environ.get("PORT", ""), DEFAULT_PORT)
    network.require_free(port)
    python = str(for_running().python)
    subprocess.run([python, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, check=True)
    print("\n".join(invitation(port, network.outward_address())), flush=True)
    os.chdir(ROOT)
    # The server takes this process's place, so that Ctrl-C and SIGTERM reach it and nothing stands between.
    serve = [python, "manage.py", "serve", "--host", "0.0.0.0", "--port", str(port)]
    os.execve(python, serve, {**os.environ, "LAN_HOSTS": ",".join(hosts())})


def hosts() -> list[str]:
    """Every name under which a browser in this network may ask for the site, the best for phones first."""
    return [*network.all_addresses(), *network.names(), *network.LOOPBACK]


def invitation(port: int, address: str | None) -> list[str]:
    here = f"Halyard is at http://localhost:{port}"
    if address is None:
        return [here, "This machine is in no network, so no phone can reach it."]
    return [here, f"Phones in the same network: http://{address}:{port}"]


def test() -> int:
    made = for_tests()
    found = browser.chromium(made.python, os.environ)
    coverage = [f"--cov={path}" for path in COVERED]
    ended = subprocess.run(
        [str(made.python), "-m", "pytest", *AT_ONCE, *coverage, "--cov-branch", "--cov-fail-under=100"],
        cwd=ROOT,
        env={**os.environ, **({browser.VARIABLE: found} if found else {})},
    )
    return verdict(ended.returncode)


def verdict(exit_code: int) -> int:
    if exit_code == NO_TESTS_RAN:
        raise Missing("No test was found, which proves nothing; see what is there with", "ls tests")
    return exit_code


def lint() -> int:
    """All the checks, whatever the first of them says."""
    programs = for_tests().programs
    checks = (
        [programs / "ruff", "check"],
        [programs / "ruff", "format", "--check"],
        [programs / "lint-imports"],
        [programs / "mypy"],
    )
    return max([subprocess.run(list(map(str, check)), cwd=ROOT).returncode for check in checks])


def check() -> int:
    """What has to pass. The checks first: they take seconds, and what they find the tests find too."""
    return lint() or test()


def docs() -> int:
    """The documentation as the tests build it: a warning is an error."""
    target = ROOT / "var" / "docs"
    sphinx = [str(for_tests().python), "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "docs", str(target)]
    subprocess.run(sphinx, cwd=ROOT, check=True)
    print(f"The documentation is at {target / 'index.html'}")
    return 0


def deploy_check() -> int:
    """The tests of what ``deploy/`` ships, alone."""
    python = str(for_tests().python)
    return subprocess.run([python, "-m", "pytest", "tests/deploy", "-rs"], cwd=ROOT).returncode


def messages() -> int:
    """The catalogues in quizsite/locale; fails while a sentence waits for its translation."""
    return subprocess.run([str(for_tests().python), "-m", "scripts.messages"], cwd=ROOT).returncode


def screens() -> int:
    """The pictures in docs/screens."""
    made = for_tests()
    found = browser.chromium(made.python, os.environ)
    if found is None:
        return 1
    taken = [str(made.python), "-m", "scripts.screens"]
    return subprocess.run(taken, cwd=ROOT, env={**os.environ, browser.VARIABLE: found}).returncode


def bench(*options: str) -> int:
    python = str(for_tests().python)
    return subprocess.run([python, "-m", "bench.run", *options], cwd=ROOT).returncode


def bench_quick() -> int:
    return bench("--quick")


def bench_gateway() -> int:
    python = str(for_tests().python)
    return subprocess.run([python, "-m", "bench.gateway_figures"], cwd=ROOT).returncode


def lock() -> int:
    return compile_locks()


def upgrade() -> int:
    return compile_locks("--upgrade")


def compile_locks(*options: str) -> int:
    """All locks, for every Python and system at once. No package index is named: that is the user's."""
    uv = [str(for_tests().programs / "uv"), "pip", "compile", "--quiet", *options]
    uv += ["--universal", "--python-version", ".".join(map(str, OLDEST_PYTHON)), "--generate-hashes"]
    uv += ["--no-emit-index-url", "--no-emit-find-links", "--custom-compile-command", "make lock"]
    for target in (RUNTIME_LOCK, TESTS_LOCK, MUTANTS_LOCK, FUZZ_LOCK):
        sources = ["pyproject.toml", "--all-extras", target.with_suffix(".in").name]
        subprocess.run([*uv, "--output-file", target.name, *sources], cwd=ROOT, check=True)
    return 0


def mutants() -> int:
    """Change the cores in small ways and see whether a test notices; the survivors are listed at the end.

    In an environment of its own: mutmut brings libcst along, and with that installed a failing Hypothesis
    test ends the whole run in an internal error instead of a report.
    """
    made = Environment(ROOT / "var" / "venv-mutants")
    made.make()
    made.install(MUTANTS_LOCK)
    mutmut = str(made.programs / "mutmut")
    subprocess.run([mutmut, "run"], cwd=ROOT, check=True)
    return subprocess.run([mutmut, "results"], cwd=ROOT).returncode


def fuzz() -> int:
    """Each target for ten minutes, or FUZZ_SECONDS, whatever the one before it found.

    In an environment of its own: Atheris is a fuzzer's library around our code and nothing that tests need.
    """
    made = Environment(ROOT / "var" / "venv-fuzz")
    made.make()
    made.install(FUZZ_LOCK)
    seconds = os.environ.get("FUZZ_SECONDS") or DEFAULT_FUZZ_SECONDS
    runs = [[str(made.python), "-m", f"fuzz.{target}", f"-max_total_time={seconds}"] for target in FUZZED]
    return max([subprocess.run(run, cwd=ROOT).returncode for run in runs])


def soak() -> int:
    python = str(for_tests().python)
    return subprocess.run(
        [python, "-m", "bench.soak", os.environ.get("MINUTES") or "30"], cwd=ROOT
    ).returncode


def storm() -> int:
    return subprocess.run([str(for_tests().python), "-m", "bench.storm"], cwd=ROOT).returncode


COMMANDS = {
    "run": run,
    "test": test,
    "lint": lint,
    "check": check,
    "docs": docs,
    "deploy-check": deploy_check,
    "messages": messages,
    "screens": screens,
    "bench": bench,
    "bench-quick": bench_quick,
    "bench-gateway": bench_gateway,
    "lock": lock,
    "upgrade": upgrade,
    "mutants": mutants,
    "fuzz": fuzz,
    "soak": soak,
    "storm": storm,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
