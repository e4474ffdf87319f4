"""What only a server of its own can show: that one broken response stops nothing, and how a server stops."""

import http.client
import subprocess
from collections.abc import Iterator

import pytest

from tests.conformance.conftest import Server, serving
from tests.conformance.serve import KINDS

STOPPED_WITHIN_S = 5.0
"""2 s for the close of a full socket, and the machine's own time."""


@pytest.fixture(scope="module", params=list(KINDS))
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Not the one of the other cases: these end it."""
    with serving(request.param) as running:
        yield running


def test_a_response_that_breaks_midway_stops_nothing_else(server: Server) -> None:
    """The next broken request is answered: nothing that runs for the whole process has died."""
    server.deadline_s = max(server.deadline_s, 2.5)  # Daphne looks once a second
    with pytest.raises((http.client.HTTPException, OSError)):
        server.ask("/half/x")
    with pytest.raises(ValueError, match="Expecting value"):  # the text of a 500 is no JSON
        server.ask("/unanswered/x")


def test_a_stop_says_1012_and_waits_for_no_full_socket(server: Server, name: str) -> None:
    """Everybody is told to come again, who is not let in yet too, and a peer that does not read is no reason
    to stay.
    """
    before = len(server.log_text())
    with server.connect() as client, server.connect(4096) as stuck, server.connect() as early:
        early.ask(f"/late?id={name}-early")
        server.ask(f"/asked/{name}-early")
        client.open(f"/port?id={name}")
        stuck.open(f"/port?id={name}-stuck")
        stuck.text("!burst 400")
        server.ask(f"/drowned/{name}-stuck")
        server.process.terminate()
        assert early.answer().status == 503
        assert client.closed_with()[0] == 1012
        client.close(1012)
        try:
            server.process.wait(min(STOPPED_WITHIN_S, server.deadline_s))
        except subprocess.TimeoutExpired:
            pytest.fail("it waits for the peer that does not read")
    assert "Traceback" not in server.log_text()[before:]
