"""One toy server for all faults of a module, with caps that let hundreds of bad clients in at once."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.wire.client import Browser
from tests.serving import Served, serving

FAULTS = "tests.faults.settings"
ROOMY = {"SESSION_CAP": 1000, "IP_CAP": 1000, "HEARTBEAT_INTERVAL_MS": 600_000}
"""No cap hides a fault behind a refusal; no heartbeat asks clients that answer by hand."""


@pytest.fixture(scope="module", params=["uvicorn", "daphne"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The toy game behind the gateway, on each server in turn."""
    data: Path = tmp_path_factory.mktemp("faults")
    with serving(FAULTS, data, "--server", request.param, TOY_GATEWAY=json.dumps(ROOMY)) as served:
        yield served


@pytest.fixture
def browser(server: Served) -> Browser:
    """Somebody who has a session."""
    return Browser(server)
