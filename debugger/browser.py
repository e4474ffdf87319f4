"""A simulated player: a browser with the web client in it, a network, and a person with fixed habits.

The shell of `debugger.client.Policy` and `debugger.place.TabPlace`, as client.js is of policy.js and
place.js. What a scenario's actions do to a player is here; when they happen is in ``debugger.simulation``.
"""

from enum import Enum
from typing import Any, Protocol, assert_never
from urllib.parse import urlencode

import msgspec

from debugger.client import Policy
from debugger.clock import SimulationClock
from debugger.line import Flow, Line
from debugger.phases import (
    Ask,
    Close,
    Closed,
    Connect,
    Connected,
    DropTicket,
    Effect,
    Event,
    Forget,
    Frame,
    Online,
    Open,
    Opened,
    Phase,
    Place,
    Preflight,
    Restarting,
)
from debugger.place import TabPlace
from debugger.recorder import Recorder
from debugger.scenario import FLOOD_FRAMES, Character
from gateway.admission import Attempt, parse_query
from gateway.alarm import Alarm
from gateway.core.admission import Refusal
from gateway.core.messages import HeartbeatResponse
from gateway.runtime import Runtime
from rooms.core.messages import Command, StartGame, SubmitAnswer

AGENT = "Mozilla/5.0 (simulated)"
ADDRESS = "203.0.113.{}"
"""Of a network that is reserved for examples: nobody's."""
SHOW_A_QUESTION = frozenset({"NEW_QUESTION", "ROOM_STATE", "ROOM_JOINED"})
NO_QUESTION = "none"
"""What a flood names when there is no question: the server is to find that out."""


class Network(Enum):
    """How a new attempt to connect fares, and what is said on an open line."""

    UP = "up"
    SILENT = "silent"
    DOWN = "down"


class World(Protocol):
    """What a browser needs of the simulation."""

    runtime: Runtime
    clock: SimulationClock
    recorder: Recorder


class Browser:
    """``stands_still``: nothing runs in the page, neither messages nor timers."""

    def __init__(self, character: Character, number: int, world: World) -> None:
        self.character = character
        self.name = character.name
        self.account = f"session:{character.name}"
        self.policy = Policy()
        self.place = TabPlace(character.name)
        self.network = Network.UP
        self.stands_still = False
        self.line: Line | None = None
        """The newest socket that the server accepted from here."""
        self._number = number
        self._world = world
        self._current: Line | None = None
        self._claimed = False
        self._alarm = Alarm(world.clock, self._wake)

    # ---------- what a person does

    def enters(self, entry: Any) -> None:
        """Want a place in the room, and connect for it."""
        self.place.ask(entry)
        self._tell_place()
        self._apply(Connect())

    def starts_game(self) -> None:
        """Press the host's button."""
        self._says(StartGame())

    def floods(self) -> None:
        """Answer the question as no person does."""
        question = self.place.question
        answer = (
            SubmitAnswer(NO_QUESTION, (NO_QUESTION,))
            if question is None
            else SubmitAnswer(question.id, (question.choices[0],))
        )
        for _ in range(FLOOD_FRAMES):
            self._says(answer)

    def sends_oversized(self) -> None:
        """One byte more than any message may have."""
        size = self._world.runtime.config.connection.inbound.max_message_bytes + 1
        self._sends("(too large to be read)", b" " * size)

    # ---------- what happens to it

    def loses_network(self) -> None:
        """The cable is out: both ends know at once, and new attempts fail at once."""
        self.network = Network.DOWN
        if self.line is not None:
            self.line.cut()

    def falls_silent(self) -> None:
        """The network swallows everything: no heartbeat arrives, and nobody is told."""
        self.network = Network.SILENT
        self._flow(Flow.SILENT)

    def stops_reading(self) -> None:
        """The page stands still, its socket open."""
        self.stands_still = True
        self._flow(Flow.STALLED)

    def comes_back(self) -> None:
        """Network and page are there again; the page notices as it does when it wakes."""
        self.network = Network.UP
        self.stands_still = False
        if self.line is not None:
            self.line.flow_again()
        self._world.clock.soon(lambda: self._apply(Online(True)))

    # ---------- the line's calls

    def hears(self, line: Line, frame: dict[str, Any]) -> None:
        """A message event."""
        if line is not self._current:
            return
        self._apply(Frame(self.policy.id))
        if frame["type"] == "HEARTBEAT":
            self._says(HeartbeatResponse(frame["timestamp"]))
            return
        self.place.receive(frame, self._world.clock.ms)
        self._tell_place()
        if frame["type"] == "CONNECTED":
            self._greets(frame["heartbeat"])
        elif frame["type"] == "SERVER_RESTARTING":
            self._apply(Restarting(self.policy.id, frame["retryAfterMs"]))
        elif frame["type"] in SHOW_A_QUESTION:
            self._thinks()

    def hung_up(self, line: Line, code: int, reason: str) -> None:
        """A close event."""
        if line is self._current:
            self._current = None
            self._apply(Closed(self.policy.id, code, reason))

    # ---------- the policy and its effects

    def _apply(self, event: Event) -> None:
        self._perform(self.policy.apply(event, self._world.clock.ms))

    def _wake(self) -> None:
        if not self.stands_still:
            self._perform(self.policy.wake(self._world.clock.ms))

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._do(effect)
        due = self.policy.deadline()
        self._alarm.set(None if due is None else self._world.clock.moment(due))

    def _do(self, effect: Effect) -> None:
        match effect:
            case Ask(id_):
                self._asks(id_)
            case Open(id_):
                self._dials(id_)
            case Close(code, reason):
                current, self._current = self._current, None
                if current is not None:
                    current.hang_up(code, reason)
            case DropTicket():
                self.place.drop_ticket()
                self._tell_place()
            case Forget():
                self.place.forget()
                self._tell_place()
            case _ as unreachable:
                assert_never(unreachable)

    def _asks(self, id_: int) -> None:
        if self.network is Network.SILENT:
            return
        answer = Preflight(id_, "unreachable")
        if self.network is Network.UP:
            refusal = self._world.runtime.judge(self._attempt()).refusal
            answer = Preflight(id_, "ok") if refusal is None else _refused(id_, refusal)
        self._world.clock.soon(lambda: self._apply(answer))

    def _dials(self, id_: int) -> None:
        self._claimed = bool(self.place.ticket)
        outcome = {Network.UP: "", Network.SILENT: "no answer", Network.DOWN: "no network"}[self.network]
        ticket = "with its ticket" if self._claimed else "without a ticket"
        note = ", ".join(filter(None, [ticket, outcome]))
        self._world.recorder.event(
            self.name, f"Connects, try {self.policy.attempt} of {self.policy.limit}", note
        )
        if self.network is Network.UP:
            self._is_admitted(id_)
        elif self.network is Network.DOWN:
            self._upgrade_fails(id_)

    def _is_admitted(self, id_: int) -> None:
        admission = self._world.runtime.admit(self._attempt())
        if isinstance(admission, Refusal):
            self._world.recorder.event(self.name, f"Refused: {admission.code}", admission.text)
            self._upgrade_fails(id_)
            return
        world = self._world
        self._current = self.line = Line(self.name, world.runtime, world.clock, world.recorder)
        world.clock.soon(lambda: self._apply(Opened(id_)))
        self.line.open(admission, self)

    def _upgrade_fails(self, id_: int) -> None:
        """Browsers hide why: it looks like any lost connection."""
        self._world.clock.soon(lambda: self._apply(Closed(id_, 1006, "")))

    def _attempt(self) -> Attempt:
        query = urlencode({"clientId": self.name, **self.place.ticket})
        address = ADDRESS.format(self._number + 1)
        return Attempt(self.name, self.account, address, AGENT, parse_query(query))

    # ---------- details

    def _greets(self, heartbeat: dict[str, int]) -> None:
        greeting = self.place.greeting(self._claimed)
        if greeting is not None:
            self._says(greeting)
        self._apply(Connected(self.policy.id, heartbeat["intervalMs"] + heartbeat["timeoutMs"]))

    def _thinks(self) -> None:
        """The person answers so long after it first saw the question, or at once if it comes back late."""
        question = self.place.question
        if question is None or question.answered:
            return
        since = self._world.clock.ms - question.since_ms
        left = max(0, self.character.answers_after_ms - since)
        self._world.clock.call_later(left / 1000, lambda: self._answers(question.id))

    def _answers(self, question_id: str) -> None:
        question = self.place.question
        if question is None or question.id != question_id or question.answered or self.stands_still:
            return
        if self.policy.phase is Phase.OPEN:
            choice = question.choices[self.character.takes_choice % len(question.choices)]
            self._says(SubmitAnswer(question_id, (choice,)))

    def _says(self, command: Command | HeartbeatResponse) -> None:
        self._sends(str(command.__struct_config__.tag), msgspec.json.encode(command))

    def _sends(self, type_: str, payload: bytes) -> None:
        if self._current is None or self.stands_still:
            self._world.recorder.event(self.name, f"{type_} not sent", "there is no open socket")
        else:
            self._current.say(type_, payload)

    def _flow(self, flow: Flow) -> None:
        if self.line is not None and self.line.ended is None:
            self.line.flow = flow

    def _tell_place(self) -> None:
        self._apply(Place(self.place.wanted, bool(self.place.ticket)))


def _refused(id_: int, refusal: Refusal) -> Preflight:
    return Preflight(id_, "refused", refusal.code, round((refusal.retry_after or 0) * 1000))
