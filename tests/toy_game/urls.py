"""The toy's pages: one that makes a session, and the gateway's own."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def session(request: HttpRequest) -> HttpResponse:
    """Give the browser a session, as every page that may open a socket does."""
    request.session["here"] = True
    return HttpResponse("ok")


urlpatterns = [path("session", session), path("", include("gateway.urls"))]
