"""The one place that the client dials, and HTTP/1.1 with it (spec 6.5).

h11 speaks the HTTP: nothing is decompressed, followed or proxied. What is said is in ``tunnel.client.pages``
and ``tunnel.client.sockets``. No Django.
"""

import asyncio
from typing import Final

import h11
from msgspec import Struct

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
