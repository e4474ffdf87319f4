"""Rooms full of people who lose their sockets all at once, and come back all at once, each for its own seat.

``tests/faults/test_storm.py`` lets a few hundred do so, ``python -m bench.storm`` a thousand. Every room sits
behind one address, as a classroom does. Nothing here knows how the server does it: what is believed comes
from frames and from the server's ``/metrics``.
"""

import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from rooms.bots.room import RoomView
from rooms.bots.view import BotView
from tests.faults.lines import NOBODY, Line, upgrade
from tests.faults.players import AGENT, SITE
from tests.faults.players import until as until_true
from tests.serving import ROOT, Served, environment_of

TOKEN: Final = "storm"
"""``METRICS_TOKEN`` of the servers that are looked at."""
BACKOFF_S: Final = 1.2
"""From a lost socket to the try, and from one failed try to the next, as in ``gateway/phases.js``."""
OPENING_AT_ONCE: Final = 20
"""They did not all come at once when they came first."""
PATIENCE_S: Final = 60.0
"""For anything; a storm that takes longer is not over by itself."""
LOOK_S: Final = 0.02
Frame = dict[str, Any]
_decode: Final = msgspec.json.Decoder().decode


class Guest:
    """One browser with its session, its seat and what it believes of its room."""

    def __init__(self, number: int, room: int, cookie: str) -> None:
        self.number = number
        self.room = room
        self.view = BotView()
        self.line: Line | None = None
        self.sat: asyncio.Future[float] | None = None
        """When it sat again after the last loss; None before the first."""
        self.back_at: float | None = None
        """When the server that goes away has told it to come back."""
        self.statuses: Counter[int] = Counter()
        self.codes: Counter[int] = Counter()
        self._cookie = cookie

    async def opens(self, port: int, **query: str) -> bool:
        """A socket, with its ticket if it has one; whether it was let in."""
        asked = {"clientId": f"guest-{self.number}", **query, **self.view.ticket}
        try:
            line = await self._dial(port, asked, self._hears)
        except OSError:
            self.statuses[NOBODY] += 1
            return False
        self.line = line
        status = await line.status
        self.statuses[status] += 1
        return status == 101

    def says(self, type_: str, **fields: Any) -> None:
        assert self.line is not None, "opens() first"
        self.line.says(json.dumps({"type": type_, **fields}).encode())

    def answers(self) -> None:
        """The first choice."""
        question = self.view.room.snapshot["question"] if self.view.room is not None else {}
        choice = question["choices"][0]["id"]
        self.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])

    async def comes_back(self, port: int, first_s: float) -> None:
        """To its seat, as the web client does: a failed try is followed by the next."""
        assert self.line is not None
        assert self.sat is not None
        await self.line.code
        await asyncio.sleep(first_s if self.back_at is None else max(0.0, self.back_at - time.monotonic()))
        while not self.sat.done():
            if await self.opens(port):
                await asyncio.wait([self.line.code, self.sat], return_when=asyncio.FIRST_COMPLETED)
                if self.sat.done():
                    return
                self.codes[self.line.code.result()] += 1
            await asyncio.sleep(BACKOFF_S)

    async def looks(self, port: int) -> RoomView:
        """A fresh snapshot of its room, as the big screen of its account gets it."""
        seen: asyncio.Future[RoomView] = asyncio.get_running_loop().create_future()

        def hears(text: bytes) -> None:
            said = _decode(text)
            if said["type"] == "ROOM_STATE" and not seen.done():
                seen.set_result(RoomView.of(said["room"]))

        line = await self._dial(port, {}, hears)
        assert await line.status == 101
        line.says(json.dumps({"type": "WATCH_ROOM", "roomCode": self.view.code}).encode())
        async with asyncio.timeout(PATIENCE_S):
            fresh = await seen
        line.hangs_up()
        await line.code
        return fresh

    async def _dial(self, port: int, asked: dict[str, str], hears: Callable[[bytes], None]) -> Line:
        request = upgrade(port, f"/ws?{urlencode(asked)}", self._cookie, AGENT)
        home = (f"127.0.0.{2 + self.room}", 0)
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(
            lambda: Line(request, hears), "127.0.0.1", port, local_addr=home
        )
        return line

    def _hears(self, text: bytes) -> None:
        said: Frame = _decode(text)
        match said["type"]:
            case "HEARTBEAT":
                self.says("HEARTBEAT_RESPONSE", timestamp=said["timestamp"])
            case "SERVER_RESTARTING":
                self.back_at = time.monotonic() + said["retryAfterMs"] / 1000
            case "ROOM_STATE":
                self._sits(said)
            case _:
                self.view.receive(said)

    def _sits(self, said: Frame) -> None:
        """Whoever comes back to an open question that it has not answered does so at once."""
        before = self.view.user_id
        self.view.receive(said)
        if self.view.user_id != before:
            self.view.errors.append(f"{before} sits as {self.view.user_id}")
        if self.sat is not None and not self.sat.done():
            self.sat.set_result(time.monotonic())
            if self.view.phase == "question" and "answered" not in said["you"]:
                self.answers()


class Storm:
    """Everybody: ``rooms`` are lists of guests, the host first."""

    def __init__(self, server: Served, cookies: list[str], players: int) -> None:
        self.server = server
        guests = [Guest(number, number // players, cookie) for number, cookie in enumerate(cookies)]
        self.rooms = [guests[first : first + players] for first in range(0, len(guests), players)]

    @property
    def guests(self) -> list[Guest]:
        return [guest for room in self.rooms for guest in room]

    # ---------- until everybody plays

    async def begins(self, questions: int = 1) -> None:
        """All rooms are at their first question, still open; every second guest has answered it."""
        door = asyncio.Semaphore(OPENING_AT_ONCE)
        await asyncio.gather(*(self._fills(room, door, questions) for room in self.rooms))
        for host, *_ in self.rooms:
            host.says("START_GAME")
        await until(lambda: all(guest.view.phase == "question" for guest in self.guests))
        for guest in self.guests[1::2]:
            guest.answers()

    async def _fills(self, room: list[Guest], door: asyncio.Semaphore, questions: int) -> None:
        host, *others = room
        settings = {"questionCount": questions, "secondsPerQuestion": 30, "autoAdvance": False}
        await self._enters(host, door)
        host.says("CREATE_ROOM", name="Host", settings=settings)
        await until(lambda: bool(host.view.code))
        for guest in others:
            await self._enters(guest, door)
            guest.says("JOIN_ROOM", roomCode=host.view.code, name=f"Guest {guest.number}")
        await until(lambda: len(host.view.scores) == len(room) and all(g.view.ticket for g in room))

    async def _enters(self, guest: Guest, door: asyncio.Semaphore) -> None:
        async with door:
            assert await guest.opens(self.server.port), guest.statuses

    async def saved(self) -> None:
        """All rooms as they are now are safe from a crash: a round that began after this is written."""
        await asyncio.to_thread(self._saved)

    def _saved(self) -> None:
        def rounds() -> float:
            return scraped(self.server, "rooms_snapshots")["written"]

        first = rounds()
        until_true(lambda: rounds() >= first + 2)

    # ---------- the storm

    def forgets(self) -> None:
        """What is counted from now on belongs to the next storm."""
        for guest in self.guests:
            guest.sat, guest.back_at = asyncio.get_running_loop().create_future(), None
            guest.statuses.clear()
            guest.codes.clear()

    async def is_cut(self, first_s: float) -> float:
        """Every socket is cut in the same moment, which is returned; all come back after ``first_s``."""
        self.forgets()
        cut_at = time.monotonic()
        for guest in self.guests:
            assert guest.line is not None
            guest.line.hangs_up()
        await self._all_come_back(first_s)
        return cut_at

    async def outlives(self, end: Callable[[Served], Any], begin: Callable[[Served], Served]) -> float:
        """The server ends as ``end`` says and ``begin`` starts the next, meanwhile all try to come back.

        Returns the moment from which the next one listened.
        """
        self.forgets()

        def changes() -> float:
            before = self.server
            end(before)
            self.server = begin(before)
            return time.monotonic()

        changing = asyncio.create_task(asyncio.to_thread(changes))
        await self._all_come_back(BACKOFF_S)
        return await changing

    async def _all_come_back(self, first_s: float) -> None:
        port = self.server.port  # the next process has the same
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as back:
            for guest in self.guests:
                back.create_task(guest.comes_back(port, first_s))

    # ---------- what is left

    async def settles(self) -> list[str]:
        """Every room comes to the results of its question; where a view is not what a fresh one shows."""
        await until(lambda: all(guest.view.phase == "results" for guest in self.guests))
        found = await asyncio.gather(*(self._strays(room) for room in self.rooms))
        errors = [f"{guest.view.user_id}: {text}" for guest in self.guests for text in guest.view.errors]
        return [*errors, *(stray for strays in found for stray in strays)]

    async def goes_on(self) -> None:
        """The next question, until every second guest has answered it: as in `begins`."""
        for host, *_ in self.rooms:
            host.says("NEXT_QUESTION")
        await until(lambda: all(guest.view.phase == "question" for guest in self.guests))
        for guest in self.guests[1::2]:
            guest.answers()

    def seconds(self, since: float) -> list[float]:
        """How long each guest took to sit, in order."""
        return sorted(guest.sat.result() - since for guest in self.guests if guest.sat is not None)

    def refusals(self) -> Counter[str]:
        """What the guests were told on their tries: statuses of upgrades, codes of sockets before a seat."""
        told: Counter[str] = Counter()
        for guest in self.guests:
            for status, count in guest.statuses.items():
                if status not in (101, NOBODY):
                    told[f"HTTP {status}"] += count
            for code, count in guest.codes.items():
                told[f"close {code}"] += count
        return told

    async def leaves(self) -> None:
        """Everybody is gone."""
        lines = [guest.line for guest in self.guests if guest.line is not None]
        for line in lines:
            line.hangs_up()
        await asyncio.gather(*(line.code for line in lines))

    async def _strays(self, room: list[Guest]) -> list[str]:
        """A roster change may be told a moment late, to the guests and to the one who looks."""
        fresh = await room[0].looks(self.server.port)

        def strays() -> list[str]:
            return [text for guest in room for text in guest.view.strays_from(fresh)]

        try:
            await until(lambda: not strays())
        except TimeoutError:
            return strays()
        return []


async def until(true: Callable[[], bool]) -> None:
    """Wait for it; `TimeoutError` if it does not come."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110  (of a thousand views, whichever frame makes it true)
            await asyncio.sleep(LOOK_S)


def sessions(data: Path, count: int) -> list[str]:
    """The cookies of as many browsers, made in the site's database: a page for each takes far longer."""
    to = data / "cookies"
    program = [sys.executable, "-m", "bench.sessions", str(count), str(to)]
    subprocess.run(program, cwd=ROOT, env=environment_of(SITE, data), check=True, timeout=PATIENCE_S)
    return to.read_text().splitlines()


def scraped(server: Served, family: str) -> dict[str, float]:
    """The samples of a labelled counter in the server's ``/metrics``, by the value of its one label."""
    request = urllib.request.Request(f"{server.http}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        text = answer.read().decode()
    found = re.findall(rf'^{family}_total{{\w+="([^"]*)"}} (\S+)$', text, re.MULTILINE)
    return {label: float(number) for label, number in found}
