"""``manage.py purge_games``: delete stored games that are older than ``ROOMS["RETENTION_DAYS"]``."""

import json
from datetime import timedelta
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from rooms import conf
from rooms.models import AnswerRecord, GameRecord, PlayerResult

BATCH: Final = 50
"""Games of one transaction: SQLite has one writer at a time, and sessions and new games are waiting."""


class Command(BaseCommand):
    """Delete old games with their players and answers, a few at a time; says how many there were."""

    help = 'Delete stored games older than ROOMS["RETENTION_DAYS"].'

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's options."""
        parser.add_argument("--dry-run", action="store_true", help="delete nothing, only count")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="of the answer")

    def handle(self, *args: Any, **options: Any) -> None:
        """Count, delete unless it is a dry run, and say so."""
        days = conf.config().retention_days
        if days is None:
            raise CommandError(
                'ROOMS["RETENTION_DAYS"] is None: games are kept for ever, nothing is deleted.'
            )
        before = timezone.now() - timedelta(days=days)
        old = GameRecord.objects.filter(ended_at__lt=before)
        counts = _counts(old) if options["dry_run"] else _delete(old)
        report = {
            "deleted": not options["dry_run"],
            "retentionDays": days,
            "before": before.isoformat(),
            **counts,
        }
        self.stdout.write(json.dumps(report) if options["format"] == "json" else _sentence(report))


def _counts(games: QuerySet[GameRecord]) -> dict[str, int]:
    return {
        "games": games.count(),
        "players": PlayerResult.objects.filter(game__in=games.order_by()).count(),
        "answers": AnswerRecord.objects.filter(player__game__in=games.order_by()).count(),
    }


def _delete(games: QuerySet[GameRecord]) -> dict[str, int]:
    total = {"games": 0, "players": 0, "answers": 0}
    while keys := list(games.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            _, deleted = GameRecord.objects.filter(pk__in=keys).delete()
        total["games"] += deleted.get(GameRecord._meta.label, 0)
        total["players"] += deleted.get(PlayerResult._meta.label, 0)
        total["answers"] += deleted.get(AnswerRecord._meta.label, 0)
    return total


def _sentence(report: dict[str, Any]) -> str:
    verb = "Deleted" if report["deleted"] else "Would delete"
    return (
        f"{verb} {report['games']} games with {report['players']} players and {report['answers']} answers, "
        f"ended more than {report['retentionDays']} days ago."
    )
