"""Who is blocked: one immutable picture of the block list, and how often it refused somebody (spec 4.3).

Loading it is ``gateway.blocking``'s business; who is blocked beyond the list, by strikes, is in
``gateway.core.guard``. Networks are keyed by their prefix length, so a look-up costs a few table reads
however long the list is. Ends are instants of the monotonic clock: a block is over without anybody telling.
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from msgspec import Struct

from gateway.core.address import Address, Network, parse_address


class Kind(Enum):
    """What a block names."""

    ADDRESS = "address"
    NETWORK = "network"
    ACCOUNT = "account"


ACCOUNT: Final = re.compile(r"(user|session):(\S+)", re.IGNORECASE)
SESSION_HASH: Final = re.compile(r"[0-9a-f]{32}")
MAPPED: Final = ipaddress.IPv6Network("::ffff:0:0/96")
"""IPv4 written as IPv6 (RFC 4291, 2.5.5.2): the same machines."""


def canonical(text: str) -> tuple[Kind, str]:
    """The kind and the one spelling of what somebody typed; raises `ValueError` with words for people."""
    text = text.strip()
    if found := ACCOUNT.fullmatch(text):
        return Kind.ACCOUNT, _account(found[1].lower(), found[2])
    network = parse_network(text)
    if network.prefixlen == network.max_prefixlen:
        return Kind.ADDRESS, str(network.network_address)
    return Kind.NETWORK, str(network)


def parse_network(text: str) -> Network:
    """An address, or a network in any spelling: host bits are cleared, IPv4 written as IPv6 is IPv4."""
    address = None if "/" in text else parse_address(text)
    if address is not None:
        return ipaddress.ip_network(address)
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(
            f"{text!r} is neither an address (192.0.2.7), nor a network (192.0.2.0/24), "
            "nor an account (user:7, session:…)."
        ) from None
    if isinstance(network, ipaddress.IPv6Network) and network.subnet_of(MAPPED):
        number = int(network.network_address) - int(MAPPED.network_address)
        return ipaddress.ip_network((number, network.prefixlen - MAPPED.prefixlen))
    return network


def _account(owner: str, key: str) -> str:
    if owner == "session" and not SESSION_HASH.fullmatch(key.lower()):
        raise ValueError(f"'session:{key}' is no session: its hash has 32 characters of 0-9 and a-f.")
    return f"{owner}:{key.lower() if owner == 'session' else key}"


class Block(Struct, frozen=True):
    """One entry. ``until`` is None for one without an end; ``automatic`` ones refuse and close nobody."""

    id: int
    kind: Kind
    value: str
    until: float | None = None
    automatic: bool = False

    def holds(self, now: float) -> bool:
        """Whether it is not over."""
        return self.until is None or now < self.until


class Blocklist(Struct, frozen=True):
    """The picture. ``version`` is the stored list's at the time, ``loaded_at`` when its loading began; -1 and
    None before the first was loaded.

    ``networks``: (IP version, prefix length) -> the network's leading bits as a number -> its block, longest
    prefix first.
    """

    version: int = -1
    networks: dict[tuple[int, int], dict[int, Block]] = {}
    accounts: dict[str, Block] = {}
    loaded_at: float | None = None

    @classmethod
    def of(cls, version: int, blocks: Iterable[Block], loaded_at: float) -> "Blocklist":
        """The picture of these blocks; their values are canonical."""
        networks: dict[tuple[int, int], dict[int, Block]] = {}
        accounts: dict[str, Block] = {}
        for block in blocks:
            if block.kind is Kind.ACCOUNT:
                accounts[block.value] = block
            else:
                network = ipaddress.ip_network(block.value)
                key = (network.version, network.prefixlen)
                networks.setdefault(key, {})[_leading(network.network_address, network.prefixlen)] = block
        return cls(version, dict(sorted(networks.items(), reverse=True)), accounts, loaded_at)

    def is_older_than(self, other: "Blocklist") -> bool:
        """By the moments, not the versions: a database that was restored from a backup counts anew."""
        return self.loaded_at is not None and other.loaded_at is not None and self.loaded_at < other.loaded_at

    def of_address(self, text: str, now: float) -> Iterator[Block]:
        """The blocks that hold for an address, the narrowest first; none for one that can't be read."""
        address = parse_address(text)
        if address is None:
            return
        for (version, prefix), table in self.networks.items():
            if version == address.version:
                block = table.get(_leading(address, prefix))
                if block is not None and block.holds(now):
                    yield block

    def of_account(self, account: str, now: float) -> Iterator[Block]:
        """The block that holds for an account, if there is one."""
        block = self.accounts.get(account)
        if block is not None and block.holds(now):
            yield block


class Hit(Struct):
    """How often one block refused somebody since this was stored, and when it last did."""

    count: int
    last: float


class Hits(Struct):
    """Counted in memory: a flood against a blocked network must not become a flood of writes."""

    by_block: dict[int, Hit] = {}

    def note(self, block_id: int, now: float) -> None:
        """One attempt was refused."""
        self.add(block_id, Hit(1, now))

    def take(self) -> dict[int, Hit]:
        """All that was counted; counting begins anew."""
        taken, self.by_block = self.by_block, {}
        return taken

    def give_back(self, taken: dict[int, Hit]) -> None:
        """What was taken could not be stored."""
        for block_id, hit in taken.items():
            self.add(block_id, hit)

    def add(self, block_id: int, hit: Hit) -> None:
        """Add to what is counted."""
        known = self.by_block.setdefault(block_id, Hit(0, hit.last))
        known.count += hit.count
        known.last = max(known.last, hit.last)


def _leading(address: Address, prefix: int) -> int:
    return int(address) >> (address.max_prefixlen - prefix)
