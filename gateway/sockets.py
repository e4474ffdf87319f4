"""The game's way out: all live sockets of a process, and one encoding for all receivers of an event.

Only `LiveSockets`, which implements `gateway.contract.Sockets`; what a single socket does with a frame is in
``gateway.socket``.
"""

from collections.abc import Collection

from msgspec import Struct

from gateway.alarm import Clock
from gateway.contract import ConnId, FrameClass, TrustContext
from gateway.core.closing import Ending
from gateway.core.counts import Counts
from gateway.core.hub import Hub
from gateway.core.messages import wire_type
from gateway.socket import Socket
from gateway.wire import encode


class LiveSockets:
    """The game's way out (`gateway.contract.Sockets`)."""

    def __init__(self, hub: Hub, counts: Counts, clock: Clock) -> None:
        self._hub = hub
        self._counts = counts
        self._clock = clock
        self.live: dict[ConnId, Socket] = {}

    def send(
        self, conn_ids: Collection[ConnId], event: Struct, frame_class: FrameClass, key: str | None = None
    ) -> None:
        """One encoding for all receivers; a socket that is over its cap is doomed here and ends in its own
        turn.
        """
        began = self._clock.now() if len(conn_ids) > 1 else None
        payload, live = encode(event), self.live
        key = key or wire_type(event)
        receivers = 0
        for conn_id in conn_ids:
            socket = live.get(conn_id)
            if socket is not None and socket.ending is None:
                socket.say(payload, frame_class, key)
                receivers += 1
        self._counts.send(event, receivers)
        if began is not None:
            self._counts.broadcast.add(self._clock.now() - began)

    def bind(self, conn_id: ConnId, user_id: str) -> None:
        """The connection speaks for a seat."""
        self._hub.bind(conn_id, user_id)

    def unbind(self, conn_id: ConnId) -> None:
        """The connection speaks for nobody."""
        self._hub.bind(conn_id, None)

    def close(self, conn_id: ConnId, ending: Ending) -> None:
        """End the socket if it is still there."""
        socket = self.live.get(conn_id)
        if socket is not None:
            socket.end(ending)

    def trust(self, conn_id: ConnId) -> TrustContext | None:
        """What the site vouched for."""
        socket = self.live.get(conn_id)
        return None if socket is None else socket.trust
