"""The adapter for uvicorn: its sans-I/O WebSocket protocol up to the answer, then a `FramedPort` (spec 1.8).

Use it as uvicorn's ``ws`` class: ``uvicorn --ws gateway.transports.uvicorn:GatewayWebSocketProtocol``, or
`uvicorn_config`. Applications that do not know the port run on it unchanged. The private names of uvicorn and
websockets that are used here are pinned down by ``tests/conformance``.
"""

import asyncio
from importlib.util import find_spec
from typing import Any, ClassVar, Final

import uvicorn
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from gateway.core import closing
from gateway.core.outbox import WRITE_THROUGH_BYTES
from gateway.transports.carriers import AsyncioCarrier, Carrier
from gateway.transports.delivery import ClientGone, Delivery, Events
from gateway.transports.framed import FramedPort
from gateway.transports.logs import hide_query_strings
from gateway.transports.phase import Phase
from gateway.transports.port import EXTENSION, MAX_MESSAGE_BYTES
from gateway.transports.responses import response
from gateway.transports.uvicorn_requests import GatewayHttpProtocol
from gateway.transports.watch import WireLimits

_ALWAYS: Final = asyncio.Event()
_ALWAYS.set()


class GatewayWebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket of uvicorn. The stock class does the handshake, its ``port`` everything after it."""

    limits: ClassVar[WireLimits] = WireLimits()
    port: FramedPort

    def __init__(self, config: uvicorn.Config, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.queue = Events()  # type: ignore[assignment]
        self.writable = _ALWAYS  # nothing clears it: the port has an event of its own, while it is full
        self.conn.debug = False  # no request in a debug log
        self.conn.available_extensions = None  # no compression (spec 1.5), whatever the command line said
        self.ping_interval = None  # the port's own are used: stock never frees a socket whose buffer is full

    # From the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        app = Delivery(self.queue)  # type: ignore[arg-type]
        self.port = FramedPort(self.make_carrier(self.transport), app, self.limits)

    def make_carrier(self, transport: asyncio.Transport) -> Carrier:
        """What the port writes to."""
        return AsyncioCarrier(transport, WRITE_THROUGH_BYTES)

    def data_received(self, data: bytes) -> None:
        if self.handshake_initiated:
            self.port.received(data)
            return
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            # The library cannot read the request (a header line over 8 KiB): stock never answers.
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def eof_received(self) -> None:
        self.port.ended_by_peer()

    def connection_lost(self, exc: Exception | None) -> None:
        self.port.lost()
        # Stock's own disconnect event, 1005 for every drop, stays unread behind the port's.
        super().connection_lost(exc)

    def pause_writing(self) -> None:  # stock's own event serves its own send, which ends with the answer
        self.port.full()

    def resume_writing(self) -> None:
        self.port.drained()

    def shutdown(self) -> None:
        """The server stops. Stock would cut off sockets that are closing, wait for full ones, and say of an
        upgrade that is not answered yet that something broke.
        """
        if self.port.phase is not Phase.HANDSHAKE:
            self.port.stop()
        elif self.initial_response is None:
            self.transport.write(response(503, (), b""))
            self.transport.close()
            self.port.refused()

    # ASGI

    async def run_asgi(self) -> None:
        """Stock drops the connection without a close frame when the application ends or breaks."""
        extensions: Any = self.scope["extensions"]
        extensions[EXTENSION] = self.port
        try:
            await self.app(self.scope, self.port.receive, self.send)
        except ClientDisconnected:
            pass  # the application wrote to a client that had left, and was told
        except Exception:
            self.logger.exception("Exception in ASGI application")
            self.port.close_with(closing.INTERNAL_ERROR)
        else:
            self.port.close(1000, "")
        if self.port.phase is Phase.HANDSHAKE:
            self.send_500_response()
            self.transport.close()

    async def send(self, message: Any) -> None:
        if self.port.phase is Phase.HANDSHAKE:
            await super().send(message)
            if self.conn.state is State.OPEN:
                del self.conn, self.request, self.response  # the port makes its own, if a frame needs one
                self.port.opened()
                self._hand_over()
            elif self.close_sent:
                self.port.refused()
            return
        try:
            await self.port.send(message)
        except ClientGone as gone:
            raise ClientDisconnected from gone

    def _hand_over(self) -> None:
        """Have the transport call the port itself: uvloop looks for the callback when it gets a protocol."""
        self.data_received = self.port.received  # type: ignore[method-assign]
        self.transport.set_protocol(self)


def uvicorn_config(app: Any, host: str, port: int, **options: Any) -> uvicorn.Config:
    """uvicorn's configuration for this project; ``options`` are `uvicorn.Config`'s own, and win."""
    if options.get("log_level") == "trace":
        raise ValueError("log_level 'trace' logs whole scopes, reconnect tokens included; use 'debug'")
    defaults: dict[str, Any] = {
        "loop": "uvloop" if find_spec("uvloop") else "asyncio",
        "http": GatewayHttpProtocol,
        "ws": GatewayWebSocketProtocol,
        "ws_max_size": MAX_MESSAGE_BYTES,
        "ws_per_message_deflate": False,
        "proxy_headers": False,  # the gateway walks X-Forwarded-For itself (spec 1.2)
        "server_header": False,
    }
    return uvicorn.Config(app, host=host, port=port, **(defaults | options))


# Not in `uvicorn_config`: the stock command only imports this module, after it has set up its logging.
hide_query_strings()
