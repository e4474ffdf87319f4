"""The debugger's page, and the one thing it asks for: a scenario's timeline.

For staff; while ``DEBUG`` is on, for everybody. A run touches no live room and keeps nothing.
"""

from typing import Final

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from debugger import timeline
from debugger.scenario import CAST, ScenarioError, parse
from debugger.simulation import simulate
from rooms.core.rules import QUESTION_SECONDS

MAX_BODY_BYTES: Final = 65_536
"""Several times a scenario of the most actions."""
SPEEDS: Final = (1, 2, 5, 10)


def allowed(request: HttpRequest) -> bool:
    """Staff, and everybody on a developer's machine."""
    return settings.DEBUG or (request.user.is_active and request.user.is_staff)


@require_safe
@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """All controls and displays; the run itself is in the address's fragment, which stays in the browser."""
    if not allowed(request):
        return to_login(request)
    context = {
        "cast": CAST,
        "players": range(2, len(CAST) + 1),
        "speeds": SPEEDS,
        "seconds": QUESTION_SECONDS,
        "run_url": reverse("debugger:run"),
    }
    return render(request, "debugger/page.html", context)


@require_POST
@never_cache
def run(request: HttpRequest) -> HttpResponse:
    """The timeline of the scenario in the body; 400 says what is wrong with it."""
    if not allowed(request):
        return refused("the debugger is for staff", 403)
    try:
        scenario = parse(_body(request))
    except ScenarioError as error:
        return refused(str(error), 400)
    return HttpResponse(timeline.encode(simulate(scenario)), content_type="application/json")


def _body(request: HttpRequest) -> bytes:
    data = request.read(MAX_BODY_BYTES + 1)
    if len(data) > MAX_BODY_BYTES:
        raise ScenarioError(f"a scenario has at most {MAX_BODY_BYTES} bytes")
    return data


def refused(text: str, status: int) -> JsonResponse:
    """What the page shows instead of a timeline."""
    return JsonResponse({"error": text}, status=status)


def to_login(request: HttpRequest) -> HttpResponse:
    """The admin's form where a site has it, else its own; then back."""
    try:
        form = reverse("admin:login")
    except NoReverseMatch:
        form = str(settings.LOGIN_URL)
    return redirect_to_login(request.get_full_path(), form)
