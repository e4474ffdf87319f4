"""A WebSocket visitor and the peer: messages both ways, with the code and reason of the end (spec 6.2).

A message is whole before it is sent on, for ASGI knows no fragments; its size is bounded by the server and by
``tunnel.core.link``.
"""

import asyncio
from typing import Any

from gateway.transports.port import EXTENSION
from tunnel.core import headers as rules
from tunnel.core.codec import FrameTooLargeError
from tunnel.core.frames import Closing, Data, Head, ResponseHead, Stop, StreamFrame, WsAccept, WsClose
from tunnel.core.headers import BadHeadError
from tunnel.exchange import Exchange, StreamEnded
from tunnel.relay.answers import OF_STOP, Answer, send_websocket
from tunnel.relay.peer import Peer
from tunnel.relay.visit import Visit

NO_CODE = 1005
DROPPED = 1006
INVALID_TEXT = 1007
NOT_ON_THE_WIRE = frozenset({1004, NO_CODE, DROPPED, 1015})


class SocketVisit:
    """One WebSocket on its way."""

    def __init__(self, visit: Visit, peer: Peer, scope: Any, receive: Any, send: Any) -> None:
        self.visit = visit
        self.peer = peer
        self.scope = scope
        self.receive = receive
        self.send = send
        self.accepted = False
        self.left = False

    async def serve(self, answer_s: float) -> None:
        """Until either side has ended the socket."""
        try:
            exchange = self.peer.open(self.visit.head, end=False)
        except FrameTooLargeError:
            await self._refuse(Answer.HEAD_TOO_LARGE)
            return
        listening = asyncio.create_task(self._listen(exchange))
        try:
            async with asyncio.timeout(answer_s):
                first = await exchange.next()
            await self._answered(exchange, first)
        except TimeoutError:
            await self._refuse(Answer.TIMEOUT)
        except StreamEnded as ended:
            await self._broken(ended)
        except BadHeadError:
            await self._refuse(Answer.BAD_HEAD)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            self.peer.close(exchange)

    async def _answered(self, exchange: Exchange, first: StreamFrame) -> None:
        match first:
            case WsAccept(content=content):
                lines = rules.encoded(rules.to_socket_visitor(content.headers))
                offered = self.scope.get("subprotocols") or []
                if content.subprotocol is not None and content.subprotocol not in offered:
                    raise BadHeadError(f"the subprotocol {content.subprotocol!r} was not offered")
                self.accepted = True
                await self.send(
                    {"type": "websocket.accept", "subprotocol": content.subprotocol, "headers": lines}
                )
                exchange.on_fail = self._abort
                await self._talk(exchange)
            case Head(content=content, end=end):
                await self._refused_by_target(exchange, rules.to_visitor(content), end)
            case _:
                raise BadHeadError(f"a {type(first).__name__} in answer to an upgrade")

    async def _refused_by_target(self, exchange: Exchange, head: ResponseHead, end: bool) -> None:
        if "websocket.http.response" not in (self.scope.get("extensions") or {}):
            await self.send({"type": "websocket.close", "code": 1008})
            return
        lines = rules.encoded(head.headers)
        start = {"type": "websocket.http.response.start", "status": head.status, "headers": lines}
        await self.send(start)
        while not end:
            frame = await exchange.next()
            if not isinstance(frame, Data):
                break
            end = frame.end
            if frame.payload:
                await self.send(
                    {"type": "websocket.http.response.body", "body": frame.payload, "more_body": True}
                )
        await self.send({"type": "websocket.http.response.body", "body": b"", "more_body": False})

    async def _talk(self, exchange: Exchange) -> None:
        pieces: list[bytes] = []
        while True:
            frame = await exchange.next()
            match frame:
                case Data():
                    pieces.append(frame.payload)
                    if not frame.fin:
                        continue
                    if not await self._message(b"".join(pieces), frame.text):
                        return
                    pieces.clear()
                case WsClose(content=content):
                    await self._close(content)
                    return
                case _:
                    return

    async def _message(self, data: bytes, text: bool) -> bool:
        try:
            content = {"text": data.decode()} if text else {"bytes": data}
        except UnicodeDecodeError:
            await self.send({"type": "websocket.close", "code": INVALID_TEXT, "reason": "text is not UTF-8"})
            return False
        await self.send({"type": "websocket.send", **content})
        return True

    async def _close(self, closing: Closing) -> None:
        if closing.code == DROPPED:
            await self._drop()
            return
        code = 1000 if closing.code in NOT_ON_THE_WIRE else closing.code
        await self.send({"type": "websocket.close", "code": code, "reason": closing.reason})

    async def _broken(self, ended: StreamEnded) -> None:
        if self.left:
            return
        if self.accepted:
            await self._drop()
        else:
            await self._refuse(OF_STOP[ended.why.code])

    async def _drop(self) -> None:
        """As a lost network would: the visitor's own code decides whether to come back."""
        if not self._abort():
            await self.send({"type": "websocket.close", "code": 1014, "reason": "tunnel lost"})

    def _abort(self) -> bool:
        port = (self.scope.get("extensions") or {}).get(EXTENSION)
        if port is not None:
            port.abort()
        return port is not None

    async def _refuse(self, answer: Answer) -> None:
        await send_websocket(answer, self.scope, self.visit.headers, self.send)

    async def _listen(self, exchange: Exchange) -> None:
        while True:
            event = await self.receive()
            match event["type"]:
                case "websocket.receive":
                    text = event.get("text")
                    payload = event["bytes"] if text is None else text.encode()
                    if not await exchange.send(Data(exchange.id, payload, fin=True, text=text is not None)):
                        return
                case "websocket.disconnect":
                    self.left = True
                    await self._leave(exchange, event.get("code") or NO_CODE, event.get("reason") or "")
                    return
                case _:
                    pass  # websocket.connect

    async def _leave(self, exchange: Exchange, code: int, reason: str) -> None:
        if self.accepted:
            await exchange.send(WsClose(exchange.id, Closing(code, reason)))
        exchange.reset(Stop.CANCELLED)
