"""``manage.py tunnel_token issue|list|rotate|revoke``: tokens from the command line (spec 6.1)."""

from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tunnel.models import Token


def days(text: str) -> timedelta:
    """How long a token is good for."""
    try:
        return timedelta(days=float(text))
    except (ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{text!r} is no number of days") from error


class Command(BaseCommand):
    """Issue, list, rotate and revoke the tokens of tunnel clients."""

    help = "Issue, list, rotate or revoke tunnel tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        """One subcommand each."""
        actions = parser.add_subparsers(dest="action", required=True)
        issue = actions.add_parser("issue", help="make a token and print it, once")
        issue.add_argument("label", help="who has it, and what for")
        issue.add_argument(
            "--scope", required=True, help="the one name that it may serve, or '*' for every name"
        )
        issue.add_argument("--days", type=days, help="days until it expires (default: never)")
        actions.add_parser("list", help="list all tokens, without their secrets")
        for action, text in (("rotate", "give a token a new secret"), ("revoke", "end a token")):
            one = actions.add_parser(action, help=text)
            one.add_argument("id", help="its id, as the list shows it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        getattr(self, f"_{options['action']}")(options)

    def _issue(self, options: dict[str, Any]) -> None:
        expires_at = timezone.now() + options["days"] if options["days"] else None
        try:
            _, text = Token.issue(options["label"], options["scope"], expires_at)
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        self._show(text)

    def _list(self, options: dict[str, Any]) -> None:
        for token in Token.objects.all():
            state = "revoked" if token.revoked_at else "live"
            expires = token.expires_at.isoformat(timespec="minutes") if token.expires_at else "never"
            self.stdout.write(
                f"{token.token_id}  {token.scope:<20}  {state:<7}  expires {expires}  {token.label}"
            )

    def _rotate(self, options: dict[str, Any]) -> None:
        token = self._live(options["id"])
        text = token.set_secret()
        token.save(update_fields=["secret_hash"])
        self._show(text)

    def _revoke(self, options: dict[str, Any]) -> None:
        token = self._live(options["id"])
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        self.stdout.write(f"revoked {token.token_id}; a client that uses it is sent away within seconds")

    def _live(self, token_id: str) -> Token:
        token = Token.objects.filter(token_id=token_id, revoked_at=None).first()
        if token is None:
            raise CommandError(f"no live token has the id {token_id!r}")
        return token

    def _show(self, text: str) -> None:
        self.stdout.write(text)
        self.stderr.write("This is shown once: keep it in a file that only you can read, or in TUNNEL_TOKEN.")
