"""One bot: a browser session, a socket, a player that answers at random after a human moment."""

import asyncio
import http.cookiejar
import json
import random
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from rooms.bots.room import Frame, RoomView
from rooms.bots.view import BotView

AGENT: Final = "Mozilla/5.0 (Halyard bot)"
OPEN_S: Final = 30.0
LAST_NEWS_S: Final = 2.0
"""Roster changes are told a quarter of a second late; a loaded server may need longer."""
LOOPBACKS: Final = 200
"""Bots on the same machine come from as many loopback addresses, so that they are no crowd behind one."""


class Bot:
    """``slowest_s`` is the longest that it thinks about an answer."""

    def __init__(self, site: str, name: str, number: int, slowest_s: float) -> None:
        self.site = site
        self.name = name
        self.view = BotView()
        self.changed = asyncio.Event()
        self._number = number
        self._slowest_s = slowest_s
        self._cookie = ""
        self._socket: ClientConnection | None = None
        self._comes_back: Callable[[], Awaitable[None]] | None = None
        self._answers: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Get a session as a browser does, then the socket."""
        self._cookie = await asyncio.to_thread(self._visit)
        self._socket = await self._connect(clientId=f"bot-{self._number}")

    async def play(self) -> None:
        """Read until the game is over and its last roster news are in, or the socket ends."""
        assert self._socket is not None, "open() first"
        try:
            while self.view.phase != "finished":
                await self._hear(await self._next())
            async with asyncio.timeout(LAST_NEWS_S):
                while True:
                    await self._hear(await self._next())
        except TimeoutError:
            pass  # the news are in
        except ConnectionClosed as closed:
            self.view.errors.append(f"closed {closed.rcvd.code if closed.rcvd else 1006}")
        finally:
            self.changed.set()

    async def say(self, type_: str, **fields: Any) -> None:
        """Send one command."""
        assert self._socket is not None, "open() first"
        await self._socket.send(json.dumps({"type": type_, **fields}))

    async def drop(self) -> None:
        """Lose the network and come back with the ticket, as a phone does: the seat is in grace meanwhile."""
        assert self._socket is not None, "open() first"
        self._comes_back = self._claim
        self._socket.transport.abort()

    async def reload(self) -> None:
        """Go away and join again, as a page does: of a host the role moves on, and comes back."""
        assert self._socket is not None, "open() first"
        self._comes_back = self._rejoin
        await self._socket.close(1001)

    async def look(self) -> RoomView:
        """A fresh snapshot of the room, as the big screen of this account gets it."""
        async with await self._connect() as screen:
            await screen.send(json.dumps({"type": "WATCH_ROOM", "roomCode": self.view.code}))
            async with asyncio.timeout(OPEN_S):
                while True:
                    frame = json.loads(await screen.recv())
                    if frame["type"] == "ROOM_STATE":
                        return RoomView.of(frame["room"])

    async def close(self) -> None:
        """Leave as a page does."""
        for task in self._answers:
            task.cancel()
        if self._socket is not None:
            await self._socket.close(1000, "User disconnected")

    async def _next(self) -> Frame:
        """The next frame, of the next socket if this one was dropped on purpose."""
        while True:
            assert self._socket is not None, "open() first"
            try:
                frame: Frame = json.loads(await self._socket.recv())
            except ConnectionClosed:
                if self._comes_back is None:
                    raise
                again, self._comes_back = self._comes_back, None
                await again()
            else:
                return frame

    async def _claim(self) -> None:
        self._socket = await self._connect(clientId=f"bot-{self._number}", **self.view.ticket)

    async def _rejoin(self) -> None:
        self._socket = await self._connect(clientId=f"bot-{self._number}")
        await self.say("JOIN_ROOM", roomCode=self.view.code, name=self.name)

    async def _connect(self, **query: str) -> ClientConnection:
        local = (f"127.0.0.{2 + self._number % LOOPBACKS}", 0) if "//127.0.0.1:" in self.site else None
        return await connect(
            f"{self.site.replace('http', 'ws', 1)}/ws?{urlencode(query)}",
            additional_headers={"Cookie": self._cookie, "Origin": self.site},
            user_agent_header=AGENT,
            compression=None,
            ping_interval=None,
            max_queue=None,
            open_timeout=OPEN_S,
            **({"local_addr": local} if local else {}),
        )

    async def _hear(self, frame: Frame) -> None:
        if frame["type"] == "HEARTBEAT":
            await self.say("HEARTBEAT_RESPONSE", timestamp=frame["timestamp"])
            return
        self.view.receive(frame)
        self.changed.set()
        if frame["type"] == "NEW_QUESTION":
            task = asyncio.create_task(self._answer(frame))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)

    async def _answer(self, question: Frame) -> None:
        await asyncio.sleep(random.uniform(0, self._slowest_s))
        choice = random.choice(question["choices"])["id"]
        await self.say("SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])

    def _visit(self) -> str:
        jar = http.cookiejar.CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        opener.addheaders = [("User-Agent", AGENT)]
        with opener.open(self.site + "/host", timeout=OPEN_S):
            return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
