"""A real Redis for tests, in a process of its own on a free port; killed, it can come back on the same."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

START_S = 10.0
LOOK_S = 0.02


class Redis:
    """A server without a file: what it forgets when it dies is the rule under test."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """As ``REDIS_URL`` wants it."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Run, and return when it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([_program(), *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + START_S
        while not self._answers():
            assert time.monotonic() < deadline, "redis-server does not answer"
            time.sleep(LOOK_S)

    def kill(self) -> None:
        """End it the hard way."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(START_S)
            self._process = None

    def freeze(self) -> None:
        """It keeps its connections and does nothing any more."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on where it was."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as probe:
                probe.sendall(b"PING\r\n")
                return probe.recv(7) == b"+PONG\r\n"
        except OSError:
            return False


@contextmanager
def redis_server() -> Iterator[Redis]:
    """A running one, for the length of a ``with``."""
    server = Redis()
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _program() -> str:
    found = shutil.which("redis-server")
    if found is None:
        pytest.fail("redis-server is missing: sudo apt-get install redis-server")
    return found
