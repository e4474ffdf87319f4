"""uvicorn's HTTP protocol with what stock leaves out: an end to waiting for a request, and to its head.

Stock keeps the lines of a head however many they are. Upgrades begin here too: this is the first of the
phases in which a peer may stall. The private names used here are pinned down by ``tests/faults``.
"""

from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gateway.transports.descriptors import descriptors
from gateway.transports.heads import HeadClock
from gateway.turns import turns_of

HEAD_BYTES: Final = 65_536
"""Request line and header lines together: four times what Daphne takes."""


class GatewayHttpProtocol(HttpToolsProtocol):
    """One connection of uvicorn, until it is closed or becomes a WebSocket."""

    _head: HeadClock

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._head = HeadClock(self._head_is_late)
        if descriptors.is_too_many(transport.get_extra_info("socket").fileno()):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._head.runs or self.transport.is_closing():
            return
        self._head.seen += len(data)
        if self._head.seen > HEAD_BYTES:
            self._refuse(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._head.runs:
            self._head.start()

    def on_headers_complete(self) -> None:
        self._head.stop()
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        """At once or, in a crowd, in its turn: stock makes hundreds of sockets out of one poll."""
        if turns_of(self.loop).take(self._upgrade):
            super().handle_websocket_upgrade()
        else:
            self.transport.pause_reading()

    def _upgrade(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()
            super().handle_websocket_upgrade()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head.stop()
        super().connection_lost(exc)

    def _head_is_late(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:  # type: ignore[redundant-expr]
            self._head.extend()  # not into that response
        else:
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        self.transport.write(self._head.refusal(status, self.client))
        self.transport.close()
