"""Pages and files about games that are over: one game's results for its hosts and the staff, the standings
over all games for the staff; and which question sets a host may choose from.

Looks at what is stored alone (``rooms.results``, ``rooms.exports``, ``rooms.questions.sets``) and at what
still waits to be stored; live rooms are the socket's. A site gives the pages its own frame by its own
``rooms/base.html``.
"""

import base64
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from gateway import admission
from rooms import exports
from rooms.archive import archive
from rooms.core.questions import Media, Svg
from rooms.models import GameRecord
from rooms.questions import sets
from rooms.results import leaders, question_results, with_results
from rooms.wording import in_the_readers_language

SEE_GAMES: Final = "rooms.view_gamerecord"
SOON_S: Final = 2
"""When to ask again for a game that is not stored yet; it usually takes less."""

MOST_SETS: Final = 200
"""A list to choose from, not a catalogue: the host's own come first, so they are never cut off by others'."""

View = Callable[..., HttpResponse]


# ---------- who may look


def account_of(request: HttpRequest) -> str:
    """The account of whoever asks, by the gateway's rules: the socket and this page mean the same person."""
    request.session.keys()  # loads it: the session that a cookie names may have gone, and has no key then
    user = request.user
    user_pk = user.pk if user.is_authenticated else None
    return admission.account_of(user_pk, request.session.session_key)


def sees_all_games(request: HttpRequest) -> bool:
    """The staff who may see games in the admin, too."""
    return request.user.is_staff and request.user.has_perm(SEE_GAMES)


def for_staff(view: View) -> View:
    """Strangers may sign in as somebody who may see it; nobody else sees it."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if sees_all_games(request):
            return view(request, *args, **kwargs)
        if request.user.is_authenticated:
            raise PermissionDenied("the standings are for staff who may see games")
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))

    return guarded


# ---------- one game


@require_safe
@never_cache
def results(request: HttpRequest, game_id: str) -> HttpResponse:
    """Ranking and questions, or a page that asks again while the game is not stored yet."""
    game = _game(request, game_id)
    if game is None:
        response = render(request, "rooms/waiting.html", {"soon_s": SOON_S}, status=503)
        response["Retry-After"] = str(SOON_S)
        return response
    told = map(in_the_readers_language, question_results(game))
    questions = [(result, _picture(result.question.media)) for result in told]
    context = {"game": game, "players": game.players.all(), "questions": questions}
    return render(request, "rooms/results.html", context)


@require_safe
@never_cache
def results_csv(request: HttpRequest, game_id: str, table: str) -> HttpResponse:
    """One table of the game."""
    game = _game(request, game_id)
    if game is None or table not in exports.TABLES:
        raise Http404(f"there is no table {table!r}")
    content = exports.csv_file(exports.TABLES[table]([game]))
    return _file(content, exports.CSV_TYPE, f"{_stem(game)}-{table}.csv")


@require_safe
@never_cache
def results_xlsx(request: HttpRequest, game_id: str) -> HttpResponse:
    """All tables of the game."""
    game = _game(request, game_id)
    if game is None:
        raise Http404(f"the game {game_id!r} is not stored yet")
    return _file(exports.workbook([game]), exports.XLSX_TYPE, f"{_stem(game)}.xlsx")


# ---------- all games


@require_safe
@never_cache
@for_staff
def leaderboard(request: HttpRequest) -> HttpResponse:
    """The best accounts of all finished games."""
    return render(request, "rooms/leaderboard.html", {"leaders": leaders()})


@require_safe
@never_cache
@for_staff
def leaderboard_csv(request: HttpRequest) -> HttpResponse:
    """The same as a file."""
    content = exports.csv_file(exports.leaders_table(leaders()))
    return _file(content, exports.CSV_TYPE, f"standings-{timezone.localdate()}.csv")


@require_safe
@never_cache
@for_staff
def leaderboard_xlsx(request: HttpRequest) -> HttpResponse:
    """The same as a workbook."""
    content = exports.xlsx_file([exports.leaders_table(leaders())])
    return _file(content, exports.XLSX_TYPE, f"standings-{timezone.localdate()}.xlsx")


# ---------- question sets


@require_safe
@cache_control(private=True, no_store=True)
def question_sets(request: HttpRequest) -> HttpResponse:
    """The sets that this account may play (spec 2.1), for the lobby's chooser: own ones first, by title."""
    account = account_of(request)
    owner = sets.owner_of(account)
    playable = sets.playable(account).annotate(count=Count("questions")).filter(count__gt=0)
    own = [] if owner is None else list(playable.filter(owner_id=owner)[:MOST_SETS])
    others = playable.exclude(pk__in=[each.pk for each in own])[: MOST_SETS - len(own)]
    found = [
        {"id": each.public_id, "title": each.title, "count": each.count, "own": is_own}
        for group, is_own in ((own, True), (others, False))
        for each in group
    ]
    return JsonResponse({"sets": found})


# ---------- details


def _game(request: HttpRequest, game_id: str) -> GameRecord | None:
    """The game if the asker may see it, None if it still waits to be stored; else there is no such page.

    Whoever may not see a game is not told that there is one.
    """
    # Looked up in this order: between the two a game may be stored, but not the other way round.
    waiting = next((report for report in archive.waiting() if report.game_id == game_id), None)
    game = with_results(GameRecord.objects.filter(game_id=game_id)).first()
    kept = game or waiting
    if kept is None or not (account_of(request) in {kept.creator, kept.host} or sees_all_games(request)):
        raise Http404(f"there is no game {game_id!r} for this account")
    return game


def _picture(media: Media | None) -> dict[str, str] | None:
    """A question's picture as an address: a flag is inside its question, and stays inside its page."""
    match media:
        case Svg(data):
            encoded = base64.b64encode(data.encode()).decode()
            return {"url": f"data:image/svg+xml;base64,{encoded}", "alt": ""}
        case None:
            return None
        case _:
            return {"url": media.url, "alt": media.alt}


def _stem(game: GameRecord) -> str:
    return f"game-{game.room_code}-{timezone.localtime(game.ended_at):%Y-%m-%d-%H%M}"


def _file(content: bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
