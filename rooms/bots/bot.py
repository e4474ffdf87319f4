"""One bot: a browser session, a socket, a player that answers at random after a human moment."""

import asyncio
import http.cookiejar
import json
import random
import urllib.request
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from rooms.bots.view import BotView, Frame

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
        self._socket: ClientConnection | None = None
        self._answers: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Get a session as a browser does, then the socket."""
        cookie = await asyncio.to_thread(self._visit)
        local = (f"127.0.0.{2 + self._number % LOOPBACKS}", 0) if "//127.0.0.1:" in self.site else None
        self._socket = await connect(
            self.site.replace("http", "ws", 1) + "/ws",
            additional_headers={"Cookie": cookie, "Origin": self.site},
            user_agent_header=AGENT,
            compression=None,
            ping_interval=None,
            max_queue=None,
            open_timeout=OPEN_S,
            **({"local_addr": local} if local else {}),
        )

    async def play(self) -> None:
        """Read until the game is over and its last roster news are in, or the socket ends."""
        assert self._socket is not None, "open() first"
        try:
            while self.view.phase != "GAME_FINISHED":
                await self._hear(json.loads(await self._socket.recv()))
            async with asyncio.timeout(LAST_NEWS_S):
                while True:
                    await self._hear(json.loads(await self._socket.recv()))
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

    async def close(self) -> None:
        """Leave as a page does."""
        for task in self._answers:
            task.cancel()
        if self._socket is not None:
            await self._socket.close(1000, "User disconnected")

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
