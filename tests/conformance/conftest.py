"""Starts each server once, as a process of its own, and runs every case of this directory against each.

A stock server fails the cases that `expected.FAILURES` lists for it, and no other: a fix upstream is as loud
as a break.
"""

import contextlib
import http.client
import json
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.expected import FAILURES
from tests.conformance.raw import Raw, gone_from_kernel
from tests.conformance.serve import KINDS

ROOT = Path(__file__).parents[2]
STOP_WITHIN_S = 5.0
DEADLINE_S = 10.0
"""How long a case waits for what must happen."""
FAILING_DEADLINE_S = 0.5
"""How long it waits on a server that is known to keep it waiting."""


@dataclass
class Server:
    """A server process under test."""

    kind: str
    log: Path
    deadline_s: float = DEADLINE_S
    process: subprocess.Popen[str] = field(init=False)
    port: int = field(init=False)

    def start(self) -> None:
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-m", "tests.conformance.serve", self.kind],
                cwd=ROOT,
                stdout=subprocess.PIPE,  # holds the port only: serve.py sends the rest to stderr
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        if not first.strip().isdigit():
            self.stop()
            raise RuntimeError(f"{self.kind} did not start, it said {first!r}: {self.log.read_text()}")
        self.port = int(first)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:  # a stock server waits for sockets that never go
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def connect(self, receive_buffer: int | None = None) -> Raw:
        return Raw(self.port, receive_buffer, self.deadline_s)

    def ask(self, target: str) -> Any:
        """GET ``target`` and decode its JSON."""
        with contextlib.closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.deadline_s)
        ) as http_:
            http_.request("GET", target)
            return json.loads(http_.getresponse().read())

    def forgets(self, client: Raw, within_s: float) -> bool:
        """Whether the kernel has forgotten the server's end of ``client`` in time."""
        return gone_from_kernel(self.port, client.local_port, min(within_s, self.deadline_s))

    def log_text(self) -> str:
        """Everything the server has logged, its access log too."""
        return self.log.read_text()

    def seen(self, name: str) -> Any:
        """What the application saw of the socket ``name``, once it is over."""
        return self.ask(f"/seen/{name}")


@contextlib.contextmanager
def serving(kind: str) -> Iterator[Server]:
    """A server of this kind, for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="halyard-conformance-") as directory:
        server = Server(kind, Path(directory) / f"{kind}.log")
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session", params=list(KINDS))
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with serving(request.param) as running:
        yield running


@pytest.fixture(autouse=True)
def deadline(server: Server, request: pytest.FixtureRequest) -> None:
    """Waiting for a listed failure is shortened: it will come to nothing."""
    listed = request.node.get_closest_marker("xfail") is not None
    server.deadline_s = FAILING_DEADLINE_S if listed else DEADLINE_S


@pytest.fixture
def name() -> str:
    """The id of this test's socket."""
    return uuid.uuid4().hex


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """pytest shows all collected tests to this hook, not only those of this folder."""
    for item in items:
        if not isinstance(item, pytest.Function) or not item.path.is_relative_to(Path(__file__).parent):
            continue
        if "server" not in item.fixturenames:
            continue
        reason = FAILURES.get(item.callspec.params["server"], {}).get(item.originalname)
        if reason:
            item.add_marker(pytest.mark.xfail(strict=True, reason=reason))
