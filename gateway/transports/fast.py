"""The fast adapter: uvicorn's handshake as in `gateway.transports.uvicorn`, and writes that go past its loop.

Use it as uvicorn's ``ws`` class, ``uvicorn --ws gateway.transports.fast:FastWebSocketProtocol``, or with
``manage.py serve``. The port, and with it every promise of `tests/conformance`, is the same; what differs is
the carrier below it (`gateway.transports.direct`).
"""

import asyncio
import sys

from gateway.core.outbox import WRITE_THROUGH_BYTES
from gateway.transports.carriers import Carrier
from gateway.transports.direct import DirectCarrier, turn_of
from gateway.transports.uvicorn import GatewayWebSocketProtocol


class FastWebSocketProtocol(GatewayWebSocketProtocol):
    """One WebSocket of uvicorn. Behind TLS of uvicorn's own it is the plain adapter."""

    direct: DirectCarrier | None = None

    def make_carrier(self, transport: asyncio.Transport) -> Carrier:
        """The plain one where the transport must see every byte: below TLS, and on Windows."""
        if transport.get_extra_info("sslcontext") is not None or sys.platform == "win32":
            return super().make_carrier(transport)
        self.direct = DirectCarrier(
            transport, WRITE_THROUGH_BYTES, turn_of(self.loop), self._full, self._drained
        )
        return self.direct

    def connection_lost(self, exc: Exception | None) -> None:
        if self.direct is not None:
            self.direct.let_go()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        if self.direct is None:
            super().pause_writing()
        else:
            self.direct.holds()

    def resume_writing(self) -> None:
        if self.direct is None:
            super().resume_writing()
        else:
            self.direct.emptied()

    def _full(self) -> None:
        self.port.full()

    def _drained(self) -> None:
        self.port.drained()
