"""Games that are over, for the site's staff: read, exported and deleted, never written (spec 4.3).

Permissions are Django's: the list, a game and its export need ``view``, deleting needs ``delete``. Exports
and deletions are in the admin's log.
"""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from rooms import exports
from rooms import live_rooms as _live_rooms  # noqa: F401  (it registers itself)
from rooms.models import GameRecord, PlayerResult
from rooms.questions import admin as _question_sets  # noqa: F401  (it registers itself)


class ReadOnly:
    """Records are what happened: nobody adds or changes them."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, *args: Any) -> bool:
        """No."""
        return False


class PlayerInline(ReadOnly, admin.TabularInline):
    """The ranking, on the page of its game; whoever may see a game may see who played it."""

    model = PlayerResult
    fields = ("rank", "name", "score", "correct", "user")
    readonly_fields = fields
    can_delete = False
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for the game."""
        return request.user.has_perm("rooms.view_gamerecord")


@admin.register(GameRecord)
class GameRecordAdmin(ReadOnly, admin.ModelAdmin):
    """The list of games, newest first."""

    list_display = ("room_code", "ended_at", "finished", "player_count", "host_user", "results_link")
    list_filter = ("finished", "ended_at")
    list_select_related = ("host_user",)
    search_fields = ("room_code", "game_id", "players__name")
    date_hierarchy = "ended_at"
    # The questions are left out: a flag is kilobytes of drawing. The results' page shows them.
    fields = (
        *("room_code", "game_id", "finished", "started_at", "ended_at"),
        *("creator_user", "creator", "host_user", "host", "question_total", "seed", "settings"),
    )
    inlines = (PlayerInline,)
    actions = ("export_workbook", "export_players", "export_answers")

    def get_queryset(self, request: HttpRequest) -> QuerySet[GameRecord]:
        """With the number of players, in the same query."""
        # distinct: a search joins the players, too.
        return super().get_queryset(request).annotate(player_count=Count("players", distinct=True))

    @admin.display(description=_("players"), ordering="player_count")
    def player_count(self, game: GameRecord) -> int:
        """How many played."""
        return game.player_count

    @admin.display(description=_("results"))
    def results_link(self, game: GameRecord) -> str:
        """The page for people."""
        return format_html('<a href="{}">{}</a>', game.get_absolute_url(), _("Results"))

    @admin.action(description=_("Export everything as an Excel file"), permissions=["view"])
    def export_workbook(self, request: HttpRequest, games: QuerySet[GameRecord]) -> HttpResponse | None:
        """All tables of the chosen games."""
        return self._export(request, games, "xlsx")

    @admin.action(description=_("Export players as CSV"), permissions=["view"])
    def export_players(self, request: HttpRequest, games: QuerySet[GameRecord]) -> HttpResponse | None:
        """The rankings of the chosen games."""
        return self._export(request, games, "players")

    @admin.action(description=_("Export answers as CSV"), permissions=["view"])
    def export_answers(self, request: HttpRequest, games: QuerySet[GameRecord]) -> HttpResponse | None:
        """All answers of the chosen games."""
        return self._export(request, games, "answers")

    def _export(self, request: HttpRequest, chosen: QuerySet[GameRecord], what: str) -> HttpResponse | None:
        try:
            games = exports.load(chosen)
        except exports.TooMuchError as error:
            self.message_user(request, str(error), messages.ERROR)
            return None
        if what == "xlsx":
            content, content_type, name = exports.workbook(games), exports.XLSX_TYPE, "games.xlsx"
        else:
            content, content_type = exports.csv_file(exports.TABLES[what](games)), exports.CSV_TYPE
            name = f"games-{what}.csv"
        LogEntry.objects.log_actions(request.user.pk, games, CHANGE, f"Exported to {name}.")
        stamped = f"{timezone.localtime():%Y-%m-%d-%H%M}-{name}"
        headers = {"Content-Disposition": f'attachment; filename="{stamped}"'}
        return HttpResponse(content, content_type=content_type, headers=headers)
