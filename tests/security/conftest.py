"""The real site, on each server, as a stranger on the network meets it."""

from collections.abc import Iterator

import pytest

from tests.faults.site import site
from tests.serving import Served


@pytest.fixture(scope="session", params=["uvicorn", "daphne"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One site for all of them on each server; its log is read by the tests."""
    data = tmp_path_factory.mktemp("security")
    with site(data, "--server", request.param, TUNNEL_BASE_DOMAIN="t.example.net") as served:
        yield served
