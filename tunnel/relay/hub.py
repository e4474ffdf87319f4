"""Which peers are live in this process, who has just left, and who may not try again yet.

Lives on the loop. A late end of a replaced connection never touches its successor: names are given back by
the peer itself, compared by identity.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from tunnel.core.address import Failures
from tunnel.core.frames import Fatal
from tunnel.relay.peer import Peer
from tunnel.wire import BUDGET_BYTES

AWAY_S: Final = 5.0
"""A peer lost less long ago is expected back: a client's first wait is shorter."""
WAIT_S: Final = 3.0
"""How long a visitor waits for such a peer (spec 6.3)."""
PROCESS_BUDGET_BYTES: Final = 134_217_728
"""What may wait in all peers' connections together (spec 6.2)."""


class PeerView(Struct, frozen=True):
    """A live peer for people: a frozen copy."""

    name: str
    token_id: str
    instance: str
    since: float
    rtt_ms: float | None
    requests: int
    sockets: int
    bytes_in: int
    bytes_out: int


class Hub:
    """The peers of this process."""

    def __init__(self, on_join: Callable[[], None] = lambda: None) -> None:
        self._on_join = on_join
        self.peers: dict[str, Peer] = {}
        self.failures = Failures()
        self._lost_at: dict[str, float] = {}
        self._changed = asyncio.Event()

    def join(self, peer: Peer) -> None:
        """The peer has its name from now on."""
        self.peers[peer.name] = peer
        self._lost_at.pop(peer.name, None)
        self._on_join()
        self._tell()

    def leave(self, peer: Peer) -> None:
        """The peer is gone; if another has its name by now, nothing happens."""
        if self.peers.get(peer.name) is peer:
            del self.peers[peer.name]
            now = time.monotonic()
            self._lost_at = {name: at for name, at in self._lost_at.items() if now - at < AWAY_S}
            if not peer.sent_away.done():
                self._lost_at[peer.name] = now
            self._tell()

    def kick(self, peer: Peer, fatal: Fatal) -> None:
        """Send a peer away; its endpoint closes the socket with ``fatal``."""
        if not peer.sent_away.done():
            peer.sent_away.set_result(fatal)
            self._tell()

    def is_away(self, name: str) -> bool:
        """Whether the name was served a moment ago."""
        return time.monotonic() - self._lost_at.get(name, float("-inf")) < AWAY_S

    async def find(self, name: str) -> Peer | None:
        """The peer of this name; one that has just left is waited for."""
        peer = self._serving(name)
        if peer is not None or not self.is_away(name):
            return peer
        try:
            async with asyncio.timeout(WAIT_S):
                while (peer := self._serving(name)) is None:
                    await self.change()
        except TimeoutError:
            return None
        return peer

    async def change(self) -> None:
        """Until a peer comes, goes or is kicked."""
        await self._changed.wait()

    def has_room(self, peer: Peer) -> bool:
        """Whether the budgets allow a new stream."""
        return peer.wire.link.held < BUDGET_BYTES and self._held() < PROCESS_BUDGET_BYTES

    def relieve(self) -> None:
        """Beyond the process's budget the stream that holds most goes, of the peer that holds most."""
        if self._held() > PROCESS_BUDGET_BYTES:
            max(self.peers.values(), key=lambda peer: peer.wire.link.held).wire.reset_heaviest()

    def _held(self) -> int:
        return sum(peer.wire.link.held for peer in self.peers.values())

    def views(self) -> list[PeerView]:
        """All live peers, by name."""
        return [_view(peer) for _, peer in sorted(self.peers.items())]

    def _serving(self, name: str) -> Peer | None:
        peer = self.peers.get(name)
        return peer if peer is not None and peer.serving else None

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def _view(peer: Peer) -> PeerView:
    rtt = peer.wire.rtt_s
    live = peer.wire.exchanges.values()
    return PeerView(
        peer.name,
        peer.claim.token_id,
        peer.claim.instance,
        peer.since,
        None if rtt is None else round(rtt * 1000, 1),
        peer.requests,
        peer.sockets,
        peer.bytes_in + sum(exchange.bytes_in for exchange in live),
        peer.bytes_out + sum(exchange.bytes_out for exchange in live),
    )
