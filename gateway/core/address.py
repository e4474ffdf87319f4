"""Where a client is: from peer address and forwarding headers to one address, and to the key it counts by.

The walk goes from the right over trusted hops only (spec 1.2): the left-most entry is whatever the client
typed. Nothing here raises on input from the network; what can't be read is the one shared address `UNKNOWN`.
"""

import ipaddress
from collections.abc import Iterable, Sequence
from typing import Final

UNKNOWN: Final = "unknown"
V6_PREFIX: Final = 64
"""One household owns a whole /64, so a limit per IPv6 address would be none."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Networks from CIDR texts; raises `ValueError` with the offending text."""
    return tuple(ipaddress.ip_network(text) for text in texts)


LOCAL: Final = parse_networks(
    (
        *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
        *("::1/128", "fc00::/7", "fe80::/10"),
    )
)
"""Loopback, private and link-local (RFC 1918, 3927, 4193, 4291). Not Python's ``is_private``: that also holds
documentation and benchmark networks, and which ones depends on its version."""


def client_address(peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The client's address in canonical spelling, or `UNKNOWN`.

    ``forwarded`` holds the ``X-Forwarded-For`` header lines in order. They count only if ``peer`` is trusted.
    A local peer that sends them while nothing is trusted is a proxy that nobody configured: its clients share
    `UNKNOWN` and its larger cap, instead of locking each other out under the proxy's own address.
    """
    address = parse_address(peer or "")
    if address is None:
        return UNKNOWN
    if is_in(address, trusted):
        return _walk(forwarded, trusted)
    if forwarded and not trusted and is_local(address):
        return UNKNOWN
    return str(address)


def parse_address(text: str) -> Address | None:
    """An address as it stands in a header: bare, with a port, in brackets or with a zone; else None."""
    text = text.strip()
    if text.startswith("["):
        text, closed, _ = text[1:].partition("]")
        text = text if closed else ""
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped if mapped is not None else address


def bucket(address: str) -> str:
    """What caps and limits count by: the IPv4 address, the IPv6 /64, or `UNKNOWN`."""
    parsed = parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, V6_PREFIX), strict=False))
    return UNKNOWN if parsed is None else str(parsed)


def is_in(address: Address, networks: Iterable[Network]) -> bool:
    """Whether any of the networks holds the address; other IP versions never do."""
    return any(address.version == network.version and address in network for network in networks)


def is_listed(text: str, networks: Iterable[Network]) -> bool:
    """The same for an address as text; what is no address is in no network."""
    address = parse_address(text)
    return address is not None and is_in(address, networks)


def is_local(address: Address) -> bool:
    """Loopback or private: such a peer is a neighbour or a proxy, not somebody from far away."""
    return is_in(address, LOCAL)


def _walk(forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    for hop in reversed(",".join(forwarded).split(",")):
        address = parse_address(hop)
        if address is None:
            return UNKNOWN
        if not is_in(address, trusted):
            return str(address)
    return UNKNOWN
