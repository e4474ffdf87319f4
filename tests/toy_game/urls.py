"""The toy's pages: one that makes a session, two that show what the process holds, and the gateway's own."""

import gc
import tracemalloc

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path

from gateway import live


def session(request: HttpRequest) -> HttpResponse:
    """Give the browser a session, as every page that may open a socket does."""
    request.session["here"] = True
    return HttpResponse("ok")


async def counters(request: HttpRequest) -> JsonResponse:
    """Everything that the process counts for sockets, on the loop, where it is kept."""
    runtime = live.runtime()
    hub = runtime.hub
    buffered = {conn_id: socket.unread() for conn_id, socket in runtime.sockets.live.items()}
    return JsonResponse(
        {
            "slots": len(hub.slots),
            "by_session": list(hub.by_session.values()),
            "by_address": list(hub.by_address.values()),
            "by_client": len(hub.by_client),
            "buffered": buffered,
        }
    )


async def memory(request: HttpRequest) -> JsonResponse:
    """What Python holds, garbage left out; 0 unless the process was started with ``PYTHONTRACEMALLOC=1``.

    ``frozen`` and ``watched`` are objects that the collector passes by, and those that it looks at.
    """
    gc.collect()
    return JsonResponse(
        {
            "traced": tracemalloc.get_traced_memory()[0],
            "frozen": gc.get_freeze_count(),
            "watched": len(gc.get_objects()),
        }
    )


urlpatterns = [
    path("session", session),
    path("counters", counters),
    path("memory", memory),
    path("", include("gateway.urls")),
]
