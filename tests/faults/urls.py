"""The toy's pages, how many sockets the server is busy with in any way, counted or not, and a slow page."""

import asyncio

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from tests.faults import asgi
from tests.toy_game import urls


async def inside(request: HttpRequest) -> JsonResponse:
    """Upgrades and sockets that the application has not let go of yet."""
    return JsonResponse({"inside": asgi.inside()})


SLOW_S = 1.5


async def slow(request: HttpRequest) -> HttpResponse:
    """An answer that takes longer than a request's head may."""
    await asyncio.sleep(SLOW_S)
    return HttpResponse("at last")


urlpatterns = [*urls.urlpatterns, path("inside", inside), path("slow", slow)]
