"""One room on a virtual clock: the server's own `Runtime` and `QuizGame`, with simulated players around them.

Nothing of the server is copied: its rules, numbers and close codes are what the imported code says. Only
time, network and chance are ours. Nothing here touches a live room, and nothing waits.
"""

import logging
from contextvars import ContextVar
from typing import Final

from msgspec import Struct

from debugger.browser import Browser
from debugger.clock import SimulationClock
from debugger.recorder import TRAFFIC, Recorder
from debugger.scenario import QUESTIONS, Act, Action, Scenario
from debugger.timeline import Snapshot, Timeline
from debugger.watch import Watch, limits_of
from gateway import conf
from gateway.alarm import Clock
from gateway.conf import Config
from gateway.contract import FrameClass, Sockets
from gateway.runtime import Runtime
from gateway.testing import SeededDraw
from rooms.core.messages import CreateRoom, JoinRoom
from rooms.core.shapes import SettingsPatch
from rooms.service import QuizGame

BUSY_TICK_S: Final = 0.1
"""How often the filler of a busy game comes."""
SECOND_MS: Final = 1000
"""A snapshot is due at least this often: budgets refill although nothing happens."""
SIMULATED_LOGGERS: Final = ("gateway", "rooms")

_simulating: ContextVar[bool] = ContextVar("simulating", default=False)

WORDS: Final[dict[Act, str]] = {
    Act.START_GAME: "Starts the game",
    Act.DISCONNECTS: "Loses the network",
    Act.MISSES_HEARTBEATS: "Misses heartbeats: the network swallows everything",
    Act.RECONNECTS: "Reconnects: network and page are back",
    Act.SENDS_OVERSIZED: "Sends an oversized message",
    Act.FLOODS_ANSWERS: "Floods answers",
    Act.STOPS_READING: "Stops reading the socket",
}


class Traffic(Struct, frozen=True, tag_field="type", tag=TRAFFIC):
    """What a busy game sends beside its own events; it means nothing."""

    filler: str


class FirstPings(SeededDraw):
    """A seeded draw whose first shares are those of the cast: the first sockets are pinged when it says."""

    def __init__(self, seed: int, shares: list[float]) -> None:
        super().__init__(seed)
        self._shares = shares

    def share(self) -> float:
        """The cast's shares first, then the seed's."""
        return self._shares.pop(0) if self._shares else super().share()


class _Quiet(logging.Filter):
    """What a simulated room logs is no news for an operator; what breaks is."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _simulating.get() or record.levelno >= logging.ERROR


_QUIET: Final = _Quiet()


def simulate(scenario: Scenario, config: Config | None = None) -> Timeline:
    """Run the scenario under these settings of the gateway (default: the site's own)."""
    for name in SIMULATED_LOGGERS:
        logging.getLogger(name).addFilter(_QUIET)
    token = _simulating.set(True)
    try:
        return Simulation(scenario, config or conf.config()).run()
    finally:
        _simulating.reset(token)


class Simulation:
    """Implements `debugger.browser.World`."""

    def __init__(self, scenario: Scenario, config: Config) -> None:
        self.clock = SimulationClock()
        interval_s = config.connection.heartbeat.interval_s
        shares = [character.first_ping_s / interval_s for character in scenario.cast]
        draw = FirstPings(scenario.seed, shares)
        games: list[QuizGame] = []

        def make_game(sockets: Sockets, clock: Clock) -> QuizGame:
            games.append(QuizGame(sockets, clock, draw=draw))
            return games[0]

        self.runtime = Runtime(make_game, config, self.clock, draw)
        self.recorder = Recorder(lambda: self.clock.ms)
        self._scenario = scenario
        self._browsers = [Browser(character, number, self) for number, character in enumerate(scenario.cast)]
        self._by_name = {browser.name: browser for browser in self._browsers}
        self.watch = Watch(self, games[0].lobby, self._browsers)
        self.clock.after_turn = self.watch.look
        self._snapshots: list[Snapshot] = []

    def run(self) -> Timeline:
        """All of it, from the first socket to the end of the scenario."""
        self._gather()
        if self._scenario.busy_bytes_per_second:
            self._be_busy()
        for action in sorted(self._scenario.actions, key=lambda action: action.at):
            self._go_on(action.at)
            self.clock.go_before(action.at)
            self._act(action)
            self.watch.look()
            self.clock.settle()
        self._go_on(self._scenario.end_ms + 1)
        limits = limits_of(self.runtime.config)
        return Timeline(self._scenario, limits, self._scenario.end_ms, self.recorder.rows, self._snapshots)

    # ---------- time

    def _go_on(self, before_ms: int) -> None:
        """Everything that happens at the instants before this one."""
        while (instant := self._next_instant()) < before_ms:
            self.clock.finish(instant)
            if self.recorder.dirty or instant % SECOND_MS == 0:
                self.recorder.dirty = False
                self._snapshots.append(self.watch.snapshot())

    def _next_instant(self) -> int:
        last = self._snapshots[-1].at if self._snapshots else -1
        if self.recorder.dirty and self.clock.ms > last:
            return self.clock.ms
        whole = (self.clock.ms // SECOND_MS + 1) * SECOND_MS
        due = self.clock.next_instant()
        return whole if due is None else min(whole, due)

    # ---------- the players

    def _gather(self) -> None:
        """All of them at the first instant: the first makes the room, the others join it."""
        first, *others = self._browsers
        seconds = self._scenario.seconds_per_question
        settings = SettingsPatch(seconds_per_question=seconds, question_count=QUESTIONS)
        first.enters(CreateRoom(first.name, settings=settings))
        self.clock.settle()
        room = self.watch.room
        assert room is not None, "the first player could not make a room"
        for browser in others:
            browser.enters(JoinRoom(room.code, browser.name))
            self.clock.settle()

    def _act(self, action: Action) -> None:
        browser = self.watch.host() if action.player is None else self._by_name[action.player]
        self.recorder.event(browser.name, WORDS[action.do])
        {
            Act.START_GAME: browser.starts_game,
            Act.DISCONNECTS: browser.loses_network,
            Act.MISSES_HEARTBEATS: browser.falls_silent,
            Act.RECONNECTS: browser.comes_back,
            Act.SENDS_OVERSIZED: browser.sends_oversized,
            Act.FLOODS_ANSWERS: browser.floods,
            Act.STOPS_READING: browser.stops_reading,
        }[action.do]()

    def _be_busy(self) -> None:
        """So many critical bytes more for each socket, spread over the second."""
        size = round(self._scenario.busy_bytes_per_second * BUSY_TICK_S)
        traffic = Traffic("x" * max(0, size - len(TRAFFIC)))

        def tick() -> None:
            self.runtime.sockets.send(list(self.runtime.sockets.live), traffic, FrameClass.CRITICAL)
            self.clock.call_later(BUSY_TICK_S, tick)

        self.clock.call_later(BUSY_TICK_S, tick)
