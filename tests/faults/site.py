"""The site as the tests of its faults serve it: heartbeats in a tenth of the time, so that nobody waits, and
players who answer them while the test looks elsewhere.
"""

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from tests.faults.players import FRAME_S, Frame, Player, migrated, question
from tests.serving import Served, serving

SETTINGS = "tests.faults.site_settings"
QUICK = {"HEARTBEAT_INTERVAL_MS": 900, "HEARTBEAT_TIMEOUT_MS": 800}
"""A silent player is dead within 2.6 s instead of 18."""


class Awake(Player):
    """A player whose browser reads by itself, in a thread of its own, and answers every heartbeat."""

    def opens(self, **query: str) -> "Awake":
        super().opens(**query)
        self.heard: queue.Queue[Frame | int] = queue.Queue()
        self.beats = 0
        threading.Thread(target=self._read, args=(self.socket, self.heard), daemon=True).start()
        return self

    def hears(self, *types: str) -> Frame:
        while True:
            try:
                frame = self.heard.get(timeout=FRAME_S)
            except queue.Empty:
                raise AssertionError(f"{self.name} hears nothing of {types}") from None
            assert not isinstance(frame, int), (
                f"{self.name} is closed with {frame}, and hears nothing of {types}"
            )
            if frame["type"] in types:
                return frame

    def closed(self) -> int:
        while not isinstance(frame := self.heard.get(timeout=FRAME_S), int):
            pass
        return frame

    def _read(self, socket: ClientConnection, heard: "queue.Queue[Frame | int]") -> None:
        try:
            while True:
                frame = self._take(socket.recv())
                self.beats += frame["type"] == "HEARTBEAT"
                heard.put(frame)
        except ConnectionClosed as end:
            heard.put(end.rcvd.code if end.rcvd is not None else 1006)


@contextmanager
def site(
    tmp: Path, *arguments: str, rooms: dict[str, Any] | None = None, **environment: str
) -> Iterator[Served]:
    """A fresh site in ``tmp``, with its own database."""
    data = migrated(tmp.parent / "template", tmp / "data")
    given = {"SITE_GATEWAY": json.dumps(QUICK), "SITE_ROOMS": json.dumps(rooms or {}), **environment}
    with serving(SETTINGS, data, *arguments, **given) as server:
        yield server


def troubles(server: Served) -> list[str]:
    """The lines at WARNING and above, and everything of a traceback."""
    return [
        line for line in server.lines if any(word in line for word in (" WARNING ", " ERROR ", "Traceback"))
    ]


def starts(server: Served, *names: str) -> tuple[list[Awake], Frame]:
    """A room of these, the first of them its host, in the only question of a game."""
    players = [Awake(server, name).opens() for name in names]
    code = players[0].creates(questionCount=1, secondsPerQuestion=30)
    for player in players[1:]:
        player.joins(code)
    return players, question(players)


def answered(players: list[Awake], asked: Frame) -> None:
    """All of them have answered it."""
    for player in players:
        assert player.answers(asked)["type"] == "ANSWER_ACCEPTED"


def played(players: list[Awake]) -> None:
    """From the last question's results to the podium, without waiting."""
    players[0].hears("QUESTION_RESULTS")
    players[0].says("NEXT_QUESTION")
    for player in players:
        player.hears("GAME_FINISHED")
