"""The client's own page (spec 6.1): on this machine alone, without secrets, with a replay."""

import re
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlencode

import pytest

from tests.tunnel.kit import Client, SiteBehind, Visitor, serving_client
from tests.tunnel.wire.conftest import Relay


@pytest.fixture(scope="module")
def inspected(relay: Relay, behind: SiteBehind) -> Iterator[tuple[Client, int]]:
    """A client with its page, and the page's port."""
    with serving_client(relay.port, "inspected", behind.port, relay.token, "--inspect", "0") as client:
        found = re.search(r"requests are shown at http://127\.0\.0\.1:(\d+)/", client.log)
        assert found is not None
        yield client, int(found[1])


def ask(
    port: int, method: str = "GET", path: str = "/", host: str = "", **form: str
) -> tuple[HTTPResponse, str]:
    """One request to the page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, urlencode(form), {"Host": host} if host else {})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response, body


def test_requests_are_shown_without_their_secrets_and_can_be_sent_again(
    inspected: tuple[Client, int], relay: Relay, behind: SiteBehind
) -> None:
    """The site gets the very request again, cookies and body included; the page shows neither."""
    client, port = inspected
    with Visitor(relay.port, "inspected") as visitor:
        lines = ("Cookie: sessionid=SECRET1", "Authorization: Bearer SECRET2", "Content-Length: 4")
        visitor.ask("/form?token=SECRET3&page=2", *lines, method="POST", body=b"body").reply()
    assert client.says(r"POST /form ")
    _, page = ask(port)
    assert "/form?token=…&amp;page=…" in page
    assert "SECRET" not in page
    assert "cookie: (17 characters)" in page

    key, number = re.findall(r'name="key" value="([^"]+)"><button name="id" value="(\d+)"', page)[0]
    behind.heads.clear()
    answer, _ = ask(port, "POST", "/replay", key=key, id=number)
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    (head,) = behind.heads
    assert head.startswith(b"POST /form?token=SECRET3&page=2 HTTP/1.1\r\n")
    assert b"SECRET1" in head
    assert client.says(r"POST /form .*replay")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1.evil.example"])
def test_a_page_of_another_name_sees_nothing(inspected: tuple[Client, int], host: str) -> None:
    """DNS rebinding: a web page whose own name was turned to this machine."""
    answer, body = ask(inspected[1], host=host)
    assert answer.status == 403
    assert "Requests" not in body


def test_a_foreign_page_cannot_send_a_request_again(inspected: tuple[Client, int]) -> None:
    """It does not know the key."""
    assert ask(inspected[1], "POST", "/replay", id="1", key="guess")[0].status == 403
    assert ask(inspected[1], "POST", "/replay", id="1")[0].status == 403
    assert ask(inspected[1], "GET", "/replay")[0].status == 404
