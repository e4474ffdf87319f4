"""The site's pages, and one that tells how long the loop was away since the last look at it."""

from django.http import HttpRequest, JsonResponse
from django.urls import path

from bench import storm_turns
from quizsite.urls import urlpatterns as pages


async def turns(request: HttpRequest) -> JsonResponse:
    """The longest turns; they begin anew."""
    return JsonResponse(storm_turns.taken())


urlpatterns = [*pages, path("turns", turns)]
