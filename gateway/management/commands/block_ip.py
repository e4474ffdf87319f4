"""``manage.py block_ip``: put an address, a network or an account into the block list, without the admin."""

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from gateway import blocking


class Command(BaseCommand):
    """Block, and say until when; a server that runs closes the sockets within a second or two."""

    help = "Block an address, a network or an account (user:7); its sockets are closed."

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's options."""
        parser.add_argument("value", help="192.0.2.7, 192.0.2.0/24, 2001:db8::/32, user:7 or session:…")
        parser.add_argument("--reason", default="manage.py block_ip", help="shown in the admin")
        parser.add_argument("--minutes", type=_minutes, help="(default: for ever)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Block it."""
        minutes = options["minutes"]
        until = None if minutes is None else timezone.now() + timedelta(minutes=minutes)
        try:
            entry = blocking.block(options["value"], options["reason"], until)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(
            f"{entry.value} is blocked {f'until {until:%Y-%m-%d %H:%M %Z}' if until else 'for ever'}."
        )


def _minutes(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(text)
    return int(text)
