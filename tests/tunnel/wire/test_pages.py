"""Requests and responses through the real relay and the real client, byte for byte (spec 6.1, 6.2)."""

import asyncio
import gzip
import hashlib
import os
import threading

import pytest

from tests.tunnel.kit import Client, Reply, SiteBehind, Visitor, serving_client
from tests.tunnel.wire.conftest import Relay

pytestmark = pytest.mark.usefixtures("client")


def visit(relay: Relay, target: str = "/", *lines: str, method: str = "GET", body: bytes = b"") -> Reply:
    """One request to the peer ``preview``."""
    with Visitor(relay.port, "preview") as visitor:
        return visitor.ask(target, *lines, method=method, body=body).reply(method)


def test_a_page_comes_through(relay: Relay) -> None:
    """Status, body and length are the site's; the date is once there."""
    reply = visit(relay)
    assert (reply.status, reply.body) == (200, b"hello")
    assert reply.values("content-length") == ["5"]
    assert len(reply.values("date")) == 1
    assert reply.error == ""


def test_repeated_header_lines_come_in_order(relay: Relay, behind: SiteBehind) -> None:
    """Several cookies with dates in them, several Vary, a word that is not ASCII; and none for one hop."""
    behind.says(
        "/lines",
        b"HTTP/1.1 299 Odd Reason\r\nSet-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT;"
        b" Domain=localhost\r\n"
        b"Vary: accept\r\nSet-Cookie: b=2\r\nX-Word: caf\xe9\r\nVary: cookie\r\nSet-Cookie: c=3\r\n"
        b"Connection: close, X-Secret\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n",
    )
    reply = visit(relay, "/lines")
    assert reply.status == 299
    assert reply.values("set-cookie") == ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2", "c=3"]
    assert reply.values("vary") == ["accept", "cookie"]
    assert reply.values("x-word") == ["caf\xe9"]
    assert reply.values("x-secret") == reply.values("keep-alive") == []


@pytest.mark.parametrize(
    "target",
    [
        *("/a%2Fb", "/a%252e%252e/b", "/%2e%2e/x", "//x", "/x;y=1"),
        *("/?a=1&a=2&b=", "/?q=%2B+%20", "/?x=%E0%A4", "/?" + "q" * 8000),
    ],
)
def test_odd_paths_and_queries_arrive_byte_for_byte(relay: Relay, behind: SiteBehind, target: str) -> None:
    """Nothing on the way decodes, encodes, sorts or joins."""
    behind.heads.clear()
    visit(relay, target)
    assert behind.heads[0].split(b" ", 2)[1] == target.encode()


def test_an_absolute_target_goes_to_the_peer_of_its_host_header_and_nowhere_else(
    relay: Relay, behind: SiteBehind
) -> None:
    """The relay contacts no host by a visitor's wish."""
    behind.heads.clear()
    assert visit(relay, "http://elsewhere.example/page").status == 200
    assert behind.heads[0].split(b" ", 2)[1] == b"/page"


def test_the_site_behind_hears_who_asks_from_the_relay_alone(relay: Relay, behind: SiteBehind) -> None:
    """The host stays the tunnel's; what the visitor claims about itself is gone."""
    behind.heads.clear()
    claims = ("X-Forwarded-For: 10.1.1.1", "Forwarded: for=10.1.1.1", "X-Real-IP: 10.1.1.1", "Cookie: a=1")
    visit(relay, "/", *claims, "X-Forwarded-Proto: https")
    head = behind.heads[0].decode().lower()
    assert f"host: preview.tunnel.localhost:{relay.port}\r\n" in head
    assert "x-forwarded-for: 127.0.0.1\r\n" in head
    assert "x-forwarded-proto: http\r\n" in head
    assert "cookie: a=1\r\n" in head
    assert "10.1.1.1" not in head


async def digest(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers with the size and the hash of the request's body."""
    lowered = head.lower()
    found = hashlib.sha256()
    size = 0
    if b"transfer-encoding: chunked" in lowered:
        while length := int(await reader.readuntil(b"\r\n"), 16):
            found.update(piece := await reader.readexactly(length))
            size += len(piece)
            await reader.readexactly(2)
    else:
        size = int(lowered.split(b"content-length: ")[1].split(b"\r\n")[0])
        found.update(await reader.readexactly(size))
    body = f"{size} {found.hexdigest()}".encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    await writer.drain()


@pytest.mark.parametrize("size", [0, 1, 131_071, 131_073, 10_485_760])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_arrive_whole_up_to_the_limit(
    relay: Relay, behind: SiteBehind, size: int, chunked: bool
) -> None:
    """Random bytes, with a length or in chunks, at the limit exactly."""
    behind.on("/digest", digest)
    sent = os.urandom(size)
    body, line = sent, f"Content-Length: {size}"
    if chunked:
        pieces = [sent[at : at + 50_000] for at in range(0, size, 50_000)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        line = "Transfer-Encoding: chunked"
    reply = visit(relay, "/digest", line, method="POST", body=body)
    assert reply.body == f"{size} {hashlib.sha256(sent).hexdigest()}".encode()


def test_fifty_mebibytes_come_down_whole(relay: Relay, behind: SiteBehind) -> None:
    """In chunks, without a length; nobody on the way holds them (``test_limits``)."""
    block = os.urandom(1 << 20)

    async def large(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(50):
            writer.write(block)
            await writer.drain()

    behind.on("/large", large)
    reply = visit(relay, "/large")
    assert reply.whole
    assert hashlib.sha256(reply.body).digest() == hashlib.sha256(block * 50).digest()


def test_what_is_compressed_stays_compressed(relay: Relay, behind: SiteBehind) -> None:
    """A body that somebody unpacked would have the wrong length and coding."""
    packed = gzip.compress(b"hello" * 1000)
    behind.says(
        "/gzip",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(packed), packed),
    )
    reply = visit(relay, "/gzip")
    assert reply.body == packed
    assert reply.values("content-encoding") == ["gzip"]


@pytest.mark.parametrize(
    ("method", "answer", "status"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", 200),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", 204),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\nETag: x\r\n\r\n", 304),
    ],
)
def test_responses_without_a_body_hang_nobody(
    relay: Relay, behind: SiteBehind, method: str, answer: bytes, status: int
) -> None:
    """HEAD, 204 and 304, whatever their length says; the connection goes on."""
    behind.says("/bare", answer)
    with Visitor(relay.port, "preview") as visitor:
        assert visitor.ask("/bare", method=method).reply(method).status == status
        assert visitor.ask("/").reply().body == b"hello"


def test_each_event_arrives_before_the_next_is_sent(relay: Relay, behind: SiteBehind) -> None:
    """Server-sent events: nothing on the way waits for more."""
    seen = threading.Semaphore(0)

    async def events(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for number in range(5):
            writer.write(b"data: %d\n\n" % number)
            await writer.drain()
            assert await asyncio.to_thread(seen.acquire, timeout=10)

    behind.on("/events", events)
    with Visitor(relay.port, "preview") as visitor:
        visitor.ask("/events").head()
        for number in range(5):
            assert visitor.chunk() == b"data: %d\n\n" % number
            seen.release()
        assert visitor.chunk() == b""


def test_the_head_of_a_response_does_not_wait_for_its_body(relay: Relay, behind: SiteBehind) -> None:
    """A stream of events may be quiet for minutes, and its page waits to be told that it is open."""
    seen = threading.Event()

    async def quiet(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        await writer.drain()
        assert await asyncio.to_thread(seen.wait, 20)
        writer.write(b"data: at last\n\n")

    behind.on("/quiet", quiet)
    with Visitor(relay.port, "preview") as visitor:
        assert visitor.ask("/quiet").head().status == 200
        seen.set()
        assert visitor.chunk() == b"data: at last\n\n"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", "target_broken"),
        (b"SSH-2.0-OpenSSH\r\n", "target_broken"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "target_broken"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "target_broken"),
        (b"HTTP/1.1 200 OK\r\nX-Large: " + b"x" * 70_000 + b"\r\n\r\n", "target_broken"),
        (b"HTTP/1.1 700 Odd\r\nContent-Length: 0\r\n\r\n", "bad_head"),
    ],
)
def test_what_is_not_http_is_a_502(relay: Relay, behind: SiteBehind, answer: bytes, error: str) -> None:
    """The visitor is told, and the tunnel stays up."""
    behind.says("/broken", answer)
    reply = visit(relay, "/broken")
    assert (reply.status, reply.error) == (502, error)
    assert visit(relay).status == 200


def test_an_interim_answer_is_not_the_answer(relay: Relay, behind: SiteBehind) -> None:
    """100 and 103 are for the hop; the final response follows."""
    behind.says(
        "/interim",
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    )
    assert visit(relay, "/interim").body == b"ok"


def cut_after_its_beginning(behind: SiteBehind, framing: bytes) -> threading.Event:
    """Have ``/cut`` begin a response and, once the visitor has seen that, end the connection."""
    begun = threading.Event()

    async def cut(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n5\r\nhello\r\n")
        await writer.drain()
        assert await asyncio.to_thread(begun.wait, 20)

    behind.on("/cut", cut)
    return begun


@pytest.mark.parametrize("framing", [b"Content-Length: 100\r\n", b"Transfer-Encoding: chunked\r\n"])
def test_a_response_that_breaks_off_is_seen_to_break_off(
    relay: Relay, behind: SiteBehind, framing: bytes
) -> None:
    """A truncated download must not look like a whole one."""
    begun = cut_after_its_beginning(behind, framing)
    with Visitor(relay.port, "preview") as visitor:
        assert visitor.ask("/cut").head().status == 200
        begun.set()
        assert not visitor.rest().endswith(b"0\r\n\r\n")


def test_a_site_that_does_not_run_is_a_502(relay: Relay, client: Client, behind: SiteBehind) -> None:
    """Told apart from a tunnel that does not run."""
    with SiteBehind() as gone:
        port = gone.port
    with (
        serving_client(relay.port, "nobody-home", port, relay.token),
        Visitor(relay.port, "nobody-home") as visitor,
    ):
        reply = visitor.ask("/").reply()
        assert (reply.status, reply.error) == (502, "target_refused")


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (("Content-Length: 5", "Transfer-Encoding: chunked"), b"0\r\n\r\n"),
        (("Content-Length: 5", "Content-Length: 6"), b"hello"),
        (("Content-Length: +5",), b"hello"),
        (("Transfer-Encoding: gzip",), b""),
        (("Transfer-Encoding: xchunked",), b""),
        (("Content-Length : 5",), b"hello"),
    ],
)
def test_framing_that_could_be_read_in_two_ways_is_refused(
    relay: Relay, behind: SiteBehind, lines: tuple[str, ...], body: bytes
) -> None:
    """Request smuggling: 400, by the server or by the relay, and nothing reaches the site behind."""
    behind.heads.clear()
    reply = visit(relay, "/smuggle", *lines, method="POST", body=body)
    assert reply.status == 400
    assert behind.heads == []


def test_the_sites_own_host_reaches_no_peer_and_a_peers_host_never_the_site(relay: Relay) -> None:
    """Also when nobody serves the name: the site's pages under a foreign name would be its sessions."""
    with Visitor(relay.port, host="127.0.0.1") as visitor:
        assert visitor.ask("/readyz").reply().body != b"hello"
    with Visitor(relay.port, "nobody") as visitor:
        reply = visitor.ask("/admin/").reply()
        assert (reply.status, reply.error) == (404, "no_peer")
        assert reply.json["error"] == "no_peer"
        assert reply.values("cache-control") == ["no-store"]
    with Visitor(relay.port, "nobody") as visitor:
        page = visitor.ask("/", "Accept: text/html").reply()
        assert page.body.startswith(b"<!doctype html>")


@pytest.mark.parametrize("second", ["Host: preview.tunnel.localhost", "Host: 127.0.0.1"])
def test_two_hosts_are_none(relay: Relay, second: str) -> None:
    """One reader would take the first, another the last."""
    reply = visit(relay, "/", second)
    assert (reply.status, reply.error) == (400, "bad_host")


def test_no_host_is_none_either(relay: Relay) -> None:
    """HTTP/1.0 may leave it out; there is nobody whom such a request could mean."""
    with Visitor(relay.port) as visitor:
        visitor.socket.sendall(b"GET / HTTP/1.0\r\n\r\n")
        reply = visitor.reply()
    assert (reply.status, reply.error) == (400, "bad_host")


def test_by_path_a_peer_is_reached_without_the_sites_cookies(relay: Relay, behind: SiteBehind) -> None:
    """It shares the site's origin there: its session neither goes nor comes (spec 6.5)."""
    behind.says(
        "/p%2Fq",
        b"HTTP/1.1 200 OK\r\nSet-Cookie: sessionid=evil\r\nSet-Cookie: mine=1\r\nContent-Length: 0\r\n\r\n",
    )
    behind.heads.clear()
    with Visitor(relay.port, host="127.0.0.1") as visitor:
        visitor.ask("/_bifrost/preview/p%2Fq?x=1", "Cookie: a=1; sessionid=s; csrftoken=t")
        reply = visitor.reply()
    assert reply.values("set-cookie") == ["mine=1"]
    head = behind.heads[0].decode()
    assert head.startswith("GET /p%2Fq?x=1 HTTP/1.1\r\n")
    assert "a=1" in head
    assert "sessionid" not in head
    assert "csrftoken" not in head
