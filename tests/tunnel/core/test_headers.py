"""Header lines on their way through the tunnel (spec 6.2, 6.5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunnel.core import headers
from tunnel.core.frames import RequestHead, ResponseHead
from tunnel.core.headers import BadHeadError, Body

latin = st.text(st.characters(max_codepoint=255), max_size=12)
lines = st.lists(st.tuples(latin, latin), max_size=8).map(tuple)


def test_repeated_lines_stay_repeated_and_in_order() -> None:
    """Three cookies are three, and a date inside one of them is not cut at its comma."""
    sent = (
        ("set-cookie", "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT"),
        ("vary", "accept"),
        ("set-cookie", "b=2"),
        ("vary", "cookie"),
        ("x-word", "caf\xe9"),
    )
    assert headers.to_visitor(ResponseHead(200, headers.from_target(sent))).headers == sent


def test_lines_from_the_wire_are_text_and_back() -> None:
    """As Latin-1, which has a letter for every byte."""
    assert headers.decoded([(b"X-A", b"caf\xe9")]) == (("x-a", "caf\xe9"),)
    assert headers.encoded((("x-a", "caf\xe9"),)) == [(b"x-a", b"caf\xe9")]


def test_lines_for_one_hop_do_not_pass_and_neither_do_those_that_connection_names() -> None:
    """In either direction; but no ``Connection`` takes away what gives the request its meaning."""
    sent = (
        ("host", "a.example"),
        ("connection", "close, X-Secret, Host"),
        ("x-secret", "1"),
        ("te", "trailers"),
        ("transfer-encoding", "chunked"),
        ("upgrade", "h2c"),
        ("accept", "*/*"),
    )
    assert headers.from_visitor(sent) == (("host", "a.example"), ("accept", "*/*"))
    assert headers.from_target(sent) == (("host", "a.example"), ("accept", "*/*"))


def test_the_lines_of_a_websocket_handshake_cannot_be_taken_away() -> None:
    """An upgrade's ``Connection`` may name them all."""
    sent = (("connection", "Upgrade, Sec-WebSocket-Key"), ("sec-websocket-key", "k"))
    assert headers.from_visitor(sent) == (("sec-websocket-key", "k"),)


def test_who_asks_is_said_by_the_relay_alone() -> None:
    """What a visitor says about itself is replaced, on sockets as on pages; 100-continue ends here."""
    claimed = (
        ("x-forwarded-for", "10.0.0.1"),
        ("x-forwarded-anything", "y"),
        ("forwarded", "for=10.0.0.1"),
        ("x-real-ip", "10.0.0.1"),
        ("expect", "100-continue"),
        ("cookie", "a=1"),
    )
    for websocket in (False, True):
        head = RequestHead("GET", "/", claimed, "https", "p.t.example:8443", "192.0.2.9", websocket)
        assert headers.to_target(head) == (
            ("cookie", "a=1"),
            ("x-forwarded-for", "192.0.2.9"),
            ("x-forwarded-host", "p.t.example:8443"),
            ("x-forwarded-proto", "https"),
        )


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        ((), Body(False)),
        ((("content-length", "0"),), Body(False, 0)),
        ((("content-length", "12"),), Body(True, 12)),
        ((("transfer-encoding", "Chunked"),), Body(True)),
    ],
)
def test_a_request_has_the_body_that_its_framing_says(sent: headers.Headers, body: Body) -> None:
    """Known before its first byte."""
    assert headers.request_body(sent) == body


@pytest.mark.parametrize(
    "sent",
    [
        (("content-length", "5"), ("transfer-encoding", "chunked")),
        (("content-length", "5"), ("content-length", "5")),
        (("content-length", "+5"),),
        (("content-length", "5, 5"),),
        (("content-length", "-1"),),
        (("transfer-encoding", "gzip, chunked"),),
        (("transfer-encoding", "chunked"), ("transfer-encoding", "identity")),
    ],
)
def test_framing_that_two_readers_could_read_differently_is_refused(sent: headers.Headers) -> None:
    """Request smuggling begins with one."""
    with pytest.raises(BadHeadError):
        headers.request_body(sent)


@pytest.mark.parametrize(
    "head",
    [
        ResponseHead(101),
        ResponseHead(199),
        ResponseHead(600),
        ResponseHead(299, (("content-length", "x"),)),
        ResponseHead(200, (("x y", "1"),)),
        ResponseHead(200, (("", "1"),)),
        ResponseHead(200, (("x", "1\r\nset-cookie: a=b"),)),
        ResponseHead(200, (("x", "\0"),)),
        ResponseHead(200, (("x", "€"),)),
        ResponseHead(200, (("Content-Length", "1"), ("content-length", "2"))),
        ResponseHead(200, (("content-length", "many"),)),
    ],
)
def test_a_head_that_could_break_the_visitors_is_refused(head: ResponseHead) -> None:
    """The target is somebody else's program."""
    with pytest.raises(BadHeadError):
        headers.to_visitor(head)


@given(st.integers(), lines)
def test_a_head_for_a_visitor_is_clean_or_refused(status: int, sent: headers.Headers) -> None:
    """No control character, nothing for one hop, nothing that only the relay may say."""
    try:
        head = headers.to_visitor(ResponseHead(status, sent))
    except BadHeadError:
        return
    for name, value in head.headers:
        assert name == name.lower()
        assert name not in headers.HOP_BY_HOP | headers.OURS
        assert not set(value) & set("\r\n\0")
    assert headers.decoded(headers.encoded(head.headers)) == head.headers


def test_a_peers_cookie_is_for_its_own_host() -> None:
    """A domain would make it its neighbours' too; the rest of the cookie stays as it was."""
    head = ResponseHead(200, (("Set-Cookie", "a=1; DOMAIN=.t.example; Path=/; Secure"),))
    assert headers.to_visitor(head).headers == (("set-cookie", "a=1; Path=/; Secure"),)


def test_a_response_without_a_body_has_no_length() -> None:
    """Servers take one for a promise, and a 304 may bring that of the page it stands for."""
    for status in (204, 304):
        head = ResponseHead(status, (("content-length", "7"), ("etag", "x")))
        assert headers.to_visitor(head).headers == (("etag", "x"),)


def test_only_the_relay_writes_its_own_lines() -> None:
    """A peer can't pretend that the relay failed."""
    head = ResponseHead(200, (("X-Tunnel-Error", "x"), ("date", "today"), ("server", "s")))
    assert headers.to_visitor(head).headers == (("server", "s"),)


def test_the_handshake_of_a_socket_is_the_servers_own() -> None:
    """A cookie may come with it."""
    sent = (("Sec-WebSocket-Accept", "x"), ("set-cookie", "a=1"), ("upgrade", "websocket"))
    assert headers.to_socket_visitor(sent) == (("set-cookie", "a=1"),)


@pytest.mark.parametrize(
    ("method", "status", "sent", "length"),
    [
        ("GET", 200, (("content-length", "7"),), 7),
        ("GET", 200, (), None),
        ("HEAD", 200, (("content-length", "7"),), 0),
        ("GET", 204, (), 0),
        ("GET", 304, (("content-length", "7"),), 0),
    ],
)
def test_how_many_bytes_follow_a_head(
    method: str, status: int, sent: headers.Headers, length: int | None
) -> None:
    """RFC 9112, 6.3: HEAD, 204 and 304 have none, whatever their length says."""
    assert headers.response_length(method, ResponseHead(status, sent)) == length


@pytest.mark.parametrize("target", ["/a%2Fb", "//x", "/x;y=1", "/?a=1&a=2&b=", "/?q=%2B+%20", "/?x=%E0%A4"])
def test_odd_paths_are_paths(target: str) -> None:
    """They pass as they are."""
    assert headers.target_fault(target) == ""


@pytest.mark.parametrize("target", ["", "*", "http://a/", "/a b", "/\r\n", "/é", "/\0"])
def test_what_would_break_a_request_line_does_not_pass(target: str) -> None:
    """The client writes it into one."""
    assert repr(target) in headers.target_fault(target)


def test_the_sites_own_cookies_are_taken_out_by_name() -> None:
    """On path routing peers share the site's origin: its session is none of their business, either way."""
    sent = (
        ("cookie", "a=1; sessionid=s; b=2"),
        ("cookie", "sessionid=s"),
        ("set-cookie", "sessionid=evil; Path=/"),
        ("set-cookie", "c=3"),
        ("accept", "*/*"),
    )
    assert headers.without_cookies(sent, {"sessionid"}) == (
        ("cookie", "a=1; b=2"),
        ("set-cookie", "c=3"),
        ("accept", "*/*"),
    )
