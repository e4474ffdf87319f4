"""``manage.py play_bots``: bots play whole games against a running server and check what they were told."""

import argparse
import asyncio
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rooms.bots.swarm import Plan, play
from rooms.bots.view import BotView, disagreements
from rooms.models import PlayerResult

RECORD_S = 10.0
"""Games are stored off the hot path: so long a record may take to appear."""
LOOK_S = 0.2
BAR = 30


class Command(BaseCommand):
    """Exits 1 if any view disagrees with another, with itself or with the server's records."""

    help = "Let bots play whole games against a running server on the same database, and check every view."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", default="http://127.0.0.1:8000", help="the site (default: %(default)s)")
        parser.add_argument("--rooms", type=_count, default=20, help="games at once (default: %(default)s)")
        parser.add_argument("--players", type=_count, default=40, help="bots in each (default: %(default)s)")
        parser.add_argument(
            "--questions", type=_count, default=5, help="questions in each (default: %(default)s)"
        )
        parser.add_argument(
            "--slowest",
            type=float,
            default=2.0,
            help="seconds that the slowest answer takes (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        plan = Plan(
            options["url"].rstrip("/"),
            options["rooms"],
            options["players"],
            options["questions"],
            options["slowest"],
        )
        began = time.monotonic()
        try:
            rooms = asyncio.run(play(plan, lambda done: self._show_progress(done, plan.rooms)))
        except (OSError, ValueError) as error:
            raise CommandError(
                f"{plan.site} cannot be reached ({error}). Is 'manage.py serve' running?"
            ) from error
        if self.stdout.isatty():
            self.stdout.write("")
        trouble = [line for views in rooms for line in disagreements(views, _recorded(views[0]))]
        answers = sum(len(view.points) for views in rooms for view in views)
        seconds = time.monotonic() - began
        self.stdout.write(
            f"{plan.rooms} games, {plan.rooms * plan.players} bots, {answers} results in {seconds:.1f} s, "
            f"{len(trouble)} disagreements"
        )
        if trouble:
            raise CommandError("\n".join(trouble[:20]))

    def _show_progress(self, done: int, total: int) -> None:
        """On a terminal; a log has no use for a bar."""
        if not self.stdout.isatty():
            return
        filled = BAR * done // total
        self.stdout.write(f"\r[{'#' * filled}{'.' * (BAR - filled)}] {done}/{total} games", ending="")
        self.stdout.flush()


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 up, not {text!r}")
    return int(text)


def _recorded(view: BotView) -> dict[str, int] | None:
    """The scores that the server stored for the view's game; None if there are none in time."""
    deadline = time.monotonic() + RECORD_S
    while time.monotonic() < deadline:
        found = dict(PlayerResult.objects.filter(game__game_id=view.game_id).values_list("seat_id", "score"))
        if found:
            return found
        time.sleep(LOOK_S)
    return None
