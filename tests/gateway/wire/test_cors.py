"""A page of another origin that may open sockets: it can read the preflight, nobody else's page can (spec
1.2).
"""

import http.client
import json
from collections.abc import Iterator

import pytest

from tests.gateway.wire.client import READ_S, Browser
from tests.gateway.wire.conftest import TOY
from tests.serving import Served, serving

FRIEND = "https://school.example"
STRANGER = "https://evil.example"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that allows one foreign origin."""
    settings = json.dumps({"ALLOWED_ORIGINS": [FRIEND]})
    with serving(TOY, tmp_path_factory.mktemp("cors"), TOY_GATEWAY=settings) as served:
        yield served


def test_an_allowed_origin_reads_the_answer_with_credentials(browser: Browser) -> None:
    """Refusals too: that is what the preflight is for; and when to come back."""
    for path, status in (("/api/ws/preflight", 200), ("/api/ws/preflight?roomId=x", 403)):
        answer = browser.get(path, Origin=FRIEND)
        assert answer.status == status
        assert answer.headers["Access-Control-Allow-Origin"] == FRIEND
        assert answer.headers["Access-Control-Allow-Credentials"] == "true"
        assert "Retry-After" in str(answer.headers["Access-Control-Expose-Headers"])
        assert "Origin" in str(answer.headers["Vary"])


def test_any_other_origin_reads_nothing(browser: Browser) -> None:
    """Never a wildcard: the answer depends on the visitor's cookie."""
    answer = browser.get("/api/ws/preflight", Origin=STRANGER)
    assert answer.status == 403
    assert answer.headers["Access-Control-Allow-Origin"] is None


@pytest.mark.parametrize(("origin", "status"), [(FRIEND, 204), (STRANGER, 403)])
def test_options_answers_for_allowed_origins_only(server: Served, origin: str, status: int) -> None:
    """The browser's own question before a cross-origin request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=READ_S)
    connection.request("OPTIONS", "/api/ws/preflight", headers={"Origin": origin})
    response = connection.getresponse()
    connection.close()
    assert response.status == status
    assert (response.headers["Access-Control-Allow-Origin"] == origin) is (status == 204)


async def test_an_allowed_origin_opens_a_socket(browser: Browser) -> None:
    """The setting is the same for both."""
    async with browser.socket({**browser.headers(), "Origin": FRIEND}) as wire:
        assert wire.greeting["type"] == "CONNECTED"
