"""The words that the core's tests speak: a toy union of commands, frames of them, and a strict round trip."""

import json
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from gateway.core.decoding import Decoder
from gateway.core.machine import from_state, to_state
from gateway.core.messages import HeartbeatResponse

MS: Final = 0.001
TICK: Final = 1 / 1024
"""A time step that binary floats hold exactly, for tests that compare instants."""

T = TypeVar("T")


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """A nested object, with a table whose keys are the client's."""

    row: int = 0
    marks: dict[str, int] = {}


class Shout(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="SHOUT"):
    """A command with a field of each kind."""

    text: str = ""
    volume: float = 1.0
    to: list[str] = []
    place: Place = Place()
    extra: Any = None


class Ask(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="ASK"):
    """A command with a required field."""

    choice: int


class SubmitAnswer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="SUBMIT_ANSWER"):
    """The busiest command of a real game."""


COMMANDS: Final = (Shout, Ask, SubmitAnswer, HeartbeatResponse)
DECODER: Final = Decoder(COMMANDS)


def frame(type_: str, **fields: Any) -> bytes:
    """A client's frame."""
    return json.dumps({"type": type_, **fields}).encode()


def pong(timestamp: float) -> bytes:
    """A client's heartbeat response."""
    return frame("HEARTBEAT_RESPONSE", timestamp=timestamp)


def through_json(state: Any) -> Any:
    """A state as it comes back from a file."""
    return json.loads(json.dumps(state, allow_nan=False))


def reloaded(machine: T) -> T:
    """The same machine, stored and restored."""
    return from_state(through_json(to_state(machine)), type(machine))


def on_the_wire(event: Struct) -> Any:
    """What a client reads of an event, by another library than the one that wrote it."""
    return json.loads(msgspec.json.encode(event))
