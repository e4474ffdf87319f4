"""A real server in a process of its own, for tests that look at the wire: ``manage.py serve`` on a free port.

Nothing is mocked and nothing sleeps: `Served` waits for the line that says that the server listens, and ends
the process by its id.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_S = 30
STOP_S = 15
LOG_S = 5
SERVING = re.compile(r"Serving on http://[^:]+:(\d+)")


class Served:
    """A running server. ``log`` grows as it speaks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._grown = threading.Condition()
        self._listening = threading.Event()
        self.port = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._listening.wait(START_S) or not self.port:
            self.kill()
            raise AssertionError(f"the server did not start:\n{self.log}")

    @property
    def log(self) -> str:
        """All that the server wrote so far."""
        return "".join(self.lines)

    def logged(self, text: str) -> bool:
        """Whether the server says this, now or within a few seconds (its words come through a pipe)."""
        with self._grown:
            return self._grown.wait_for(lambda: text in self.log, timeout=LOG_S)

    @property
    def http(self) -> str:
        """Its origin."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        """Its WebSocket."""
        return f"ws://127.0.0.1:{self.port}/ws"

    def stop(self) -> int:
        """Ask it to stop and wait; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> int:
        """End it the hard way."""
        if self.process.poll() is None:
            self.process.kill()
        return self.wait()

    def wait(self) -> int:
        """Wait for its end, which something else has asked for; returns its exit code."""
        try:
            code = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join(STOP_S)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._grown:
                self.lines.append(line)
                self._grown.notify_all()
            if found := SERVING.search(line):
                self.port = int(found[1])
                self._listening.set()
        self._listening.set()


def start(settings: str, data: Path, *arguments: str, **environment: str) -> Served:
    """Start ``manage.py serve`` with these settings; its database and files are in ``data``."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", "0", *arguments],
        cwd=ROOT,
        env={**environment_of(settings, data), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Served(process)


@contextmanager
def serving(settings: str, data: Path, *arguments: str, **environment: str) -> Iterator[Served]:
    """A server for the length of a ``with``."""
    server = start(settings, data, *arguments, **environment)
    try:
        yield server
    finally:
        server.stop()


def session_cookie(set_cookies: Iterable[str]) -> str:
    """``name=value`` of the session among the values of ``Set-Cookie`` lines; a page may set others, too."""
    (named,) = [value.partition(";")[0] for value in set_cookies if value.startswith("sessionid=")]
    return named


def manage(
    settings: str, data: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a management command to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**environment_of(settings, data), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def environment_of(settings: str, data: Path) -> dict[str, str]:
    """Nothing of the developer's own environment but the path."""
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": settings,
        "ENV_FILE": os.devnull,
        "DATA_DIR": str(data),
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",  # a crash in C says where
    }
