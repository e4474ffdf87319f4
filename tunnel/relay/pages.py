"""An HTTP visitor and the peer: the body up, the response down, either at its own speed (spec 6.1, 6.3).

Two coroutines: one reads the visitor (its body, then whether it leaves), one writes to it. Nothing is kept
whole. Once the response has begun an error can only be told by breaking off.
"""

import asyncio
from typing import Any

from msgspec import Struct

from tunnel.core import headers as rules
from tunnel.core.codec import FrameTooLargeError
from tunnel.core.frames import Data, Head, ResponseHead, Stop, StreamFrame
from tunnel.core.headers import BadHeadError
from tunnel.exchange import Exchange, StreamEnded
from tunnel.relay.abort import VisitorConnection
from tunnel.relay.answers import OF_STOP, Answer, discard, send_http
from tunnel.relay.peer import Peer
from tunnel.relay.visit import Visit


class Bounds(Struct, frozen=True):
    """``stalled_s``: how long a request may stand still before its response begins."""

    stalled_s: float
    max_body: int


class Visitor(Struct, frozen=True):
    """Who asked: the ASGI ends of the request, and the connection under them."""

    receive: Any
    send: Any
    connection: VisitorConnection


class PageVisit:
    """One request on its way."""

    def __init__(self, visit: Visit, peer: Peer, visitor: Visitor, bounds: Bounds) -> None:
        self.visit = visit
        self.peer = peer
        self.receive = visitor.receive
        self.send = visitor.send
        self.connection = visitor.connection
        self.stalled_s = bounds.stalled_s
        self.max_body = bounds.max_body
        self.uploading = visit.body.present
        self.awaits_visitor = False
        self.left = False
        self.moved_at = asyncio.get_running_loop().time()

    async def serve(self) -> None:
        """Until the visitor has its response, or has left."""
        if (self.visit.body.length or 0) > self.max_body:
            await self._refuse(Answer.TOO_LARGE)
            return
        try:
            exchange = self.peer.open(self.visit.head, not self.visit.body.present)
        except FrameTooLargeError:
            await self._refuse(Answer.HEAD_TOO_LARGE)
            return
        upload = asyncio.create_task(self._upload(exchange))
        try:
            answer = await self._respond(exchange)
        finally:
            upload.cancel()
            await asyncio.gather(upload, return_exceptions=True)
            self.peer.close(exchange)
        if self.left:
            return
        if isinstance(answer, Answer):
            await self._refuse(answer)
        elif answer:
            if self.uploading:
                await discard(self.receive)
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            self.connection.break_off()

    async def _refuse(self, answer: Answer) -> None:
        await send_http(answer, self.visit.headers, self.receive, self.send, body_open=self.uploading)

    # Up

    async def _upload(self, exchange: Exchange) -> None:
        """The body, then the visitor's leaving."""
        total = 0
        while True:
            self.awaits_visitor = self.uploading
            event = await self.receive()
            self.awaits_visitor = False
            if event["type"] == "http.disconnect":
                self.left = True
                exchange.reset(Stop.CANCELLED)
                return
            if not self.uploading:
                continue  # the server tells of a body that is not there
            body, self.uploading = event.get("body", b""), bool(event.get("more_body"))
            total += len(body)
            if total > self.max_body:
                exchange.reset(Stop.TOO_LARGE)
                return
            if body or not self.uploading:
                await exchange.send(Data(exchange.id, body, end=not self.uploading))
            self.moved_at = asyncio.get_running_loop().time()

    # Down

    async def _respond(self, exchange: Exchange) -> Answer | bool:
        """The response; returns whether it is whole, or what to say instead."""
        try:
            first = await self._head(exchange)
        except StreamEnded as ended:
            return OF_STOP[ended.why.code]
        if first is None:
            return Answer.BODY_STALLED if self.awaits_visitor else Answer.TIMEOUT
        if not isinstance(first, Head):
            return Answer.BAD_HEAD
        try:
            head = rules.to_visitor(first.content)
        except BadHeadError:
            return Answer.BAD_HEAD
        exchange.on_fail = self.connection.reset  # the visitor may be one that does not read
        return await self._pass_on(exchange, head, first.end)

    async def _head(self, exchange: Exchange) -> StreamFrame | None:
        """The first frame of the response; None if nothing has moved for too long."""
        while True:
            since = self.moved_at
            try:
                async with asyncio.timeout_at(since + self.stalled_s):
                    return await exchange.next()
            except TimeoutError:
                if self.moved_at == since:
                    return None

    async def _pass_on(self, exchange: Exchange, head: ResponseHead, ended: bool) -> bool:
        left = rules.response_length(self.visit.head.method, head)
        lines = rules.encoded(head.headers)
        if self.uploading:
            lines.append((b"connection", b"close"))  # what is left of the body is no request
        await self.send({"type": "http.response.start", "status": head.status, "headers": lines})
        try:
            while left != 0 and not ended:
                frame = await exchange.next()
                if not isinstance(frame, Data):
                    break
                if left is not None:
                    left -= len(frame.payload)
                    if left < 0:
                        break
                ended = frame.end
                if frame.payload:
                    await self.send({"type": "http.response.body", "body": frame.payload, "more_body": True})
        except StreamEnded:
            return False
        if left == 0 or (left is None and ended):
            return True
        exchange.reset(Stop.PROTOCOL, "the response is not as long as it said")
        return False
