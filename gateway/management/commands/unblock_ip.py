"""``manage.py unblock_ip``: the way back in for whoever has blocked himself out of the admin."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gateway import blocking


class Command(BaseCommand):
    """End the block of exactly this value."""

    help = "End the block of an address, a network or an account now."

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's one argument."""
        parser.add_argument("value", help="as the list names it, in any spelling")

    def handle(self, *args: Any, **options: Any) -> None:
        """Unblock it."""
        value = options["value"]
        try:
            found = blocking.unblock(value)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if not found:
            raise CommandError(f"Nothing in the list blocks exactly {value!r} now; a network may hold it.")
        self.stdout.write(f"{value} is not blocked any more.")
