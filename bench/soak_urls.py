"""The site's pages, and ``/inside``: numbers of the process that only it can count."""

import asyncio
import gc
import os
from pathlib import Path

from django.http import HttpRequest, JsonResponse
from django.urls import path

from gateway import live
from gateway.alarm import Alarm
from quizsite.urls import urlpatterns as pages
from rooms.service import QuizGame


async def inside(request: HttpRequest) -> JsonResponse:
    """On the loop, with the garbage collected: what is counted is held by somebody."""
    gc.collect()
    alarms = [thing for thing in gc.get_objects() if isinstance(thing, Alarm)]
    runtime = live.runtime()
    game = runtime.game
    assert isinstance(game, QuizGame)
    return JsonResponse(
        {
            "memory (MiB)": _resident_mib(),
            "file descriptors": len(os.listdir("/proc/self/fd")),
            "tasks": len(asyncio.all_tasks()),
            "timers": sum(alarm._timer is not None for alarm in alarms),
            "python objects": len(gc.get_objects()),
            "sockets": len(runtime.sockets.live),
            "slots": len(runtime.hub.slots) + len(runtime.hub.by_session) + len(runtime.hub.by_client),
            "counted sockets": sum(runtime.hub.by_session.values()),
            "rooms": len(game.lobby.rooms) + len(game.lobby.codes),
            "connections in rooms": len(game.lobby.conns),
            "limiter keys": len(runtime.actions.spent.windows),
            "last closes": len(runtime.hub.last_closes.closes),
            "conduct": len(runtime.hub.conduct.violations),
            "strikes": len(runtime.guard.strikes.accounts),
        }
    )


def _resident_mib() -> float:
    pages_held = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages_held * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


urlpatterns = [*pages, path("inside", inside)]
