"""People at the real site whose server dies under them: their sessions, seats and sockets, and what they saw.

Each step is one call that waits for what it must see; nothing here sleeps.
"""

import http.client
import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.serving import Served, manage, session_cookie

SITE = "quizsite.settings"
AGENT = "Mozilla/5.0 (tests)"
FRAME_S = 15.0
"""No frame that a test waits for takes longer."""
PATIENCE_S = 20.0
"""Nor does anything else."""
Frame = dict[str, Any]


def migrated(template: Path, data: Path) -> Path:
    """A data folder with a database, made once in ``template`` and copied."""
    if not (template / "halyard.sqlite3").exists():
        template.mkdir(parents=True, exist_ok=True)
        made = manage(SITE, template, "migrate", "--no-input", "--verbosity", "0")
        assert made.returncode == 0, made.stderr
    shutil.copytree(template, data)
    return data


def until(true: Callable[[], bool]) -> None:
    """Wait for it."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.01)


class Player:
    """One browser. ``log`` is all that it was told, over all its sockets."""

    socket: ClientConnection
    joined: Frame

    def __init__(self, server: Served, name: str) -> None:
        self.server = server
        self.name = name
        self.log: list[Frame] = []
        self.cookie = self._visit()

    # ---------- sockets

    def opens(self, **query: str) -> "Player":
        opening = connect(
            f"{self.server.ws}?{urlencode({'clientId': f'tab-{self.name}', **query})}",
            additional_headers={"Cookie": self.cookie, "Origin": self.server.http},
            user_agent_header=AGENT,
            compression=None,
            ping_interval=None,
        )
        self.socket = opening.__enter__()  # open until the server, or the test's end, closes it
        return self

    def comes_back(self, server: Served) -> Frame:
        """To its seat, with the ticket; the room as it is told."""
        self.server = server
        self.opens(
            roomId=self.joined["room"]["roomId"],
            playerSeatId=self.joined["seatId"],
            reconnectToken=self.joined["reconnectToken"],
        )
        return self.hears("ROOM_STATE")

    def refused(self) -> int:
        """The status of an upgrade that is not let in."""
        try:
            self.opens()
        except InvalidStatus as error:
            return error.response.status_code
        raise AssertionError("the upgrade was not refused")

    def closed(self) -> int:
        """Read to the end; the code of the close, 1006 without one."""
        try:
            while True:
                self._take(self.socket.recv(FRAME_S))
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd is not None else 1006

    # ---------- frames

    def says(self, type_: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": type_, **fields}))

    def hears(self, *types: str) -> Frame:
        """The next frame of one of these types; pings are answered on the way."""
        end = time.monotonic() + FRAME_S
        while time.monotonic() < end:
            frame = self._take(self.socket.recv(FRAME_S))
            if frame["type"] in types:
                return frame
        raise AssertionError(
            f"{self.name} hears nothing of {types}, only {[frame['type'] for frame in self.log]}"
        )

    def creates(self, **settings: Any) -> str:
        """A room; its code."""
        self.says("CREATE_ROOM", name=self.name, settings=settings)
        self.joined = self.hears("ROOM_JOINED")
        code: str = self.joined["room"]["roomCode"]
        return code

    def joins(self, code: str) -> None:
        self.says("JOIN_ROOM", roomCode=code, name=self.name)
        self.joined = self.hears("ROOM_JOINED")

    def answers(self, question: Frame, choice: int = 0) -> Frame:
        """What is said to the answer."""
        choices = [question["choices"][choice]["id"]]
        self.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=choices)
        return self.hears("ANSWER_ACCEPTED", "ERROR")

    def _take(self, data: str | bytes) -> Frame:
        frame: Frame = json.loads(data)
        self.log.append(frame)
        if frame["type"] == "HEARTBEAT":
            self.says("HEARTBEAT_RESPONSE", timestamp=frame["timestamp"])
        return frame

    def _visit(self) -> str:
        page = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=FRAME_S)
        page.request("GET", "/host", headers={"User-Agent": AGENT})
        response = page.getresponse()
        response.read()
        page.close()
        return session_cookie(response.headers.get_all("Set-Cookie", []))


def table(server: Served, names: tuple[str, ...], **settings: Any) -> list[Player]:
    """People in one room, the first of them its host."""
    host, *others = players = [Player(server, name).opens() for name in names]
    code = host.creates(**settings)
    for player in others:
        player.joins(code)
    return players


def question(players: Sequence[Player]) -> Frame:
    """The host starts, and everybody sees the first question."""
    players[0].says("START_GAME")
    return [player.hears("NEW_QUESTION") for player in players][-1]
