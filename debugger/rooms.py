"""Live rooms in the debugger: which there are, what happened in one, and that as a scenario file.

For staff, whatever ``DEBUG`` says: these are real people. What is read is copied on the loop's thread; the
replay is made from the copy, and no live room is touched.
"""

from asgiref.sync import async_to_sync
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from msgspec import Struct, json

from debugger import timeline
from debugger.pseudonyms import exported
from debugger.replay import timeline_of
from debugger.timeline import Replayed
from debugger.views import SPEEDS, refused, to_login
from gateway import live
from rooms.core.recording import Recorded
from rooms.service import QuizGame


class Listed(Struct, frozen=True):
    """A live room in a few words; ``recorded_s`` is None if there is no recording of it."""

    id: str
    code: str
    phase: str
    members: int
    recorded_s: int | None


def is_staff(request: HttpRequest) -> bool:
    """Staff alone."""
    return bool(request.user.is_active and request.user.is_staff)


@require_safe
@never_cache
def listed(request: HttpRequest) -> HttpResponse:
    """All live rooms."""
    if not is_staff(request):
        return to_login(request)
    return render(request, "debugger/rooms.html", {"rooms": _rooms()})


@require_safe
@never_cache
def page(request: HttpRequest, room_id: str) -> HttpResponse:
    """The debugger's page, with a recorded room to step through."""
    if not is_staff(request):
        return to_login(request)
    room = next((room for room in _rooms() if room.id == room_id and room.recorded_s is not None), None)
    if room is None:
        raise Http404("there is no recording of such a room")
    context = {"room": room, "speeds": SPEEDS, "run_url": reverse("debugger:room-run", args=[room_id])}
    return render(request, "debugger/page.html", context)


@require_POST
@never_cache
def run(request: HttpRequest, room_id: str) -> HttpResponse:
    """The timeline of what happened until now."""
    if not is_staff(request):
        return refused("live rooms are for staff", 403)
    recorded = _take(room_id)
    if recorded is None:
        return refused("there is no recording of such a room any more", 404)
    shown = timeline_of(recorded.restore(), recorded.began, recorded.steps, Replayed("", 0))
    return HttpResponse(timeline.encode(shown), content_type="application/json")


@require_safe
@never_cache
def export(request: HttpRequest, room_id: str) -> HttpResponse:
    """A scenario file without the people in it; ``manage.py simulate`` replays it."""
    if not is_staff(request):
        return to_login(request)
    recorded = _take(room_id)
    if recorded is None:
        raise Http404("there is no recording of such a room")
    file = json.format(json.encode(exported(recorded, "A recorded room")), indent=1)
    headers = {"Content-Disposition": 'attachment; filename="room.json"'}
    return HttpResponse(file, content_type="application/json", headers=headers)


# ---------- on the loop


@async_to_sync
async def _rooms() -> list[Listed]:
    game = _game()
    return [] if game is None else [_listed(game, room_id) for room_id in game.lobby.rooms]


@async_to_sync
async def _take(room_id: str) -> Recorded | None:
    game = _game()
    return None if game is None or game.recorder is None else game.recorder.take(room_id)


def _game() -> QuizGame | None:
    """The quiz of this process; None where none is served, or another game."""
    try:
        game = live.runtime().game
    except live.NotServingError:
        return None
    return game if isinstance(game, QuizGame) else None


def _listed(game: QuizGame, room_id: str) -> Listed:
    room = game.lobby.rooms[room_id]
    recorded = None if game.recorder is None else game.recorder.take(room_id)
    seconds = None if recorded is None else _seconds(recorded)
    return Listed(room_id, room.code, room.phase.value, len(room.seats.here), seconds)


def _seconds(recorded: Recorded) -> int:
    return round(recorded.steps[-1][0] - recorded.began) if recorded.steps else 0
