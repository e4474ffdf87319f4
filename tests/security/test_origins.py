"""Cross-site WebSocket hijacking: a foreign page has its visitor's cookies and gets no socket (spec 1.2).

Every path is knocked at on which a browser's cookies mean something, with everything that an Origin can be.
"""

import pytest

from tests.faults.players import until
from tests.security.stranger import AGENT, session, upgrade
from tests.serving import Served

FOREIGN = (
    "https://evil.example",
    "null",
    "",
    "http://",
    "file://",
    "http://127.0.0.1",
    "https://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}@evil.example",
    "http://evil.example#127.0.0.1:{port}",
    "http://evil.example:{port}",
    "http://127.0.0.1:{port} http://evil.example",
    "http://127.0.0.1:{port},http://evil.example",
    "http://127.0.0.1.:{port}",
    "http://127.0.0.1:0{port}",
    "http://127。0。0。1:{port}",
    "ws://127.0.0.1:{port}",
)


@pytest.fixture(scope="module")
def cookie(server: Served) -> str:
    """The victim's."""
    return session(server)


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_page_gets_no_socket_and_is_named_in_the_log(
    server: Served, cookie: str, origin: str
) -> None:
    """403 with its code, the value in one line of the log; never a 500."""
    said = origin.format(port=server.port).encode("utf-8").decode("latin-1")
    lines = len(server.lines)
    reply = upgrade(server, "/ws", f"Origin: {said}", f"Cookie: {cookie}", f"User-Agent: {AGENT}")
    assert reply.status in (400, 403)
    if reply.status == 403:
        assert reply.value("x-flags-reject-reason") == "invalid_origin"
        until(lambda: any("refused invalid_origin" in line for line in server.lines[lines:]))
    assert "Traceback" not in server.log


def test_two_origins_are_none(server: Served, cookie: str) -> None:
    """The site's own first or last: a proxy and a library may each look at another one."""
    own, foreign = f"Origin: http://127.0.0.1:{server.port}", "Origin: https://evil.example"
    for pair in ((own, foreign), (foreign, own)):
        assert upgrade(server, "/ws", *pair, f"Cookie: {cookie}", f"User-Agent: {AGENT}").status in (400, 403)


def test_a_host_that_is_not_the_sites_makes_no_origin_its_own(server: Served, cookie: str) -> None:
    """DNS rebinding: the attacker's name resolves to us, so Host and Origin agree, and neither is ours."""
    reply = upgrade(
        server,
        "/ws",
        "Host: evil.example",
        "Origin: http://evil.example",
        f"Cookie: {cookie}",
        f"User-Agent: {AGENT}",
    )
    assert reply.status in (400, 403)


def test_the_tunnels_socket_takes_no_cookie_for_an_answer(server: Served, cookie: str) -> None:
    """Its clients log in with a token in a header that no page can set; a cookie is nothing there."""
    reply = upgrade(
        server, "/_tunnel", "Origin: https://evil.example", f"Cookie: {cookie}", f"User-Agent: {AGENT}"
    )
    assert reply.status == 101, "it says no in a frame"
    until(lambda: "tunnel.relay: refused" in server.log)
