"""The visitor's address behind trusted proxies, and how often an address may fail to log in (spec 6.5)."""

import ipaddress
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

FAILURES: Final = 10
FAILURES_WINDOW_S: Final = 60.0
REMEMBERED: Final = 4096
"""Addresses with failures that are kept; beyond it the one that failed longest ago is forgotten."""
V6_PREFIX: Final = 64
"""One household owns a whole /64."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def visitor(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The address nearest to us that is no trusted proxy; header lines count only behind one."""
    nearest = peer
    for hop in (peer, *reversed(",".join(forwarded).split(","))):
        address = _parse(hop)
        if address is None:
            return nearest
        nearest = str(address)
        if not _is_in(address, trusted):
            return nearest
    return nearest


def trusts(peer: str, trusted: Sequence[Network]) -> bool:
    """Whether what ``peer`` says about others is believed."""
    address = _parse(peer)
    return address is not None and _is_in(address, trusted)


def bucket(address: str) -> str:
    """What failures are counted by: the address, of IPv6 its /64."""
    parsed = _parse(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, V6_PREFIX), strict=False))
    return address


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _parse(text: str) -> Address | None:
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


class Failures(Struct):
    """Failed logins by address; the dict is in order of last failure."""

    times: dict[str, list[float]] = {}

    def count(self, address: str, now: float) -> None:
        """One more."""
        key = bucket(address)
        self.times[key] = [*self._recent(self.times.pop(key, []), now), now][-FAILURES:]
        while len(self.times) > REMEMBERED:
            del self.times[next(iter(self.times))]

    def blocked(self, address: str, now: float) -> bool:
        """Whether the address has to wait."""
        return len(self._recent(self.times.get(bucket(address), []), now)) >= FAILURES

    @staticmethod
    def _recent(times: list[float], now: float) -> list[float]:
        return [at for at in times if at > now - FAILURES_WINDOW_S]
