"""The toy's pages, and how many sockets the server is busy with in any way, counted or not."""

from django.http import HttpRequest, JsonResponse
from django.urls import path

from tests.faults import asgi
from tests.toy_game import urls


async def inside(request: HttpRequest) -> JsonResponse:
    """Upgrades and sockets that the application has not let go of yet."""
    return JsonResponse({"inside": asgi.inside()})


urlpatterns = [*urls.urlpatterns, path("inside", inside)]
