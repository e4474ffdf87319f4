"""The live rooms of this process, for site staff: what is going on in each, and closing one (spec 4.3).

Pictures are taken on the loop; rooms change only through the game. What happened in a room is shown by the
debugger, where a site has one: this only knows the name of its address.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from gateway import live
from gateway.admin.lists import Act, Cell, Column, Done, LiveAdmin, age
from gateway.census import Page, Query, paged
from gateway.runtime import Runtime
from rooms.core.phases import Phase
from rooms.core.room import Room
from rooms.permissions import LiveRoom
from rooms.service import QuizGame

RECORDING: Final = "debugger:room"
"""Takes the room's id."""

PHASES: Final = {
    Phase.LOBBY: gettext_lazy("lobby"),
    Phase.STARTING: gettext_lazy("countdown"),
    Phase.QUESTION: gettext_lazy("question"),
    Phase.RESULTS: gettext_lazy("results"),
    Phase.FINISHED: gettext_lazy("podium"),
}


class SeenRoom(Struct, frozen=True):
    """One live room as it was a moment ago. ``question`` of ``questions`` is asked, or was the last."""

    id: str
    code: str
    phase: Phase
    question: int
    questions: int
    members: int
    connected: int
    watching: int
    age_s: float
    recorded: bool


ORDERS: Final[Mapping[str, Callable[[Room], int]]] = {
    "members": lambda room: len(room.seats.here),
    "connected": lambda room: len(room.seats.holders),
    "watching": lambda room: len(room.watchers),
}
"""Columns by which the list can be sorted, the largest first."""


def rooms(runtime: Runtime, query: Query) -> Page[SeenRoom]:
    """A page of the live rooms, the newest first unless another order is asked for. On the loop."""
    game, now = _quiz(runtime), runtime.clock.now()
    found = list(reversed(game.lobby.rooms.values()))
    if query.text:
        found = [room for room in found if query.text.upper() in room.code or query.text == room.id]
    if query.order in ORDERS:
        found.sort(key=ORDERS[query.order], reverse=True)
    return paged(found, query.number, lambda room: _seen(game, room, now))


def close(request: HttpRequest, chosen: Sequence[SeenRoom], answers: Mapping[str, Any]) -> list[Done]:
    """Close the rooms: their people are told, a game that was on is kept if it was worth it."""
    ids = [seen.id for seen in chosen]
    closed = set(live.call(lambda runtime: _close(runtime, ids)))
    return [Done(seen.id, seen.code, "Closed.") for seen in chosen if seen.id in closed]


@admin.register(LiveRoom)
class LiveRoomAdmin(LiveAdmin):
    """Newest first."""

    columns = (
        Column(gettext_lazy("Code")),
        Column(gettext_lazy("Phase")),
        Column(gettext_lazy("Question")),
        Column(gettext_lazy("Members"), "members"),
        Column(gettext_lazy("Connected"), "connected"),
        Column(gettext_lazy("Watching"), "watching"),
        Column(gettext_lazy("Age")),
        Column(gettext_lazy("What happened")),
    )
    acts = (
        Act(
            "close",
            gettext_lazy("Close rooms"),
            "rooms.close_liveroom",
            gettext_lazy(
                "These rooms are over at once. Their players are told so; a game that is on ends without a "
                "winner."
            ),
            close,
        ),
    )

    def look(self, runtime: Runtime, query: Query) -> Page[SeenRoom]:
        """See `rooms`."""
        return rooms(runtime, query)

    def pick(self, runtime: Runtime, ids: Sequence[str]) -> Sequence[SeenRoom]:
        """Those of these rooms that are not over."""
        game, now = _quiz(runtime), runtime.clock.now()
        alive = game.lobby.rooms
        return tuple(_seen(game, alive[room_id], now) for room_id in ids if room_id in alive)

    def row(self, request: HttpRequest, seen: SeenRoom) -> tuple[str, Sequence[Any]]:
        """One room."""
        return seen.id, (
            seen.code,
            PHASES[seen.phase],
            f"{seen.question}/{seen.questions}" if seen.questions else "–",
            seen.members,
            seen.connected,
            seen.watching,
            age(seen.age_s),
            _recording(seen),
        )


def _quiz(runtime: Runtime) -> QuizGame:
    """The quiz of this process."""
    if not isinstance(runtime.game, QuizGame):
        raise live.NotServingError("another game than the quiz runs in this process")
    return runtime.game


def _seen(game: QuizGame, room: Room, now: float) -> SeenRoom:
    return SeenRoom(
        room.id,
        room.code,
        room.phase,
        room.game.index + 1 if room.game is not None else 0,
        len(room.game.questions) if room.game is not None else 0,
        len(room.seats.here),
        len(room.seats.holders),
        len(room.watchers),
        now - game.since[room.id],
        game.recorder is not None and room.id in game.recorder.tapes,
    )


def _close(runtime: Runtime, room_ids: Sequence[str]) -> list[str]:
    game = _quiz(runtime)
    return [room_id for room_id in room_ids if game.close_room(room_id)]


def _recording(seen: SeenRoom) -> Any:
    """A link to the debugger, if the site has one and the room is recorded."""
    if not seen.recorded:
        return _("not recorded")
    try:
        return Cell(_("look"), reverse(RECORDING, args=[seen.id]))
    except NoReverseMatch:
        return "–"
