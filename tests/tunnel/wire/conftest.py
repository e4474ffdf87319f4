"""One relay for all tests of this folder, a token for every name, and a site behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import Served, manage, serving
from tests.tunnel.kit import Client, SiteBehind, serving_client

SETTINGS = "tests.tunnel.relay_settings"


class Relay:
    """A running relay. ``token`` may serve every name."""

    def __init__(self, served: Served, data: Path, token: str) -> None:
        self.served = served
        self.port = served.port
        self.data = data
        self.token = token

    def manage(self, *arguments: str) -> str:
        """What a management command on the relay's database prints."""
        done = manage(SETTINGS, self.data, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def issue(self, scope: str) -> str:
        """A token of its own."""
        return self.manage("tunnel_token", "issue", "test", "--scope", scope)

    @property
    def memory(self) -> int:
        """Bytes that the relay's process has in memory."""
        return memory_of(self.served.process.pid)


def memory_of(pid: int) -> int:
    """Bytes that a process has in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


@pytest.fixture(scope="session")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relay]:
    """The relay, on a migrated database."""
    data = tmp_path_factory.mktemp("relay")
    assert manage(SETTINGS, data, "migrate", "--no-input").returncode == 0
    token = manage(SETTINGS, data, "tunnel_token", "issue", "all tests", "--scope", "*").stdout.strip()
    with serving(SETTINGS, data) as served:
        yield Relay(served, data, token)


@pytest.fixture(scope="session")
def behind() -> Iterator[SiteBehind]:
    """The site behind the tunnel."""
    with SiteBehind() as site:
        yield site


@pytest.fixture(scope="session")
def client(relay: Relay, behind: SiteBehind) -> Iterator[Client]:
    """A client that serves it as ``preview``."""
    with serving_client(relay.port, "preview", behind.port, relay.token) as running:
        yield running
