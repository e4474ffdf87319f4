"""From headers and a query string to facts (spec 1.2)."""

import pytest

from gateway import conf
from gateway.admission import (
    Request,
    account_of,
    address_cap,
    attempt_by,
    client_address,
    early_facts,
    parse_query,
    refusal_headers,
    with_own_origin,
)
from gateway.core.admission import MISSING_SESSION, Refusal

PROXY = {"TRUSTED_PROXIES": ["10.0.0.0/8"]}


def request(peer: str = "203.0.113.9", scheme: str = "ws", **headers: str) -> Request:
    """An upgrade request to quiz.example."""
    lines = {"host": "localhost:8000", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Request(list(lines.items()), "", peer, scheme)


def allowed(made: Request, **settings: object) -> bool:
    """Whether the origin passes."""
    return early_facts(made, "203.0.113.9", False, conf.build(settings)).origin_allowed


def test_the_sites_own_origin_is_allowed_without_a_setting() -> None:
    """Host and port equal the Host header that the site answers to."""
    assert allowed(request(origin="http://localhost:8000"))
    assert not allowed(request(origin="http://localhost:8001"))


def test_a_host_that_the_site_does_not_answer_to_makes_no_origin_its_own() -> None:
    """Else any page could bring its own Host along (DNS rebinding)."""
    assert not allowed(request(host="evil.example", origin="http://evil.example"))


def test_a_foreign_origin_needs_the_setting() -> None:
    """Exactly: scheme, host and port."""
    assert allowed(request(origin="https://quiz.example"), ALLOWED_ORIGINS=["https://quiz.example"])
    assert not allowed(request(origin="http://quiz.example"), ALLOWED_ORIGINS=["https://quiz.example"])


def test_the_scheme_counts_where_it_is_known() -> None:
    """By own TLS, or because a trusted proxy says so; what others say of themselves is worth nothing."""
    assert not allowed(request(scheme="wss", origin="http://localhost:8000"))
    assert allowed(request(scheme="wss", origin="https://localhost:8000"))
    behind = {"x_forwarded_proto": "https", "origin": "http://localhost:8000"}
    assert not allowed(request(peer="10.1.1.1", **behind), **PROXY)
    assert allowed(request(peer="203.0.113.9", **behind), **PROXY)
    assert allowed(request(peer="10.1.1.1", origin="http://localhost:8000"), **PROXY)


def preflight_passes(made: Request, **settings: object) -> bool:
    """Whether the page of a same-origin GET, which has no Origin, would be allowed to open a socket."""
    return allowed(with_own_origin(made, conf.build(settings)), **settings)


def test_a_preflight_without_an_origin_comes_from_the_site_itself() -> None:
    """Nobody else can read the answer; an origin that is given is checked (spec 1.2)."""
    assert preflight_passes(request(scheme="http"))
    assert preflight_passes(request(scheme="https"))
    assert not preflight_passes(request(scheme="http", origin="https://evil.example"))


@pytest.mark.parametrize("proto", ["https", "http"])
def test_a_preflight_has_the_scheme_that_the_trusted_proxy_says(proto: str) -> None:
    """The proxy ends the TLS: the process itself sees plain http, the page's upgrade will come from https."""
    behind = request(peer="10.1.1.1", scheme="http", x_forwarded_proto=proto)
    assert with_own_origin(behind, conf.build(PROXY)).lines("origin") == [f"{proto}://localhost:8000"]
    assert preflight_passes(behind, **PROXY)


def test_a_preflight_is_refused_where_the_upgrade_will_be() -> None:
    """A proxy that rewrites Host makes the page's origin a foreign one: its Referer tells."""
    page = {"referer": "https://quiz.example/play/K7QX2M"}
    assert not preflight_passes(request(scheme="http", **page))
    assert preflight_passes(request(scheme="http", **page), ALLOWED_ORIGINS=["https://quiz.example"])
    assert preflight_passes(request(scheme="http", referer="http://localhost:8000/play/K7QX2M"))


@pytest.mark.parametrize(
    ("referer", "origins"),
    [
        ("https://quiz.example", ["https://quiz.example"]),
        ("HTTPS://Quiz.Example:8443/play?x=http://a#b", ["HTTPS://Quiz.Example:8443"]),
        ("https://quiz.example?x", ["https://quiz.example"]),
        ("https://user@quiz.example/", ["http://localhost:8000"]),
        ("https://quiz.example\\@evil.example/", ["http://localhost:8000"]),
        ("about:blank", ["http://localhost:8000"]),
        ("", ["http://localhost:8000"]),
    ],
)
def test_a_referer_that_names_no_page_says_nothing(referer: str, origins: list[str]) -> None:
    """Then the request's own origin counts."""
    asking = with_own_origin(request(scheme="http", referer=referer), conf.build({}))
    assert asking.lines("origin") == origins


def test_two_origin_lines_are_refused() -> None:
    """Which of them would the next layer look at?"""
    doubled = Request(
        [
            ("host", "localhost:8000"),
            ("origin", "http://localhost:8000"),
            ("origin", "http://localhost:8000"),
        ],
        "",
        "203.0.113.9",
        "ws",
    )
    assert not allowed(doubled)


def test_two_host_lines_make_no_origin_the_sites_own() -> None:
    """The same question, the same answer."""
    doubled = Request(
        [("host", "localhost:8000"), ("host", "localhost:8000"), ("origin", "http://localhost:8000")],
        "",
        "::1",
        "ws",
    )
    assert not allowed(doubled)


def test_a_blocked_network_is_known_before_anything_is_loaded() -> None:
    """CIDR aware; the unknown address is in no network."""
    config = conf.build({"BLOCKED_NETWORKS": ["203.0.113.0/24"]})
    assert early_facts(request(), "203.0.113.9", False, config).address_blocked
    assert not early_facts(request(), "203.0.114.9", False, config).address_blocked
    assert not early_facts(request(), "unknown", False, config).address_blocked


def test_the_address_is_the_peers_unless_a_trusted_proxy_forwards() -> None:
    """The underscore spelling is another header and never believed."""
    config = conf.build(PROXY)
    forwarded = {"x_forwarded_for": "6.6.6.6, 198.51.100.7"}
    assert client_address(request(peer="10.1.1.1", **forwarded), config) == "198.51.100.7"
    assert client_address(request(peer="203.0.113.9", **forwarded), config) == "203.0.113.9"
    spoofed = Request([("x_forwarded_for", "6.6.6.6")], "", "203.0.113.9", "ws")
    assert client_address(spoofed, config) == "203.0.113.9"


def test_caps_are_the_networks_own_the_shared_one_of_the_unknown_or_the_default() -> None:
    """The largest of several matching networks wins."""
    config = conf.build({"IP_CAPS": {"10.0.0.0/8": 100, "10.1.0.0/16": 300}})
    assert address_cap("10.1.2.3", config) == 300
    assert address_cap("10.2.2.3", config) == 100
    assert address_cap("198.51.100.7", config) == 55
    assert address_cap("unknown", config) == 75


@pytest.mark.parametrize(
    ("query", "ticket", "broken"),
    [
        ("", False, False),
        ("clientId=a", False, False),
        ("roomId=r&playerSeatId=s&reconnectToken=t", True, False),
        ("roomId=r&playerSeatId=s", False, True),
        ("reconnectToken=", False, True),
        ("roomId=&playerSeatId=&reconnectToken=", True, False),
    ],
)
def test_the_three_fields_of_a_claim_go_together(query: str, ticket: bool, broken: bool) -> None:
    """Naming any of them is claiming; naming only some is a bad claim."""
    parsed = parse_query(query)
    assert (parsed.ticket is not None, parsed.broken_claim) == (ticket, broken)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a-Z_9", "a-Z_9"), ("x" * 64, "x" * 64), ("x" * 65, None), ("a b", None), ("", None), ("ä", None)],
)
def test_a_client_id_is_at_most_64_url_safe_characters(text: str, kept: str | None) -> None:
    """Anything else counts as none."""
    assert parse_query(f"clientId={text}").client_id == kept


def test_an_account_is_the_user_or_a_hash_of_the_session() -> None:
    """A session key in a log or a snapshot would be a login."""
    anonymous = attempt_by(None, "key", "203.0.113.9", request())
    assert anonymous.account == f"session:{anonymous.session}"
    assert attempt_by(7, "key", "203.0.113.9", request()).account == account_of(7, "key") == "user:7"
    assert attempt_by(7, "key", "203.0.113.9", request()).session == anonymous.session
    assert attempt_by(None, "other", "203.0.113.9", request()).session != anonymous.session
    assert "key" not in repr(anonymous)


def test_no_session_has_no_name() -> None:
    """Strangers must not share one counter."""
    assert attempt_by(None, None, "203.0.113.9", request()).session == ""
    assert attempt_by(None, "", "203.0.113.9", request()).session == ""


def test_waiting_is_rounded_up_to_whole_seconds() -> None:
    """HTTP has no fractions; a client that waits that long must be let in."""
    assert ("Retry-After", "3") in refusal_headers(Refusal("arcjet_denied", 403, "Wait.", 2.001))
    assert "Retry-After" not in dict(refusal_headers(MISSING_SESSION))
