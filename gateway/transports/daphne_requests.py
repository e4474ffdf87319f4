"""A request of Daphne with what stock leaves out: an end to waiting for its head and its body, a refusal of a
body that still arrives, a sender that waits for a slow reader, an application that breaks (spec 1.8).

Twisted gives a request its head (`gotLength`), then its body in pieces (`handleContentChunk`), then its end
(`requestReceived`), from which on it is Daphne's. A request that is refused never becomes Daphne's. The
private names of Twisted's channel used here are pinned down by ``tests/tunnel/wire/test_daphne.py``.
"""

import asyncio
from io import BytesIO
from typing import Any

from daphne.http_protocol import HTTPFactory, WebRequest
from twisted.internet.interfaces import IPushProducer
from twisted.web.http import NO_BODY_CODES, HTTPChannel, Request, _GenericHTTPChannelProtocol
from zope.interface import implementer

from gateway.transports.bodies import DISCARD_BYTES, DISCARD_S, BodyLimit, Refusal
from gateway.transports.descriptors import descriptors, latest
from gateway.transports.heads import HeadClock
from gateway.transports.responses import Headers


@implementer(IPushProducer)
class GatewayRequest(WebRequest):  # type: ignore[misc]  # Daphne has no types
    """One request. It is its own producer: the transport tells it when to wait and when to go on."""

    limit: BodyLimit | None = None
    refused = False
    discarded = 0

    def __init__(self, channel: Any, queued: Any) -> None:
        super().__init__(channel, queued, parsePOSTFormSubmission=False)  # the application reads forms
        self.writable = asyncio.Event()
        self.writable.set()
        self.ending: asyncio.TimerHandle | None = None
        self.waiting: asyncio.TimerHandle | None = None

    # Twisted: the body arrives

    def gotLength(self, length: int | None) -> None:
        if length != 0:
            self.limit = self.server.body_limit(self.lines(), self.channel._path)
        refusing = self.limit is not None and (length or 0) > self.limit.max_bytes
        super().gotLength(0 if refusing else length)
        if self.limit is not None:
            self.channel.setTimeout(None)  # stock's own, which ends a connection without a word
            if refusing:
                self.refuse(self.limit.too_large)
            else:
                self.await_body(self.limit)

    def handleContentChunk(self, data: bytes) -> None:
        self.moved_at = asyncio.get_running_loop().time()
        if not self.refused and self.limit and self.content.tell() + len(data) > self.limit.max_bytes:
            self.refuse(self.limit.too_large)
        if not self.refused:
            super().handleContentChunk(data)
            return
        self.discarded += len(data)
        if self.discarded > DISCARD_BYTES:
            self.end_soon(0)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        self.stop_waiting()
        if self.refused:
            self.end_soon(0)
        else:
            super().requestReceived(command, path, version)

    def connectionLost(self, reason: Any) -> None:
        self.writable.set()
        self.stop_waiting()
        if self.ending is not None:
            self.ending.cancel()
        super().connectionLost(reason)

    # The body's time

    def await_body(self, limit: BodyLimit) -> None:
        """Its clock begins. A piece only notes its time: there are many, and one timer."""
        self.moved_at = asyncio.get_running_loop().time()
        self.look_again(limit)

    def look_again(self, limit: BodyLimit) -> None:
        """Refuse a body of which nothing came for too long; else come back when that may be so."""
        loop, due = asyncio.get_running_loop(), self.moved_at + limit.stalled_s
        if due <= loop.time():
            self.refuse(limit.stalled)
        else:
            self.waiting = loop.call_at(due, self.look_again, limit)

    def stop_waiting(self) -> None:
        """The body is here, refused or lost."""
        if self.waiting is not None:
            self.waiting.cancel()

    # A refusal

    def lines(self) -> Headers:
        """The header lines, names in lower case."""
        found = self.requestHeaders.getAllRawHeaders()
        return [(name.lower(), value) for name, values in found for value in values]

    def refuse(self, refusal: Refusal) -> None:
        """Answer now. The end comes when the visitor had time to read it."""
        self.stop_waiting()
        self.channel.setTimeout(self.channel.factory.timeOut)
        self.refused = True
        self.content.close()
        self.content = BytesIO()
        self.requestHeaders.removeHeader(b"expect")  # else Twisted would tell the visitor to go on
        self.channel.persistent = False
        self.method, self.uri = self.channel._command, self.channel._path
        self.clientproto = self.channel._version
        headers = [field for field in refusal.headers if field[0] != b"connection"]
        headers.append((b"connection", b"close"))
        self.handle_reply({"type": "http.response.start", "status": refusal.status, "headers": headers})
        self.handle_reply({"type": "http.response.body", "body": refusal.body, "more_body": True})
        self.end_soon(DISCARD_S)

    def end_soon(self, delay_s: float) -> None:
        """End the refused request; never within a call of Twisted's parser, which would go on with it."""
        if self.ending is not None:
            self.ending.cancel()
        loop = asyncio.get_running_loop()
        self.ending = loop.call_later(delay_s, self.handle_reply, {"type": "http.response.body"})

    # The response

    def handle_reply(self, message: Any) -> None:
        if message["type"] == "http.response.body" and self.bodiless:
            message = {**message, "body": b""}
        super().handle_reply(message)
        if message["type"] == "http.response.start" and self.lives and self.producer is None:
            self.registerProducer(self, True)
            if self.channel._waitingForTransport:  # the response before this one is still unread
                self.pauseProducing()
            Request.write(self, b"")  # stock keeps the head back until there is a piece of the body

    @property
    def bodiless(self) -> bool:
        """Whether no body may follow the head, which Twisted asks only once."""
        return self.method == b"HEAD" or self.code in NO_BODY_CODES

    @property
    def lives(self) -> bool:
        """Whether it has its connection. Twisted deletes ``channel`` at the end, and sets None at a loss."""
        return not self.finished and self.channel is not None

    def finish(self) -> None:
        if self.lives:
            self.unregisterProducer()
        self.writable.set()
        super().finish()

    def handle_exception(self, exception: Exception) -> None:
        """Stock raises once the response has begun: in the round that reaps all applications, and ends it."""
        if self._response_started:
            self.abort()
        else:
            super().handle_exception(exception)

    def abort(self) -> None:
        """Reset the connection."""
        if self.lives:
            self.channel.transport.abortConnection()

    # Twisted's producer

    def pauseProducing(self) -> None:
        self.writable.clear()

    def resumeProducing(self) -> None:
        self.writable.set()

    def stopProducing(self) -> None:
        """The connection is lost, of which `connectionLost` tells."""


class GatewayChannel(HTTPChannel):  # type: ignore[misc]  # Twisted has no types here
    """One connection of Daphne, until it is closed or becomes a WebSocket. Twisted reads the lines of a head
    only while no request is being answered, so a head that is late breaks into no response.
    """

    head: HeadClock

    def connectionMade(self) -> None:
        super().connectionMade()
        self.head = HeadClock(self.head_is_late)

    def dataReceived(self, data: bytes) -> None:
        if self.line_mode:
            if not self.head.runs and data.strip():  # a line break may follow the body before
                self.head.start()
            self.head.seen += len(data)
        super().dataReceived(data)

    def allHeadersReceived(self) -> None:
        self.head.stop()
        super().allHeadersReceived()

    def allContentReceived(self) -> None:
        self.setTimeout(self.factory.timeOut)  # stock saves it, for the time after the response
        super().allContentReceived()

    def connectionLost(self, reason: Any) -> None:
        self.head.stop()
        super().connectionLost(reason)

    def loseConnection(self) -> None:
        self.head.stop()
        super().loseConnection()

    def head_is_late(self) -> None:
        """Tell the client, and give it the time to read it that stock gives to one that timed out."""
        self.transport.write(self.head.refusal(408, self.getPeer()))
        self.timeoutConnection()


class GatewayHTTPFactory(HTTPFactory):  # type: ignore[misc]  # Daphne has no types
    def protocol(self) -> Any:
        """What stock calls for each connection."""
        return _GenericHTTPChannelProtocol(GatewayChannel())

    def buildProtocol(self, addr: Any) -> Any:
        """None for a connection too many: Twisted closes it, and has its descriptor already."""
        if descriptors.is_too_many(latest()):
            return None
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = GatewayRequest
        return protocol

    def log(self, request: Any) -> None:
        """No access log of Twisted's own: it would hold query strings, and Daphne has one."""
