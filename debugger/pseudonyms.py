"""A recording without the people in it: what may leave the house, and still replays frame by frame.

Accounts, names, tabs, codes and ids are replaced, each by the same word throughout; token hashes and seeds
are dropped, and with them the right answers of all questions that are not over. Texts of questions stay.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

import msgspec

from debugger.recorded import RecordedRoom, expectations
from gateway.core.closing import By
from gateway.core.machine import to_state
from rooms.core import effects as fx
from rooms.core.codes import ALPHABET, LENGTH
from rooms.core.names import fold
from rooms.core.questions import Question
from rooms.core.recording import Recorded, replay
from rooms.core.room import Room

CODE: Final = ALPHABET[0] * LENGTH

KINDS: Final = {
    "account": "account",
    "creator": "account",
    "old": "account",
    "new": "account",
    "conn_id": "conn",
    "starter": "conn",
    "client_id": "tab",
    "seat_id": "seat",
    "host": "seat",
    "lagging": "seat",
    "userId": "seat",
    "user_id": "seat",
    "resume": "seat",
    "room_id": "room",
    "game_id": "game",
    "request_id": "game",
    "name": "Player",
}
"""Which fields, of rooms and of what is said to them, hold what of people. An id's own field is ``id``."""

DICTS: Final[dict[str, tuple[str, str | None]]] = {
    "holders": ("conn", "seat"),
    "watchers": ("conn", "account"),
    "bans": ("seat", None),
    "sent": ("account", None),
    "changed": ("seat", None),
    "here": ("seat", None),
    "departed": ("seat", None),
}
"""Which mappings have people for keys, and for values."""

CONSTANTS: Final[dict[str, Any]] = {"token_hash": "", "seed": 0, "code": CODE, "roomCode": CODE}


def exported(recorded: Recorded, title: str) -> RecordedRoom:
    """The recording as a scenario file that expects of itself what was seen."""
    names, closed = _played(recorded)
    room = recorded.restore()
    steps = [
        _hidden(at, event, names.get(number), closed) for number, (at, event) in enumerate(recorded.steps)
    ]
    if room.game is not None:
        room.game.questions = _without_answers(room.game.questions, closed[room.game.id])
    masks = Masks()
    plain = {
        "title": title,
        "began": recorded.began,
        "room": masks.room(to_state(room)),
        "steps": [(at, masks.mask(to_state(event))) for at, event in steps],
    }
    data = msgspec.json.encode(plain)
    # Playing a file uses up its room: one is played, its twin is handed out.
    expected = expectations(msgspec.json.decode(data, type=RecordedRoom).play())
    return msgspec.structs.replace(msgspec.json.decode(data, type=RecordedRoom), expect=expected)


def _played(recorded: Recorded) -> tuple[dict[int, str], dict[str, int]]:
    """The names that the room gave to those who joined, by step; how many questions of each game are over."""
    room = recorded.restore()
    names: dict[int, str] = {}
    closed: dict[str, int] = defaultdict(int)
    _count(room, closed)
    for number, (_, event, _) in enumerate(replay(room, recorded.steps)):
        _count(room, closed)
        if isinstance(event, fx.Join) and (seat := room.seats.held_by(event.conn_id)) is not None:
            names[number] = seat.name
    return names, closed


def _count(room: Room, closed: dict[str, int]) -> None:
    if room.game is not None:
        closed[room.game.id] = max(closed[room.game.id], room.game.closed)


def _hidden(
    at: float, event: fx.Input | None, name: str | None, closed: dict[str, int]
) -> tuple[float, fx.Input | None]:
    """The step with the name as it was shown, without answers, without what a browser said at its end."""
    match event:
        case fx.Join(command=command) if name is not None:
            # Typed twice, a name gets a number: only the one that was given is a person's own.
            return at, _replace(event, command=_replace(command, name=name))
        case fx.Loaded(request_id, questions):
            return at, _replace(event, questions=_without_answers(questions, closed[request_id]))
        case fx.Left(_, ending) if ending.by is By.CLIENT:
            return at, _replace(event, ending=_replace(ending, reason=""))
        case _:
            return at, event


_replace: Final[Callable[..., Any]] = msgspec.structs.replace


def _without_answers(questions: tuple[Question, ...], closed: int) -> tuple[Question, ...]:
    hidden = (_replace(question, correct=frozenset(), explanation=None) for question in questions[closed:])
    return (*questions[:closed], *hidden)


class Masks:
    """Gives out pseudonyms: "Player 1", "seat2"; whoever had one keeps it."""

    def __init__(self) -> None:
        self._given: dict[str, dict[str, str]] = defaultdict(dict)

    def of(self, kind: str, value: str) -> str:
        """The pseudonym of a value of this kind."""
        given = self._given[kind]
        return given.setdefault(value, f"{kind}{' ' if kind == 'Player' else ''}{len(given) + 1}")

    def room(self, state: dict[str, Any]) -> dict[str, Any]:
        """A whole room, as plain values."""
        masked: dict[str, Any] = self.mask(state)
        masked["id"] = self.of("room", state["id"])
        if state["game"] is not None:
            masked["game"]["id"] = self.of("game", state["game"]["id"])
        masked["news"]["joined"] = [self.of("seat", seat_id) for seat_id in state["news"]["joined"]]
        for seats in (masked["seats"]["here"], masked["seats"]["departed"]):
            for seat_id, seat in seats.items():
                seat["id"], seat["name_key"] = seat_id, fold(seat["name"])
        return masked

    def mask(self, value: Any, name: str = "") -> Any:
        """Plain values without people; ``name`` is the field that they are in."""
        if isinstance(value, dict) and name in DICTS:
            kind, kind_of_values = DICTS[name]
            return {
                self.of(kind, key): self.of(kind_of_values, item) if kind_of_values else self.mask(item)
                for key, item in value.items()
            }
        if isinstance(value, dict):
            return {key: self.mask(item, key) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return value if name == "questions" else [self.mask(item, name) for item in value]
        if name in CONSTANTS and type(value) is type(CONSTANTS[name]):
            return CONSTANTS[name]
        return self.of(KINDS[name], value) if isinstance(value, str) and name in KINDS else value
