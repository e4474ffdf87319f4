"""uvicorn's HTTP protocol with what stock leaves out: an end to waiting for a request, and to its head.

A client that connects and says nothing, or one header a minute, holds a descriptor for ever with stock
uvicorn, and its header lines are kept however many they are. Upgrades begin here too: this is the first of
the phases in which a peer may stall. The private names used here are pinned down by ``tests/faults``.
"""

import asyncio
import logging
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gateway.transports.descriptors import descriptors
from gateway.transports.responses import response

log = logging.getLogger("gateway.transports")

HEAD_S: Final = 10.0
"""From the connection, or the first byte of a later request, to the end of its head. Phones on a bad network
need a second or two."""
HEAD_BYTES: Final = 65_536
"""Request line and header lines together: four times what Daphne takes."""


class GatewayHttpProtocol(HttpToolsProtocol):
    """One connection of uvicorn, until it is closed or becomes a WebSocket."""

    head_s: ClassVar[float] = HEAD_S
    _head_by: asyncio.TimerHandle | None = None
    _head_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if descriptors.is_too_many(transport.get_extra_info("socket").fileno()):
            transport.abort()
        else:
            self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_by is None or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > HEAD_BYTES:
            self._refuse(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_by is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        self._head_is_here()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._head_bytes = 0
        self._head_by = self.loop.call_later(self.head_s, self._head_is_late)

    def _head_is_here(self) -> None:
        if self._head_by is not None:
            self._head_by.cancel()
            self._head_by = None

    def _head_is_late(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:  # type: ignore[redundant-expr]
            self._head_by = self.loop.call_later(self.head_s, self._head_is_late)  # not into that response
        else:
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        """Whoever said nothing at all is told nothing: it may be a browser's connection in stock."""
        self._head_is_here()
        if self._head_bytes:
            log.info("a request's head does not end", extra={"status": status, "client": self.client})
            self.transport.write(response(status, (), b""))
        self.transport.close()
