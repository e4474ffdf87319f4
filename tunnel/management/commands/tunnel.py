"""``manage.py tunnel NAME …``: the same client as ``python -m tunnel``; needs no database."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from tunnel.client.main import main
from tunnel.client.options import options_parser


class Command(BaseCommand):
    """Serve a local site under a name of a relay."""

    help = "Make a site on this machine reachable through a tunnel relay."
    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """The client's own command line, with nothing of Django's added."""
        return options_parser(f"{prog_name} {subcommand}")

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the client and exit with its code."""
        sys.exit(main(argv[2:], f"{argv[0]} {argv[1]}"))
