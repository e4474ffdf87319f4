"""One live peer as the relay's visitors see it: its name, its limits, its streams.

What travels is in ``tunnel.wire``; how it logs in is in ``tunnel.relay.endpoint``.
"""

import asyncio
import time

from tunnel.core.claims import Claim
from tunnel.core.frames import Fatal, GoAway, Open, RequestHead, Stop
from tunnel.core.tokens import Grant
from tunnel.exchange import Exchange
from tunnel.wire import Wire


class Peer:
    """A client that serves ``name``. ``sent_away`` holds what it is told when it has to go."""

    def __init__(self, name: str, claim: Claim, grant: Grant, wire: Wire) -> None:
        self.name = name
        self.claim = claim
        self.grant = grant
        self.wire = wire
        self.since = time.time()
        self.requests = 0
        self.sockets = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.going = False
        self.sent_away: asyncio.Future[Fatal] = asyncio.get_running_loop().create_future()

    @property
    def serving(self) -> bool:
        """Whether new requests may go to it."""
        return not (self.going or self.sent_away.done())

    def go_away(self, reason: str) -> None:
        """Ask it to come back elsewhere: it gets no new stream, and its connection ends with its last one."""
        if self.serving:
            self.going = True
            self.wire.announce(GoAway(self.wire.link.last_stream, Stop.GOING, reason))
            self.wire.leave_when_idle(reason)

    def open(self, head: RequestHead, end: bool) -> Exchange:
        """A new stream for a visitor; raises `FrameTooLargeError`."""
        return self.wire.open(Open(self.wire.link.next_stream, head, end))

    def close(self, exchange: Exchange) -> None:
        """The visitor has what it gets."""
        exchange.close()
        self.bytes_in += exchange.bytes_in
        self.bytes_out += exchange.bytes_out
