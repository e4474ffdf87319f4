"""One toy server for all wire tests of a module, and a fresh browser for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.wire.client import Browser
from tests.serving import Served, serving

TOY = "tests.toy_game.settings"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The toy game behind the gateway, on uvicorn."""
    data: Path = tmp_path_factory.mktemp("toy")
    with serving(TOY, data) as served:
        yield served


@pytest.fixture
def browser(server: Served) -> Browser:
    """Somebody who has a session."""
    return Browser(server)
