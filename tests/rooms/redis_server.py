"""A real redis-server for tests: on a free port, with nothing on disk, ended by its id."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

START_S = 10.0


class RedisServer:
    """One server that can be ended and started again on its port, with nothing in it."""

    def __init__(self, program: str) -> None:
        self._program = program
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = self._start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process = self._start()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        options = ("--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
        process = subprocess.Popen(
            [self._program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + START_S
        while not self._listens():
            assert process.poll() is None, "redis-server did not start"
            assert time.monotonic() < end, "redis-server does not listen"
            time.sleep(0.01)
        return process

    def _listens(self) -> bool:
        with socket.socket() as knocking:
            return knocking.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """For the length of a ``with``; where there is none the test is skipped, but not in CI."""
    program = shutil.which("redis-server")
    if program is None:
        missing = "no redis-server found; install it with: sudo apt-get install redis-server"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    server = RedisServer(program)
    try:
        yield server
    finally:
        server.kill()
