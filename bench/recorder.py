"""What the flight recorder costs: ``python -m bench.recorder``.

The inbound path, from bytes at a socket to the last port, with a recorder and without one, question by
question in turns, so that the machine's mood is in both. Prints the median of the ratios and, of the room
that was recorded, what the tape weighs and what a replay takes.
"""

import logging
import os
import statistics
import time
from collections.abc import Iterator
from functools import partial

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

import msgspec  # noqa: E402  (Django first)

from gateway import conf  # noqa: E402
from gateway.admission import Attempt, parse_query  # noqa: E402
from gateway.runtime import Admission, Runtime  # noqa: E402
from gateway.socket import Socket  # noqa: E402
from gateway.testing import RecordingPort, SeededDraw, VirtualClock  # noqa: E402
from rooms.core.recording import Recorder, replay  # noqa: E402
from rooms.recorder import recorder  # noqa: E402
from rooms.service import QuizGame  # noqa: E402

PLAYERS = 20
QUESTIONS = 10
GAMES = 60


class Port(RecordingPort):
    """Keeps the last frame alone and decodes none: what a transport does is not measured."""

    payload = b""

    def write(self, payload: bytes) -> None:
        """Take it."""
        if b'"NEW_QUESTION"' in payload or b'"ROOM_JOINED"' in payload:
            self.payload = payload


class Table:
    """A room with its players; a game is played by answering at once."""

    def __init__(self, kept: Recorder | None) -> None:
        self.clock = VirtualClock()
        config = conf.build({"SESSION_CAP": 50, "HEARTBEAT_INTERVAL_MS": 10**9})
        self.runtime = Runtime(partial(QuizGame, recorder=kept), config, self.clock, SeededDraw(1))
        self.ports: list[Port] = []
        self.sockets: list[Socket] = []
        for number in range(PLAYERS):
            self._open(number)
        self._say(0, type="CREATE_ROOM", name="P0", settings={"questionCount": QUESTIONS})
        code = msgspec.json.decode(self.ports[0].payload)["room"]["roomCode"]
        for number in range(1, PLAYERS):
            self._say(number, type="JOIN_ROOM", name=f"P{number}", roomCode=code)
        self.clock.advance(1)

    def play(self) -> Iterator[float]:
        """One game; of each question the microseconds that an answer took."""
        self._say(0, type="START_GAME")
        self.clock.advance(3.1)
        for _ in range(QUESTIONS):
            frames = [self._answer(port, who) for who, port in enumerate(self.ports)]
            begun = time.perf_counter()
            for socket, frame in zip(self.sockets, frames, strict=True):
                socket.received(frame)
            yield (time.perf_counter() - begun) / PLAYERS * 1e6
            self.clock.advance(16)
        self._say(0, type="STOP_GAME")
        self.clock.advance(60)

    def _open(self, number: int) -> None:
        attempt = Attempt(f"s{number}", f"session:s{number}", "203.0.113.9", "bench", parse_query(""))
        admission = self.runtime.admit(attempt)
        assert isinstance(admission, Admission), admission
        self.ports.append(Port())
        self.sockets.append(self.runtime.accept(admission, self.ports[-1]))
        self.runtime.open(admission, self.sockets[-1])

    def _say(self, who: int, **command: object) -> None:
        self.sockets[who].received(msgspec.json.encode(command))

    def _answer(self, port: Port, who: int) -> bytes:
        question = msgspec.json.decode(port.payload)
        choice = question["choices"][who % len(question["choices"])]["id"]
        answer = {"type": "SUBMIT_ANSWER", "questionId": question["questionId"], "choices": [choice]}
        return msgspec.json.encode(answer)


def main() -> None:
    """Measure and print."""
    kept = recorder()
    assert kept is not None, "ROOMS wants no recorder"
    logging.disable(logging.CRITICAL)
    plain, recorded = Table(None), Table(kept)
    pairs: list[tuple[float, float]] = []
    for game in range(GAMES):
        # Whoever goes first finds the caches cold.
        first, second = (plain, recorded) if game % 2 else (recorded, plain)
        both = zip(first.play(), second.play(), strict=True)
        pairs += [(a, b) if first is plain else (b, a) for a, b in both]
    ratio = statistics.median(b / a for a, b in pairs)
    usual = statistics.median(a for a, _ in pairs)
    print(f"an answer: {usual:.1f} µs; recorded: {ratio - 1:+.1%} ({len(pairs)} pairs)")
    _print_tape(kept)


def _print_tape(kept: Recorder) -> None:
    (room_id,) = kept.tapes
    recorded = kept.take(room_id)
    assert recorded is not None
    begun = time.perf_counter()
    steps = sum(1 for _ in replay(recorded.restore(), recorded.steps))
    took = (time.perf_counter() - begun) * 1e3
    print(f"the tape: {steps} steps, {kept.weight / 1024:.0f} KiB, replayed in {took:.0f} ms")


if __name__ == "__main__":
    main()
