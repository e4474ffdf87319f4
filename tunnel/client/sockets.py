"""One WebSocket to the target: the handshake by h11, the frames by websockets, pieces passed on as they come.

Fragments stay fragments, so that no message is kept whole here. The visitor's close code and reason reach the
target and the other way round. No Django.
"""

import asyncio
from contextlib import suppress
from typing import Final

import h11
from websockets.client import ClientProtocol
from websockets.exceptions import ProtocolError as FrameError
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import WebSocketURI
from websockets.utils import accept_key

from tunnel.client.calls import Call
from tunnel.client.target import READ_BYTES, Broken
from tunnel.core import headers as rules
from tunnel.core.frames import Accepted, Closing, Data, Headers, Open, WsAccept, WsClose
from tunnel.core.link import MAX_MESSAGE_BYTES

OURS: Final = frozenset({"sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions"})
"""Lines of the handshake that hold between two neighbours alone."""
NO_CODE: Final = 1005
DROPPED: Final = 1006
CLOSE_S: Final = 2.0
"""How long the target may take to answer a close."""


async def carry_socket(call: Call) -> str:
    """A `calls.Carry`: until either side ends the socket, or with the target's refusal."""
    uri = WebSocketURI(False, call.http.writer.get_extra_info("peername")[0], 0, "/", "")
    conn = ClientProtocol(uri, state=State.OPEN, max_size=MAX_MESSAGE_BYTES)
    conn.debug = False
    await call.ask(_upgrade(call.frame, conn.key))
    await call.http.say(h11.EndOfMessage())
    response = await call.http.response()
    if isinstance(response, h11.Response):
        await call.pass_on(response)
        return "refused"
    lines = rules.decoded(list(response.headers.raw_items()))
    if rules.values(lines, "sec-websocket-accept") != [accept_key(conn.key)]:
        raise Broken("its answer to the upgrade is not that of a WebSocket")
    chosen = rules.values(lines, "sec-websocket-protocol")
    call.journal.answered(call.entry, 101, lines)
    accepted = Accepted(chosen[0] if chosen else None, rules.from_target(lines))
    await call.exchange.send(WsAccept(call.exchange.id, accepted))
    return await _Socket(call, conn).run(call.http.conn.trailing_data[0])


def _upgrade(frame: Open, key: str) -> Headers:
    kept = [(name, value) for name, value in rules.to_target(frame.content) if name not in OURS]
    own: Headers = (
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", key),
    )
    return (*kept, *own)


class _Socket:
    """An open WebSocket to the target."""

    def __init__(self, call: Call, conn: ClientProtocol) -> None:
        self.exchange = call.exchange
        self.conn = conn
        self.reader = call.http.reader
        self.writer = call.http.writer
        self.entry = call.entry
        self.text = False

    async def run(self, early: bytes) -> str:
        """Until either side has ended it; returns how, for people."""
        down = asyncio.create_task(self._down(early))
        up = asyncio.create_task(self._up())
        try:
            await asyncio.wait([down, up], return_when=asyncio.FIRST_COMPLETED)
            if up.done() and not down.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(down), CLOSE_S)
            return up.result() if up.done() else down.result()
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)

    async def _up(self) -> str:
        """From the visitor to the target."""
        first = True
        while True:
            frame = await self.exchange.next()
            if isinstance(frame, WsClose):
                await self._close(frame.content)
                return f"closed by the visitor, {frame.content.code}"
            if not isinstance(frame, Data):
                raise Broken(f"a {type(frame).__name__} on an open WebSocket")
            if self.conn.state is not State.OPEN:
                return "closed"
            if not first:
                self.conn.send_continuation(frame.payload, frame.fin)
            elif frame.text:
                self.conn.send_text(frame.payload, frame.fin)
            else:
                self.conn.send_binary(frame.payload, frame.fin)
            first = frame.fin
            await self._flush()

    async def _close(self, closing: Closing) -> None:
        if closing.code == DROPPED or self.conn.state is not State.OPEN:
            self.writer.transport.abort()
            return
        try:
            self.conn.send_close(None if closing.code == NO_CODE else closing.code, closing.reason)
        except FrameError:
            self.conn.send_close()
        await self._flush()

    async def _down(self, data: bytes) -> str:
        """From the target to the visitor."""
        while True:
            self.conn.receive_data(data)
            for event in self.conn.events_received():
                if isinstance(event, Frame):
                    await self._frame(event)
            await self._flush()
            if self.conn.close_rcvd is not None or self.conn.parser_exc is not None:
                return await self._ended()
            data = await self.reader.read(READ_BYTES)
            if not data:
                await self.exchange.send(WsClose(self.exchange.id, Closing(DROPPED)))
                return "dropped by the site"

    async def _frame(self, frame: Frame) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self.text = frame.opcode is Opcode.TEXT
        elif frame.opcode is not Opcode.CONT:
            return  # websockets answers pings; the close is looked at when all before it has gone
        payload = bytes(frame.data)
        self.entry.sent += len(payload)
        await self.exchange.send(Data(self.exchange.id, payload, fin=frame.fin, text=self.text))

    async def _ended(self) -> str:
        close = self.conn.close_rcvd or self.conn.close_sent
        code, reason = (DROPPED, "") if close is None else (int(close.code), close.reason)
        await self.exchange.send(WsClose(self.exchange.id, Closing(code, reason)))
        return f"closed by the site, {code}"

    async def _flush(self) -> None:
        self.writer.write(b"".join(self.conn.data_to_send()))
        await self.writer.drain()
