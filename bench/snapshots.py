"""What periodic snapshots cost a loaded process: ``python -m bench.snapshots``.

The work of the loop (rooms packed, the head, the hand-over) and of the writer's thread are measured apart, in
processor time of each thread, while games are played as fast as people play them: 25 rooms of 40 players who
all answer within the question. Prints the share of one processor, and what one room takes.
"""

import logging
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

import msgspec  # noqa: E402  (Django first)

from gateway import conf  # noqa: E402
from gateway.admission import Attempt, parse_query  # noqa: E402
from gateway.runtime import Admission, Runtime  # noqa: E402
from gateway.socket import Socket  # noqa: E402
from gateway.testing import RecordingPort, SeededDraw, VirtualClock  # noqa: E402
from rooms.core import snapshot  # noqa: E402
from rooms.core.room import Room  # noqa: E402
from rooms.core.saving import ROUND_S  # noqa: E402
from rooms.service import QuizGame  # noqa: E402
from rooms.snapshots.files import FileStore  # noqa: E402
from rooms.snapshots.keeper import Keeper  # noqa: E402

ROOMS = 25
PLAYERS = 40
QUESTIONS = 20
TICK_S = 0.05
LIMIT = 0.02
"""Of a loaded process: more would be felt as lag."""


class Meter:
    """A writer in our own thread: what it takes is counted, and not as the loop's."""

    failing = False
    busy = False

    def __init__(self, store: FileStore) -> None:
        self.writing_s = 0.0
        self.bytes = 0
        self._store = store

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        began = time.thread_time()
        self._store.write(head, rooms)
        self.writing_s += time.thread_time() - began
        self.bytes = sum(map(len, rooms.values()))


class Timed(VirtualClock):
    """Counts the time that the keeper's own calls take."""

    def __init__(self) -> None:
        super().__init__()
        self.keeping_s = 0.0

    def timed(self, call: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            began = time.thread_time()
            call()
            self.keeping_s += time.thread_time() - began

        return run


class KeeperClock:
    """The keeper's view of the clock."""

    def __init__(self, clock: Timed) -> None:
        self._clock = clock
        self.now = clock.now

    def call_later(self, delay: float, call: Callable[[], None]) -> object:
        return self._clock.call_later(delay, self._clock.timed(call))


class Port(RecordingPort):
    """Keeps the last frame alone and decodes none."""

    payload = b""

    def write(self, payload: bytes) -> None:
        if b'"NEW_QUESTION"' in payload or b'"ROOM_JOINED"' in payload:
            self.payload = payload


class Class:
    """One room of people who answer one after the other, spread over ten seconds."""

    def __init__(self, runtime: Runtime, number: int) -> None:
        self.runtime = runtime
        self.ports: list[Port] = []
        self.sockets: list[Socket] = []
        for player in range(PLAYERS):
            self._open(f"{number}-{player}")
        settings = {"questionCount": QUESTIONS, "secondsPerQuestion": 15}
        self._say(0, type="CREATE_ROOM", name="P0", settings=settings)
        code = msgspec.json.decode(self.ports[0].payload)["room"]["roomCode"]
        for player in range(1, PLAYERS):
            self._say(player, type="JOIN_ROOM", name=f"P{player}", roomCode=code)
        self._say(0, type="START_GAME")

    def answer(self, player: int) -> None:
        question = msgspec.json.decode(self.ports[player].payload)
        if question["type"] == "NEW_QUESTION":
            choice = question["choices"][player % len(question["choices"])]["id"]
            self._say(player, type="SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])

    def _open(self, name: str) -> None:
        attempt = Attempt(name, f"session:{name}", "203.0.113.9", "bench", parse_query(""))
        admission = self.runtime.admit(attempt)
        assert isinstance(admission, Admission), admission
        self.ports.append(Port())
        self.sockets.append(self.runtime.accept(admission, self.ports[-1]))
        self.runtime.open(admission, self.sockets[-1])

    def _say(self, player: int, **command: object) -> None:
        self.sockets[player].received(msgspec.json.encode(command))


def main() -> None:
    """Play and print."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        clock = Timed()
        meter = Meter(FileStore(Path(folder) / "rooms.snapshot"))
        keeper = Keeper(meter._store, KeeperClock(clock), 600, meter)  # type: ignore[arg-type]
        config = conf.build({"SESSION_CAP": 50, "IP_CAP": 10_000, "HEARTBEAT_INTERVAL_MS": 10**9})
        runtime = Runtime(partial(QuizGame, keeper=keeper), config, clock, SeededDraw(1))
        runtime.start()
        classes = [Class(runtime, number) for number in range(ROOMS)]
        _play(classes, clock)
    game = runtime.game
    assert isinstance(game, QuizGame)
    seconds = clock.now() - 1000.0
    writing = meter.writing_s
    loop_s = clock.keeping_s - writing
    share = (loop_s + writing) / seconds
    print(f"{ROOMS} rooms of {PLAYERS} players, {seconds:.0f} s of game, a round every {ROUND_S:g} s")
    print(f"the loop: {loop_s / seconds:.2%} of a processor, the writer's thread: {writing / seconds:.2%}")
    print(f"both: {share:.2%} (limit {LIMIT:.0%}); a snapshot has {meter.bytes / 1024:.0f} KiB")
    room = next(iter(game.lobby.rooms.values()))
    print(f"a room of {PLAYERS} after {QUESTIONS} questions: {_pack_us(room):.0f} µs")
    if share > LIMIT:
        raise SystemExit("snapshots cost too much")


def _play(classes: list[Class], clock: Timed) -> None:
    """Each player answers once in each question, a quarter of a second after the one before."""
    player_s = 10.0 / PLAYERS
    for _ in range(QUESTIONS):
        clock.advance(3.0)
        for player in range(PLAYERS):
            for room in classes:
                room.answer(player)
            for _ in range(round(player_s / TICK_S)):
                clock.advance(TICK_S)
        clock.advance(5.1)


def _pack_us(room: Room) -> float:
    """Within a question: what was played is encoded already."""
    packer = snapshot.Packer()
    took = []
    for _ in range(200):
        began = time.perf_counter()
        packer.pack(room, 0.0)
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e6


if __name__ == "__main__":
    main()
