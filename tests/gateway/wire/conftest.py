"""One toy server for all wire tests of a module, and a fresh browser for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.wire.client import Browser
from tests.serving import Served, serving

TOY = "tests.toy_game.settings"


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The toy game behind the gateway, on each server: what a client sees must not differ."""
    data: Path = tmp_path_factory.mktemp("toy")
    with serving(TOY, data, "--server", request.param) as served:
        yield served


@pytest.fixture
def browser(server: Served) -> Browser:
    """Somebody who has a session."""
    return Browser(server)
