"""The Host parser (spec 6.5): nothing under the base domain is the site's, nothing else is a peer's."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tunnel.core.hosts import LABEL, Bad, HostPolicy, Peer, Site, by_path, name_fault, whose

BASE = "t.example.net"
POLICY = HostPolicy(BASE, {"www"})


@pytest.mark.parametrize(
    "host",
    [
        *("preview.t.example.net", "preview.t.example.net:8443", "PREVIEW.T.Example.Net"),
        *("preview.t.example.net.", "preview.t.example.net.:80"),
    ],
)
def test_one_label_before_the_base_domain_is_a_peer(host: str) -> None:
    """Case, port and one trailing dot do not matter."""
    assert whose([host], POLICY) == Peer("preview")


@pytest.mark.parametrize(
    "host",
    ["quiz.example", "t.example.net", "xt.example.net", "example.net", "127.0.0.1:8000", "[::1]:8000", "a_b"],
)
def test_everything_else_is_the_sites(host: str) -> None:
    """A suffix of a label is no suffix of the domain; addresses are never a peer's."""
    assert whose([host], POLICY) == Site()


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        ["a.t.example.net", "a.t.example.net"],
        [""],
        ["a.b.t.example.net"],
        ["-a.t.example.net"],
        ["a_b.t.example.net"],
        ["www.t.example.net"],
        [f"{'a' * 64}.t.example.net"],
        ["x@a.t.example.net"],
        ["a.t.example.net:80:80"],
        ["a.t.example.net.."],
        ["a.t.example.net/"],
        ["a.t.example.net, b.t.example.net"],
        ["ä.t.example.net"],
        [" a.t.example.net"],
        ["a.t.example.net\n"],
        ["[::1].t.example.net"],
    ],
)
def test_what_is_ambiguous_or_no_host_is_for_nobody(hosts: list[str]) -> None:
    """It reaches neither a peer nor Django, and the reason can be shown."""
    found = whose(hosts, POLICY)
    assert isinstance(found, Bad)
    assert found.reason


@given(st.text(max_size=80))
@example(f"a.{BASE}")
def test_no_text_under_the_base_domain_is_ever_the_sites(text: str) -> None:
    """And what is a peer's has a name that is one label."""
    found = whose([text], POLICY)
    if text.lower().rstrip(".").endswith(f".{BASE}"):
        assert found != Site()
    if isinstance(found, Peer):
        assert LABEL.fullmatch(found.name)
        assert f"{found.name}.{BASE}" in text.lower()


@given(st.from_regex(LABEL, fullmatch=True), st.integers(0, 65535), st.booleans())
def test_every_name_is_found_again(name: str, port: int, dot: bool) -> None:
    """Whatever the case of the letters."""
    host = f"{name.upper()}.{BASE}{'.' * dot}:{port}"
    assert whose([host], HostPolicy(BASE)) == Peer(name)


def test_the_base_domain_itself_is_the_default_peers_only_where_that_is_wanted() -> None:
    """Else it is a host like any other, and Django's to refuse."""
    assert whose([BASE], HostPolicy(BASE, default=True)) == Peer("default")


def test_without_a_base_domain_nothing_is_a_peers() -> None:
    """Fail closed."""
    assert whose(["preview.t.example.net"], HostPolicy("")) == Site()


def test_a_name_that_cannot_be_is_explained() -> None:
    """The client prints it."""
    assert name_fault("preview", {"www"}) == ""
    assert "'www'" in name_fault("www", {"www"})
    assert "'Preview'" in name_fault("Preview")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/_bifrost/preview/a%2Fb", ("preview", "/a%2Fb")),
        ("/_bifrost/preview/", ("preview", "/")),
        ("/_bifrost/preview", None),
        ("/_bifrost//x", None),
        ("/_bifrost/..%2fadmin/x", None),
        ("/x/_bifrost/preview/", None),
        ("/%5fbifrost/preview/", None),
    ],
)
def test_a_path_names_a_peer_only_as_it_stands(path: str, found: tuple[str, str] | None) -> None:
    """Nothing is decoded: two readers of one path would be a way around its rules."""
    assert by_path(path) == found
