"""One request to the target over a connection of its own, body and response streaming (spec 6.1).

h11 speaks the HTTP: nothing is decompressed, followed or proxied. A connection a request costs little on
loopback, and no request can spoil the next one's. No Django.
"""

import asyncio
from typing import Final

import h11
from msgspec import Struct

from tunnel.client.journal import Entry, Journal
from tunnel.core import headers as rules
from tunnel.core.codec import FrameTooLargeError
from tunnel.core.frames import Data, Head, Headers, Open, ResponseHead, Stop
from tunnel.exchange import Exchange, StreamEnded

READ_BYTES: Final = 65_536
MAX_HEAD_BYTES: Final = 65_536
CONNECT_S: Final = 10.0


class Target(Struct, frozen=True):
    """The one place that the client dials."""

    host: str
    port: int

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection; raises `OSError`."""
        async with asyncio.timeout(CONNECT_S):
            return await asyncio.open_connection(self.host, self.port)


class Broken(Exception):
    """The target answered with something that is not HTTP, or broke off."""


class Http:
    """h11 on a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.conn = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)

    async def say(self, event: h11.Event) -> None:
        """Send an event; waits while the target does not read."""
        data = self.conn.send(event)
        if data:
            self.writer.write(data)
            await self.writer.drain()

    async def hear(self) -> h11.Event | type[h11.PAUSED]:
        """The next event; raises `Broken`."""
        while True:
            try:
                event = self.conn.next_event()
                if event is h11.NEED_DATA:
                    self.conn.receive_data(await self.reader.read(READ_BYTES))
                    continue
            except (h11.RemoteProtocolError, OSError) as error:
                raise Broken(str(error)) from error
            return event  # type: ignore[return-value]

    async def response(self) -> h11.Response | h11.InformationalResponse:
        """The response's head: a final one, or 101."""
        while True:
            event = await self.hear()
            if isinstance(event, h11.Response):
                return event
            if isinstance(event, h11.InformationalResponse):
                if event.status_code == 101:
                    return event
            else:
                raise Broken("it closed the connection without an answer")


async def serve_page(exchange: Exchange, frame: Open, target: Target, journal: Journal) -> None:
    """Carry one request to the target and its response back; never raises but for cancellation."""
    entry = journal.begin(frame.content)
    note = ""
    try:
        reader, writer = await target.connect()
    except (OSError, TimeoutError) as error:
        exchange.reset(Stop.REFUSED, f"cannot connect: {error}")
        exchange.close()
        journal.end(entry, f"cannot connect to {target.host}:{target.port}")
        return
    upload: asyncio.Task[None] | None = None
    try:
        http = Http(reader, writer)
        await http.say(request(frame, [*rules.to_target(frame.content), *_framing(frame)]))
        upload = asyncio.create_task(_upload(exchange, frame, http, entry, journal))
        await relay_response(exchange, http, await http.response(), entry, journal)
    except StreamEnded as ended:
        note = str(ended)
    except (Broken, h11.LocalProtocolError, FrameTooLargeError, OSError) as error:
        note = f"broken: {error}"
        exchange.reset(Stop.BROKEN, str(error)[:200])
    finally:
        if upload is not None:
            upload.cancel()
            await asyncio.gather(upload, return_exceptions=True)
        writer.transport.abort()
        exchange.close()
        journal.end(entry, note)


def request(frame: Open, lines: list[tuple[str, str]]) -> h11.Request:
    """The request's head for h11."""
    return h11.Request(
        method=frame.content.method, target=frame.content.target, headers=rules.encoded(tuple(lines))
    )


async def relay_response(
    exchange: Exchange,
    http: Http,
    response: h11.Response | h11.InformationalResponse,
    entry: Entry,
    journal: Journal,
) -> None:
    """A response from its head on."""
    if not isinstance(response, h11.Response):
        raise Broken("it answered 101 to a request for a page")
    lines = rules.from_target(rules.decoded(list(response.headers.raw_items())))
    head = ResponseHead(response.status_code, lines)
    empty = _is_empty(entry.head.method, head)
    journal.answered(entry, head.status, lines)
    if not await exchange.send(Head(exchange.id, head, end=empty)) or empty:
        return
    while True:
        event = await http.hear()
        if isinstance(event, h11.Data):
            entry.sent += len(event.data)
            if not await exchange.send(Data(exchange.id, bytes(event.data))):
                return
        elif isinstance(event, h11.EndOfMessage):
            await exchange.send(Data(exchange.id, b"", end=True))
            return
        else:
            raise Broken("it closed the connection in the middle")


def _is_empty(method: str, head: ResponseHead) -> bool:
    try:
        return rules.response_length(method, head) == 0
    except rules.BadHeadError as error:
        raise Broken(str(error)) from error


def _framing(frame: Open) -> Headers:
    """How the body is framed for the target: by its length if the visitor said one."""
    chunked = not frame.end and not rules.values(frame.content.headers, "content-length")
    return (("connection", "close"), *((("transfer-encoding", "chunked"),) if chunked else ()))


async def _upload(exchange: Exchange, frame: Open, http: Http, entry: Entry, journal: Journal) -> None:
    """The request's body; what goes wrong with it is told by the response, or by its absence."""
    ended = frame.end
    try:
        while not ended:
            piece = await exchange.next()
            if not isinstance(piece, Data):
                break
            ended = piece.end
            journal.keep(entry, piece.payload)
            if piece.payload:
                await http.say(h11.Data(data=piece.payload))
        await http.say(h11.EndOfMessage())
        await exchange.next()  # nothing but a reset can come: the visitor left
    except StreamEnded:
        http.writer.transport.abort()  # whoever reads the response sees it end
    except (h11.LocalProtocolError, OSError):
        return  # the target answered early and reads no more
