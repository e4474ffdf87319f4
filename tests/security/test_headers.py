"""Requests that two readers could read differently, and responses that a stranger would like to write.

A proxy in front and the server behind it must see the same requests: whatever is ambiguous is refused, and
one request never becomes two.
"""

import pytest

from tests.security.stranger import AGENT, get, sends, session, upgrade
from tests.serving import Served

SECOND = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
CHUNKED = f"0\r\n\r\n{SECOND}"
"""An empty body for who reads chunks, a body of so many bytes for who counts."""

AMBIGUOUS = {
    "length and chunks": ("Content-Length: {size}", "Transfer-Encoding: chunked"),
    "chunks and length": ("Transfer-Encoding: chunked", "Content-Length: {size}"),
    "two lengths": ("Content-Length: 0", "Content-Length: {size}"),
    "a list of lengths": ("Content-Length: 0, {size}",),
    "a signed length": ("Content-Length: +{size}",),
    "a length in hex": ("Content-Length: 0x10",),
    "chunks under a name with a space": ("Transfer-Encoding : chunked", "Content-Length: {size}"),
    "chunks that are not the last coding": ("Transfer-Encoding: chunked, identity",),
    "an unknown coding": ("Transfer-Encoding: xchunked",),
    "a folded coding": ("Transfer-Encoding:\r\n chunked", "Content-Length: {size}"),
}


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_a_body_of_two_lengths_is_refused_or_read_as_one_request(server: Served, kind: str) -> None:
    """What follows in the same bytes is not answered as a request: at most one answer, and the refusals end
    the connection.
    """
    lines = [line.format(size=len(CHUNKED)) for line in AMBIGUOUS[kind]]
    head = ["POST /play/ HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *lines, "Connection: close", "", ""]
    reply = sends(server, "\r\n".join(head) + CHUNKED)
    assert reply.answers <= 1
    assert b"ok\n" not in reply.raw, "the smuggled request was answered"


@pytest.mark.parametrize(
    "name", ["X_Forwarded_For", "X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP"]
)
def test_no_header_of_a_direct_client_is_believed_about_its_address(server: Served, name: str) -> None:
    """Nobody is a trusted proxy here: the address in the log is the peer's, or `unknown`, not the forged."""
    forged = f"{name}: for=198.51.100.77" if name == "Forwarded" else f"{name}: 198.51.100.77"
    upgrade(server, "/ws", "Origin: https://evil.example", forged, f"User-Agent: {AGENT}")
    assert server.logged("refused invalid_origin")
    assert "ip=198.51.100.77" not in server.log


SPLITS = (
    "%0d%0aSet-Cookie:%20stolen=1",
    "%0aSet-Cookie:%20stolen=1",
    "%E5%98%8D%E5%98%8ASet-Cookie:%20stolen=1",
)
PLACES = (
    "/play/{}",
    "/play/?code={}",
    "/present/{}",
    "/qr/{}.svg",
    "/admin/login/?next=/{}",
    "/results/{}",
    "/{}",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("split", SPLITS)
def test_no_answer_holds_a_header_of_the_visitors(server: Served, place: str, split: str) -> None:
    """Line breaks in a path, a query, a code and a redirect stay what they are: text, or nothing."""
    reply = get(server, place.format(split), f"User-Agent: {AGENT}")
    assert 200 <= reply.status < 500
    assert reply.answers == 1
    assert not any("stolen" in line for line in reply.lines if line.lower().startswith("set-cookie"))


def test_a_redirect_leads_nowhere_but_to_the_site(server: Served) -> None:
    """The door of the admin and the search for a room are no ways to somebody else's page."""
    for path in (
        "/play/?code=//evil.example",
        "//evil.example/..",
        "/admin?next=//evil.example",
        "/play/%5Cevil.example",
    ):
        location = get(server, path, f"User-Agent: {AGENT}").value("location")
        assert not location.startswith(("//", "\\", "http://evil", "https://evil")), path


def test_a_refused_upgrade_echoes_nothing(server: Served) -> None:
    """Neither the origin nor the query come back in a header or in the body."""
    reply = upgrade(
        server, "/ws?roomId=echo-this&playerSeatId=x&reconnectToken=y", "Origin: https://echo-this.example"
    )
    assert reply.status == 403
    assert b"echo-this" not in reply.raw


def test_a_body_that_says_it_is_too_large_is_refused_before_it_comes(server: Served) -> None:
    """413 to whoever announces it, on both servers; the process has read none of it."""
    cookie = session(server)
    head = [
        "POST /play/ HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Cookie: {cookie}",
        "Content-Length: 99999999999",
    ]
    assert sends(server, "\r\n".join([*head, "", "x"]), until_end=False).status == 413


def test_a_body_that_grows_too_large_is_refused_while_it_comes(server: Served) -> None:
    """In chunks nobody has to say how much there will be."""
    piece = b"%x\r\n%s\r\n" % (2**20, b"x" * 2**20)
    head = f"POST /play/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
    reply = sends(server, head.encode() + piece * 17 + b"0\r\n\r\n")
    assert reply.status == 413
    assert b"larger than 16 MiB" in reply.raw
