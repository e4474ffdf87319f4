"""The adapter for Daphne: its server and autobahn's handshake, then a `FramedPort` (spec 1.8).

`GatewayServer` takes the place of `daphne.server.Server`; `gateway.transports.install` puts it there for the
stock command. autobahn parses no frame: it drops where a close is due, refuses to send most codes and bounds
nothing. Only this module imports Twisted. The private names used here are pinned down by
``tests/conformance``.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, ClassVar

import daphne.server  # first: it installs the reactor that everything else of Twisted binds to
from daphne.server import Server
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet.interfaces import IHalfCloseableProtocol, IPushProducer
from zope.interface import implementer

from gateway.core import closing
from gateway.core.outbox import WRITE_THROUGH_BYTES
from gateway.transports.bodies import ABORT, BodyLimits, unlimited
from gateway.transports.carriers import limit_kernel_buffer
from gateway.transports.daphne_requests import GatewayHTTPFactory
from gateway.transports.delivery import ClientGone, Delivery, Events
from gateway.transports.framed import FramedPort
from gateway.transports.logs import without_query
from gateway.transports.phase import Phase
from gateway.transports.port import EXTENSION
from gateway.transports.responses import Headers, response
from gateway.transports.watch import WireLimits

logger = logging.getLogger(__name__)

DAPHNES_TIMEOUT_S = 86_400
"""Daphne ends every socket after a day unless told otherwise; a value that somebody chose is kept."""


@implementer(IPushProducer)
class TwistedCarrier:
    """A carrier on a transport of Twisted, which tells it when its buffer is full and when it is empty."""

    def __init__(self, transport: Any, port: Callable[[], FramedPort]) -> None:
        self._transport = transport
        self._port = port
        self.write = transport.write
        limit_kernel_buffer(getattr(transport, "socket", None))

    def watch(self) -> None:
        """Take over from the HTTP channel, which has registered itself."""
        self._transport.bufferSize = WRITE_THROUGH_BYTES - 1  # it is full *above* that
        self._transport.unregisterProducer()
        self._transport.registerProducer(self, True)

    def buffered(self) -> int:
        held = self._transport
        return int(len(held.dataBuffer) - held.offset + held._tempDataLen)

    def pause(self) -> None:
        self._transport.pauseProducing()

    def resume(self) -> None:
        self._transport.resumeProducing()

    def finish(self) -> None:
        self._transport.unregisterProducer()  # a registered one keeps the transport open
        self._transport.loseWriteConnection()

    def close(self) -> None:
        self._transport.unregisterProducer()
        self._transport.loseConnection()

    def reset(self) -> None:
        self._transport.abortConnection()

    # Twisted's producer: who writes is told to wait, and to go on

    def pauseProducing(self) -> None:
        self._port().full()

    def resumeProducing(self) -> None:
        self._port().drained()

    def stopProducing(self) -> None:
        """The connection is lost: `GatewayWebSocketProtocol.onClose` tells the port."""


@implementer(IHalfCloseableProtocol)
class GatewayWebSocketProtocol(WebSocketProtocol):  # type: ignore[misc]  # Daphne has no types
    """One WebSocket of Daphne. autobahn does the handshake, its ``port`` everything after it."""

    port: FramedPort | None = None
    handshake_deferred: Any
    _response: tuple[int, list[tuple[bytes, bytes]]] | None = None

    def make_port(self, limits: WireLimits) -> FramedPort:
        """The request is read: all bytes from here on are the port's."""
        self.carrier = TwistedCarrier(self.transport, lambda: port)
        self.events = Events()
        self.port = port = FramedPort(self.carrier, Delivery(self.events), limits)
        return port

    # From the transport

    def dataReceived(self, data: bytes) -> None:
        if self.port is not None:
            self.port.received(data)
        else:
            super().dataReceived(data)

    def readConnectionLost(self) -> None:
        """The peer has ended its side; without this method Twisted would end ours, kindly."""
        if self.port is not None:
            self.port.ended_by_peer()
        else:
            self.transport.loseConnection()

    def writeConnectionLost(self) -> None:
        """We have ended our side, and wait for the peer's."""

    def onOpen(self) -> None:
        super().onOpen()
        assert self.port is not None
        self.carrier.watch()
        self.port.opened()

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        if self.port is None:  # the request was none
            return
        self.port.lost()
        self.server.protocol_disconnected(self)
        self.tell("disconnected")

    def check_timeouts(self) -> None:
        """Daphne's round every 2 s. Its pings are replaced by the port's."""
        if self.port is None:
            return
        if (
            self.port.phase is Phase.HANDSHAKE
            and self.duration() > self.server.websocket_connect_timeout >= 0
        ):
            self.refuse(503, (), b"")
        elif self.duration() > self.server.websocket_timeout >= 0:
            self.port.close(1000, "")

    # ASGI, before the port takes over

    async def reply(self, message: Any) -> None:
        """One message of the application."""
        assert self.port is not None
        if self.port.phase is not Phase.HANDSHAKE:
            await self.port.send(message)
            return
        match message["type"]:
            case "websocket.accept":
                self.accept(message.get("subprotocol"), message.get("headers") or ())
            case "websocket.close":
                self.refuse(403, (), b"")
            case "websocket.http.response.start":
                self._response = (message["status"], list(message.get("headers") or ()))
                self._body = b""
            case "websocket.http.response.body" if self._response is not None:
                self._body += message.get("body", b"")
                if not message.get("more_body"):
                    self.refuse(*self._response, self._body)
            case kind:
                raise RuntimeError(f"expected an answer to the upgrade, not {kind!r}")

    def accept(self, subprotocol: str | None, headers: Headers) -> None:
        """Let autobahn write its 101, which Daphne does without the application's headers."""
        if subprotocol is not None and subprotocol not in self.websocket_protocols:
            raise ValueError(
                f"subprotocol {subprotocol!r} is not among those offered: {self.websocket_protocols}"
            )
        values: dict[str, list[str]] = {}
        for name, value in headers:
            values.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        answer, self.handshake_deferred = self.handshake_deferred, None
        answer.callback((subprotocol, values))

    def refuse(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer the upgrade with a response, which Daphne can only do as an empty 403."""
        assert self.port is not None
        self.transport.write(response(status, headers, body))
        self.carrier.close()
        self.port.refused()
        self.tell("rejected")

    def stop(self) -> None:
        """The server stops."""
        assert self.port is not None
        if self.port.phase is Phase.HANDSHAKE:
            self.refuse(503, (), b"")
        else:
            self.port.stop()

    def tell(self, action: str) -> None:
        """A line for Daphne's access log."""
        client = ":".join(map(str, self.client_addr)) if self.client_addr else None
        self.server.log_action("websocket", action, {"path": self.request.path, "client": client})


class GatewayWebSocketFactory(WebSocketFactory):  # type: ignore[misc]  # Daphne has no types
    protocol = GatewayWebSocketProtocol


class GatewayServer(Server):  # type: ignore[misc]  # Daphne has no types
    """Daphne's server with the gateway's port on every WebSocket."""

    limits: ClassVar[WireLimits] = WireLimits()
    connections: dict[Any, Any]

    def __init__(self, application: Any, *args: Any, **options: Any) -> None:
        if options.get("websocket_timeout", DAPHNES_TIMEOUT_S) == DAPHNES_TIMEOUT_S:
            options["websocket_timeout"] = -1
        self.body_limit: BodyLimits = getattr(application, "body_limit", unlimited)
        super().__init__(guarded(application), *args, **options)

    def run(self) -> None:
        # Stock has no other way to name them: it looks both up here, at this moment.
        daphne.server.WebSocketFactory = GatewayWebSocketFactory
        daphne.server.HTTPFactory = GatewayHTTPFactory
        super().run()

    def create_application(self, protocol: Any, scope: Any) -> Any:
        if scope["type"] != "websocket":
            scope["extensions"] = {ABORT: protocol.abort}
            return super().create_application(protocol, scope)
        port = protocol.make_port(self.limits)
        scope["extensions"] = {"websocket.http.response": {}, EXTENSION: port}
        made = super().create_application(protocol, scope)
        return None if made is None else protocol.events

    async def handle_reply(self, protocol: Any, message: Any) -> None:
        if isinstance(protocol, GatewayWebSocketProtocol):
            await protocol.reply(message)
        else:
            await super().handle_reply(protocol, message)
            await protocol.writable.wait()  # stock keeps in memory what a visitor does not read

    def kill_all_applications(self) -> Any:
        """The server stops: tell the sockets. Stock stumbles over connections whose application is reaped."""
        reaped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        reaped.set_result(None)
        self.stop_sockets()
        for known in self.connections.values():
            known.setdefault("application_instance", reaped)
        return super().kill_all_applications()

    def stop_sockets(self) -> None:
        """Each says goodbye in its own way; one that is closing already goes on with that."""
        for protocol in list(self.connections):
            if isinstance(protocol, GatewayWebSocketProtocol) and protocol.port is not None:
                protocol.stop()

    def log_action(self, protocol: str, action: str, details: dict[str, Any]) -> None:
        super().log_action(protocol, action, details | {"path": without_query(details["path"])})


def guarded(application: Any) -> Any:
    """``application`` whose end ends its WebSocket at once, with a close frame.

    Stock finds out within a second that it broke, and leaves the socket open if it only returned.
    """

    async def run(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await application(scope, receive, send)
            return
        port: FramedPort = scope["extensions"][EXTENSION]
        try:
            await application(scope, port.receive, send)
        except ClientGone:
            pass  # the application wrote to a client that had left, and was told
        except Exception:
            logger.exception("Exception inside application")
            port.close_with(closing.INTERNAL_ERROR)
        else:
            port.close(1000, "")
        if port.phase is Phase.HANDSHAKE:
            await send({"type": "websocket.http.response.start", "status": 500})
            await send({"type": "websocket.http.response.body"})

    return run
