"""A client for the wire tests: one browser session, its sockets, and what it reads."""

import asyncio
import http.client
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.serving import Served

READ_S = 5.0
AGENT = "Mozilla/5.0 (tests)"


class Browser:
    """One session cookie at one server."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.cookie = self._visit()

    def _visit(self) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=READ_S)
        connection.request("GET", "/session")
        response = connection.getresponse()
        response.read()
        connection.close()
        return str(response.headers["Set-Cookie"]).partition(";")[0]

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        """A plain GET; the body is read into ``response.body``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=READ_S)
        connection.request("GET", path, headers={"Cookie": self.cookie, "User-Agent": AGENT, **headers})
        response = connection.getresponse()
        response.body = response.read()  # type: ignore[attr-defined]
        connection.close()
        return response

    def headers(self, **more: str) -> dict[str, str]:
        """The headers of an upgrade."""
        return {"Cookie": self.cookie, "Origin": self.server.http, **more}

    def url(self, **query: str) -> str:
        """The socket's address with a query."""
        return f"{self.server.ws}?{urlencode(query)}" if query else self.server.ws

    @asynccontextmanager
    async def socket(self, headers: dict[str, str] | None = None, **query: str) -> AsyncIterator["Wire"]:
        """An open socket past its ``CONNECTED``."""
        wire = await self.open(headers, **query)
        try:
            yield wire
        finally:
            await wire.raw.close()

    async def open(self, headers: dict[str, str] | None = None, **query: str) -> "Wire":
        """An open socket that the caller closes."""
        raw = await connect(
            self.url(**query),
            additional_headers=self.headers() if headers is None else headers,
            user_agent_header=AGENT,
            compression=None,
            ping_interval=None,
            max_queue=None,
        )
        wire = Wire(raw)
        wire.greeting = await wire.read()
        return wire

    async def refused(self, headers: dict[str, str] | None = None, **query: str) -> "Refused":
        """The refusal of an upgrade that must not succeed."""
        try:
            wire = await self.open(headers, **query)
        except InvalidStatus as error:
            return Refused(error)
        await wire.raw.close()
        raise AssertionError("the upgrade was not refused")


class Refused:
    """What a refused client can see."""

    def __init__(self, error: InvalidStatus) -> None:
        self.status = error.response.status_code
        self.headers = error.response.headers
        self.body = json.loads(error.response.body or b"{}")

    @property
    def code(self) -> str:
        """The code, which body and header must agree on."""
        assert self.body["code"] == self.headers["X-Flags-Reject-Reason"]
        return str(self.body["code"])


class Wire:
    """One socket, in frames."""

    greeting: dict[str, Any]

    def __init__(self, raw: ClientConnection) -> None:
        self.raw = raw

    async def send(self, type_: str, **fields: Any) -> None:
        """Send one command."""
        await self.raw.send(json.dumps({"type": type_, **fields}))

    async def read(self) -> dict[str, Any]:
        """The next frame, heartbeats left out."""
        while True:
            frame: dict[str, Any] = json.loads(await asyncio.wait_for(self.raw.recv(), READ_S))
            if frame["type"] != "HEARTBEAT":
                return frame

    async def read_at_hand(self) -> dict[str, Any] | None:
        """The next frame if it has arrived already, heartbeats left out."""
        while True:
            try:
                frame: dict[str, Any] = json.loads(await asyncio.wait_for(self.raw.recv(), 0.01))
            except TimeoutError:
                return None
            if frame["type"] != "HEARTBEAT":
                return frame

    async def read_until(self, type_: str) -> dict[str, Any]:
        """The next frame of a type."""
        while (frame := await self.read())["type"] != type_:
            pass
        return frame

    async def closed(self) -> tuple[int, str]:
        """Read to the end: the close code and reason as they came."""
        try:
            while True:
                await asyncio.wait_for(self.raw.recv(), READ_S)
        except ConnectionClosed as error:
            return (error.rcvd.code, error.rcvd.reason) if error.rcvd else (1006, "")
