"""One stream of the tunnel as a call to the target: the same beginning and end for pages and for sockets.

A connection a call costs little on loopback, and no call can spoil the next one's. Also the response, which a
refused WebSocket gets as well. No Django.
"""

import asyncio
from collections.abc import Awaitable, Callable

import h11
from msgspec import Struct

from tunnel.client.journal import Entry, Journal
from tunnel.client.target import Broken, Http, Target
from tunnel.core import headers as rules
from tunnel.core.codec import FrameTooLargeError
from tunnel.core.frames import Data, Head, Headers, Open, ResponseHead, Stop
from tunnel.exchange import Exchange, StreamEnded


class Call(Struct, frozen=True):
    """One request on its way to the target, over ``http``."""

    exchange: Exchange
    frame: Open
    http: Http
    entry: Entry
    journal: Journal

    async def ask(self, lines: Headers) -> None:
        """Send the request's head."""
        head = self.frame.content
        await self.http.say(h11.Request(method=head.method, target=head.target, headers=rules.encoded(lines)))

    async def pass_on(self, response: h11.Response) -> None:
        """A response, from its head on."""
        lines = rules.from_target(rules.decoded(list(response.headers.raw_items())))
        head = ResponseHead(response.status_code, lines)
        empty = _is_empty(self.frame.content.method, head)
        self.journal.answered(self.entry, head.status, lines)
        if not await self.exchange.send(Head(self.exchange.id, head, end=empty)) or empty:
            return
        while True:
            event = await self.http.hear()
            if isinstance(event, h11.Data):
                self.entry.sent += len(event.data)
                if not await self.exchange.send(Data(self.exchange.id, bytes(event.data))):
                    return
            elif isinstance(event, h11.EndOfMessage):
                await self.exchange.send(Data(self.exchange.id, b"", end=True))
                return
            else:
                raise Broken("it closed the connection in the middle")


Carry = Callable[[Call], Awaitable[str]]
"""Carries a call to its end; returns how it ended, for people."""


async def serve(carry: Carry, exchange: Exchange, frame: Open, target: Target, journal: Journal) -> None:
    """One stream; never raises but for cancellation."""
    entry = journal.begin(frame.content)
    note = "cut off"
    writer: asyncio.StreamWriter | None = None
    try:
        reader, writer = await target.connect()
        note = await carry(Call(exchange, frame, Http(reader, writer), entry, journal))
    except StreamEnded as ended:
        note = str(ended)
    except (Broken, h11.LocalProtocolError, FrameTooLargeError, OSError) as error:
        note = f"broken: {error}" if writer else f"cannot connect to {target.host}:{target.port}"
        exchange.reset(Stop.BROKEN if writer else Stop.REFUSED, str(error)[:200])
    finally:
        if writer is not None:
            writer.transport.abort()
        exchange.close()
        journal.end(entry, note)


def _is_empty(method: str, head: ResponseHead) -> bool:
    try:
        return rules.response_length(method, head) == 0
    except rules.BadHeadError as error:
        raise Broken(str(error)) from error
