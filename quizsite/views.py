"""The site's own pages: the landing page, the one on which a room is joined, hosted and played, the big
screen.

No game is decided here: a page carries its texts and addresses, and the socket that its script opens does the
rest. The sentences for the scripts are in ``quizsite.texts``, which files a page loads in
``quizsite.scripts``.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from functools import wraps
from io import BytesIO
from typing import Any, Final

import segno
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from gateway.routing import WS_PATH
from quizsite import scripts, texts
from quizsite.doorstep import room_behind
from rooms import conf
from rooms.core import codes
from rooms.core.rules import QUESTION_COUNT_MAX, QUESTION_SECONDS, ROOM_MIN_PLAYERS

CODE: Final = re.compile(f"[{codes.ALPHABET}]{{{codes.LENGTH}}}")
QR_MAX_AGE_S: Final = 3_600
"""A code's picture changes only with the site's address; an hour spans a lesson."""
QR_BORDER: Final = 2
"""Modules of quiet zone; the page adds the white that makes up the four of the standard."""
QR_INK: Final = "#10242c"
"""The ink of the light pages, in the dark too: cameras want dark on white."""

View = Callable[..., HttpResponseBase]


def opens_socket(view: View) -> View:
    """A page whose script opens a socket: the upgrade finds a session, no cache keeps the page (spec 1.2)."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request.session.keys()  # loads it: the session that a cookie names may be gone, and then has no key
        if request.session.session_key is None:
            request.session.create()
        return view(request, *args, **kwargs)

    return cache_control(private=True, no_store=True)(guarded)


@require_safe
def landing(request: HttpRequest) -> HttpResponse:
    """Enter a code, go back to the last seat, or host. ``?unknown=`` is a code that led nowhere."""
    return _landing(request, request.GET.get("unknown"))


@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """The code form's address, so that it works before and without its script."""
    code = codes.normalise(request.GET.get("code", ""))
    return redirect("quizsite:play", code) if CODE.fullmatch(code) else _landing(request, code)


@require_safe
@opens_socket
def host(request: HttpRequest) -> HttpResponse:
    """Name and face, then a new room; from then on the page is its room's."""
    return _play(request, "host", "")


@require_safe
@opens_socket
def play(request: HttpRequest, code: str) -> HttpResponse:
    """Join, lobby, game and podium: one page, one socket. Which room there is, only the socket knows."""
    clean = codes.normalise(code)
    if not CODE.fullmatch(clean):
        return _landing(request, clean, status=404)
    if clean != code:
        return redirect("quizsite:play", clean)
    room = room_behind(request, code)
    return _play(request, "join", code, {} if room is None else {"host": room.host, "people": room.people})


@require_safe
@opens_socket
def present(request: HttpRequest, code: str) -> HttpResponse:
    """The big screen. Whether this browser is its host's, only the socket knows."""
    clean = codes.normalise(code)
    if not CODE.fullmatch(clean):
        return _landing(request, clean, status=404)
    if clean != code:
        return redirect("quizsite:present", clean)
    shared = shared_origin(request)
    context = {
        "code": code,
        "address": shared.partition("://")[2],
        "page": _page(request, code=code),
        "modules": scripts.PRESENT,
        "reactions": texts.REACTIONS.items(),
    }
    return render(request, "quizsite/present.html", context)


@require_safe
@cache_control(max_age=QR_MAX_AGE_S, private=True)
def qr(request: HttpRequest, code: str) -> HttpResponse:
    """The room's link as a picture."""
    if not CODE.fullmatch(code):
        raise Http404(f"no room has the code {code!r}")
    link = shared_origin(request) + reverse("quizsite:play", args=[code])
    drawing = BytesIO()
    segno.make(link, error="m", micro=False).save(
        drawing, kind="svg", border=QR_BORDER, dark=QR_INK, light="#fff", omitsize=True, xmldecl=False
    )
    return HttpResponse(drawing.getvalue(), content_type="image/svg+xml")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Browsers ask for this name on pages that don't link one, the admin's for example."""
    return redirect(static("quizsite/favicon.svg"))


def shared_origin(request: HttpRequest) -> str:
    """Where others find this site: as this browser found it, but no phone can open its ``localhost``."""
    domain, port = split_domain_port(request.get_host())
    if domain == "localhost" or _is_loopback(domain):
        domain = next(filter(_is_outward, settings.ALLOWED_HOSTS), domain)
    return f"{request.scheme}://{domain}:{port}" if port else f"{request.scheme}://{domain}"


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return address is not None and address.is_loopback


def _is_outward(host: str) -> bool:
    """An address by which the network knows this machine, as `make run` adds them."""
    address = _address(host)
    return address is not None and not address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def _landing(request: HttpRequest, code: str | None, status: int = 200) -> HttpResponse:
    clean = codes.normalise(code or "")
    problem = "" if not clean else "unknown" if CODE.fullmatch(clean) else "short"
    context = {"code": clean[: codes.LENGTH], "problem": problem, "page": _page(request, code=clean)}
    return render(request, "quizsite/landing.html", context, status=status)


def _play(request: HttpRequest, mode: str, code: str, room: Mapping[str, Any] | None = None) -> HttpResponse:
    """``room``: what the join page may tell of it already."""
    context = {
        "code": code,
        "page": _page(request, mode=mode, code=code, room=room or {}),
        "modules": scripts.PLAY,
        "faces": [(id, _face(id), label) for id, label in texts.FACES.items()],
        "colours": texts.COLOURS.items(),
        "regions": texts.REGIONS.items(),
        "difficulties": texts.DIFFICULTIES.items(),
        "seconds": QUESTION_SECONDS,
        "most_questions": QUESTION_COUNT_MAX,
        "least_players": ROOM_MIN_PLAYERS,
        "most_players": conf.config().room_max_players,
        "scorings": texts.SCORINGS.items(),
        "switches": texts.SWITCHES.items(),
        "reactions": texts.REACTIONS.items(),
    }
    return render(request, "quizsite/play.html", context)


def _page(request: HttpRequest, **own: Any) -> dict[str, Any]:
    """What a page's script is told; ``CODE`` in an address stands for a room's."""
    urls = {
        "landing": reverse("quizsite:landing"),
        "play": reverse("quizsite:play", args=["CODE"]),
        "present": reverse("quizsite:present", args=["CODE"]),
        "sets": reverse("rooms:sets"),
        "qr": reverse("quizsite:qr", args=["CODE"]),
        "socket": WS_PATH,
        "preflight": reverse("gateway:preflight"),
        "shared": shared_origin(request),
    }
    return {**own, "urls": urls, "texts": texts.catalogue(), "faces": {id: _face(id) for id in texts.FACES}}


def _face(id: str) -> str:
    return static(f"quizsite/avatars/{id}.svg")
