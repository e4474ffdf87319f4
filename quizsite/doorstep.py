"""What a page tells of a room before anybody joins it: whose it is, and how many people are in it.

Looked up on the loop (``gateway.live``), where the rooms are. Guessing codes is as slow here as it is by
JOIN_ROOM: both spend the same budget's worth of misses (``rooms.wire``), and whoever has spent it learns
nothing more.
"""

from typing import Final, cast

from django.http import HttpRequest
from msgspec import Struct

from gateway import admission, live
from gateway.core.address import bucket
from gateway.core.limits import KeyedWindows
from gateway.runtime import Runtime
from rooms import wire
from rooms.service import QuizGame

MISSES: Final = next(budget for budget in wire.LIMITS["JOIN_ROOM"] if budget.charged_on == "ROOM_NOT_FOUND")

_misses = KeyedWindows()
"""By address; touched on the loop alone, like the rooms."""


class Room(Struct, frozen=True):
    """``host`` is a name, ``people`` counts the seats."""

    host: str
    people: int


def room_behind(request: HttpRequest, code: str) -> Room | None:
    """The room with this code. None if there is none, nobody is in it, or this process can't tell."""
    headers = [(name.lower(), value) for name, value in request.headers.items()]
    asked = admission.Request(headers, "", request.META.get("REMOTE_ADDR"), request.scheme or "http")
    try:
        return live.call(lambda runtime: _look(runtime, asked, code))
    except (live.NotServingError, live.LoopStuckError):
        return None  # the page joins without this line, too


def _look(runtime: Runtime, asked: admission.Request, code: str) -> Room | None:
    now = runtime.clock.now()
    address = bucket(admission.client_address(asked, runtime.config))
    misses = _misses.window(address, MISSES.limit, MISSES.window_s, now)
    if misses.estimate(now) >= MISSES.limit:
        return None
    lobby = cast(QuizGame, runtime.game).lobby  # the site's one game (quizsite.asgi)
    room = lobby.rooms.get(lobby.codes.get(code, ""))
    if room is None:
        misses.allow(now)
        return None
    if room.host is None:
        return None
    return Room(room.seats.here[room.host].name, len(room.seats.here))
