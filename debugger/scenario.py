"""What goes into a simulation: who plays, the room's settings, and what happens when.

The words and their bounds, checked by msgspec; a scenario that is none is a `ScenarioError` with the line or
the field. How an action is carried out is in ``debugger.browser``, what an expectation means in
``debugger.expect``.
"""

from enum import Enum
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from debugger.places import line_of_byte, line_of_path
from rooms.core.rules import QUESTION_SECONDS

LONGEST_MS: Final = 600_000
"""Virtual time of one run at most: ten minutes hold any game of three questions with its accidents."""
MOST_ACTIONS: Final = 100
"""More than a person clicks in one run; with floods among them a run still takes a second or so."""
MOST_BUSY_BYTES: Final = 1_000_000
"""Per second and socket: the cap of an outbound buffer within about a second."""
AFTERMATH_MS: Final = 120_000
"""A run without an own end goes on for this long after its last action: a whole game of three questions."""
QUESTIONS: Final = 3
FLOOD_FRAMES: Final = 160
"""More than the budget of one window, by ten replies of the bounded kind (spec 2.2)."""


class Character(Struct, frozen=True):
    """One simulated player: when its first socket is pinged, how long it thinks, which choice it takes."""

    name: str
    first_ping_s: float
    answers_after_ms: int
    takes_choice: int


CAST: Final = (
    Character("Ana", 3.1, 2400, 0),
    Character("Ben", 4.4, 3300, 1),
    Character("Chen", 5.7, 6700, 2),
    Character("Dia", 7.0, 4100, 0),
)
"""In the order in which they come; the first one makes the room."""

Name = Literal["Ana", "Ben", "Chen", "Dia"]
At = Annotated[int, Meta(ge=0, le=LONGEST_MS)]


class Act(Enum):
    """What can be done at a moment of a run."""

    START_GAME = "start_game"
    DISCONNECTS = "disconnects"
    MISSES_HEARTBEATS = "misses_heartbeats"
    RECONNECTS = "reconnects"
    SENDS_OVERSIZED = "sends_oversized"
    FLOODS_ANSWERS = "floods_answers"
    STOPS_READING = "stops_reading"


BY_HOST: Final = frozenset({Act.START_GAME, Act.DISCONNECTS})
"""Without a ``player`` these are done by whoever is host at that moment."""


class Action(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``at`` is in virtual milliseconds from the start."""

    at: At
    do: Act
    player: Name | None = None


class Expected(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"after": "from"}):
    """So many ``rows`` must be in the timeline in [``from``, ``before``), each with all that is named."""

    after: At = 0
    before: At = LONGEST_MS
    rows: int = 1
    kind: str | None = None
    player: str | None = None
    type: str | None = None
    note: str | None = None
    code: int | None = None
    edge: str | None = None
    count: int | None = None


class Scenario(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """One run. The same scenario under the same settings of the site is the same run, to the byte."""

    title: Annotated[str, Meta(max_length=200)] = ""
    players: Annotated[int, Meta(ge=2, le=len(CAST))] = 3
    seconds_per_question: int = 15
    busy_bytes_per_second: Annotated[int, Meta(ge=0, le=MOST_BUSY_BYTES)] = 0
    """Critical bytes that each socket is sent on top of the game: 200 000 is a busy game (spec 5)."""
    until_ms: At | None = None
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 18
    """The default is one with which each of the cast is right at least once."""
    actions: Annotated[tuple[Action, ...], Meta(max_length=MOST_ACTIONS)] = ()
    expect: Annotated[tuple[Expected, ...], Meta(max_length=MOST_ACTIONS)] = ()

    @property
    def end_ms(self) -> int:
        """When the run ends."""
        last = max((action.at for action in self.actions), default=0)
        return min(last + AFTERMATH_MS, LONGEST_MS) if self.until_ms is None else self.until_ms

    @property
    def cast(self) -> tuple[Character, ...]:
        """Who plays."""
        return CAST[: self.players]


class ScenarioError(ValueError):
    """This is no scenario; the text says where and why."""


def parse(data: bytes) -> Scenario:
    """The scenario that ``data`` (JSON) holds."""
    try:
        scenario = msgspec.json.decode(data, type=Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"line {line_of_path(data, str(error))}: {error}") from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        line = line_of_byte(data, str(error))
        raise ScenarioError(f"line {line}: this is no JSON: {error}") from error
    if (fault := _fault(scenario)) is not None:
        raise ScenarioError(f"line {line_of_path(data, fault)}: {fault}")
    return scenario


def _fault(scenario: Scenario) -> str | None:
    """What the fields say together, or against the rules of the game."""
    seconds = scenario.seconds_per_question
    if seconds not in QUESTION_SECONDS:
        allowed = ", ".join(map(str, QUESTION_SECONDS))
        return f"Expected one of {allowed}, got {seconds} - at `$.secondsPerQuestion`"
    here = {character.name for character in scenario.cast}
    for index, action in enumerate(scenario.actions):
        at = f"at `$.actions[{index}]"
        if action.player is None and action.do not in BY_HOST:
            return f"`{action.do.value}` needs a `player` - {at}`"
        if action.player is not None and action.player not in here:
            return f"{action.player} does not play here - {at}.player`"
        if action.at > scenario.end_ms:
            return f"{action.at} is after the end of the run - {at}.at`"
    return None
