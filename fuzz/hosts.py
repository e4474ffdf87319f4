"""The tunnel's Host parser: total, and no host is both a peer's and the site's (spec 6.5).

python -m fuzz.hosts -max_total_time=600
"""

from fuzz import harness

with harness.instrumented("tunnel"):
    from tunnel.core.hosts import LABEL, Bad, HostPolicy, Peer, Site, by_path, whose

BASE = "t.example.net"
POLICIES = (HostPolicy(BASE, {"www"}), HostPolicy(BASE, default=True), HostPolicy(""))
SEEDS = [
    host.encode()
    for host in (
        *("preview.t.example.net", "PREVIEW.T.Example.Net.:80", "t.example.net", "www.t.example.net"),
        *("a.b.t.example.net", "xt.example.net", "[::1]:8000", "127.0.0.1:8000", "a.t.example.net, b"),
        *("/_bifrost/preview/a%2Fb?c", "/_bifrost/-/x", "a.t.example.net\na.t.example.net"),
    )
]
WORDS = [BASE, "www", ".", ":80", "[::1]", "/_bifrost/", "-", "xn--", "\n"]


def check(data: bytes) -> None:
    """Each line is one ``Host``; the first is a path, too."""
    hosts = data.decode("latin-1").split("\n")
    for policy in POLICIES:
        found = whose(hosts, policy)
        if len(hosts) != 1:
            assert isinstance(found, Bad)
        elif isinstance(found, Peer):
            assert policy.base
            assert LABEL.fullmatch(found.name)
            assert found.name not in policy.reserved
            assert policy.base in hosts[0].lower()
        elif isinstance(found, Site) and policy.base:
            assert not name_of(hosts[0]).endswith(f".{policy.base}"), "a peer's host is the site's"
    inside = by_path(hosts[0])
    if inside is not None:
        name, path = inside
        assert hosts[0] == f"/_bifrost/{name}{path}"
        assert LABEL.fullmatch(name)


def name_of(host: str) -> str:
    """Without a port and the dot of the root, as a resolver would read it."""
    return host.lower().partition(":")[0].removesuffix(".")


if __name__ == "__main__":
    harness.main("hosts", check, SEEDS, WORDS)
