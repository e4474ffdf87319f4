"""The site behind the shipped proxies, as deploy/ says to set it up."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.serving import Served, manage, serving
from tests.tunnel.kit import DOMAIN

SETTINGS = "tests.deploy.settings"
PUBLIC = {
    "ALLOWED_HOSTS": "localhost",
    "LAN_HOSTS": "127.0.0.1",  # as the Dockerfile has it, for the health check
    "HTTPS": "on",
    "PROXY_PROTO_HEADER": "X-Forwarded-Proto",
    "TRUSTED_PROXIES": "127.0.0.1",
    "TUNNEL_BASE_DOMAIN": DOMAIN,
}


class Site:
    """The serving process, and its management commands."""

    def __init__(self, served: Served, data: Path) -> None:
        self.port = served.port
        self._data = data

    def manage(self, *arguments: str, **environment: str) -> str:
        """Run a command of this site; returns all that it says, after its exit code."""
        ran = manage(SETTINGS, self._data, *arguments, **_environment(), **environment)
        return f"{ran.returncode} {ran.stdout}{ran.stderr}"


def _environment() -> dict[str, str]:
    return {**PUBLIC, "SECRET_KEY": settings.SECRET_KEY}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A public site, up to the proxy."""
    data = tmp_path_factory.mktemp("site")
    assert manage(SETTINGS, data, "migrate", "--no-input", **_environment()).returncode == 0
    with serving(SETTINGS, data, **_environment()) as served:
        yield Site(served, data)
