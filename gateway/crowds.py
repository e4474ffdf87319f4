"""Tells the operator, once, that a proxy in front of the server is not known to it.

Then everybody seems to come from the proxy's own address, or from nowhere, and they share one cap (spec 1.2).
"""

import logging
from typing import Final

from gateway.core.address import UNKNOWN, is_local, parse_address

log = logging.getLogger("gateway.admission")

CROWD: Final = 10
"""So many sockets of one loopback or private address are no developer with a few tabs any more."""


class Crowds:
    """Warns at the first crowd and then holds its tongue."""

    def __init__(self) -> None:
        self._warned = False

    def notice(self, address: str, sockets: int) -> None:
        """An address has so many sockets now."""
        if self._warned or sockets < CROWD or not _may_be_a_proxy(address):
            return
        self._warned = True
        log.warning(
            "%d sockets share the address %s: if a proxy stands before this server, "
            "put its network into GATEWAY['TRUSTED_PROXIES'], else all its clients share one cap",
            sockets,
            address,
        )


def _may_be_a_proxy(address: str) -> bool:
    parsed = parse_address(address)
    return address == UNKNOWN or (parsed is not None and is_local(parsed))
