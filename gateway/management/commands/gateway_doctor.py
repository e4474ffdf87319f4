"""``manage.py gateway_doctor [URL]``: visits the site through its real front door and says what is wrong."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from gateway import conf
from gateway.core.diagnosis import Facts, Finding, diagnose
from gateway.doctor.mirror import note
from gateway.doctor.visit import Visitor, visit


class Command(BaseCommand):
    """Exits 0 if players can play, 1 with each thing that is wrong and what to write where."""

    help = "Open the site and a WebSocket through the real front door, and say in plain words what is wrong."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url", nargs="?", type=_address, default="http://127.0.0.1:8000", help="(default: %(default)s)"
        )
        parser.add_argument("--json", action="store_true", help="print facts and findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        with _session() as cookie:
            interval_s = conf.config().connection.heartbeat.interval_s
            facts = visit(Visitor(options["url"], cookie, note(), interval_s))
        findings = diagnose(facts)
        if options["json"]:
            said = msgspec.json.encode({"facts": facts, "findings": findings})
            self.stdout.write(msgspec.json.format(said).decode())
        else:
            self._tell(facts, findings)
        if findings:
            raise CommandError(f"{len(findings)} found wrong", returncode=1)

    def _tell(self, facts: Facts, findings: list[Finding]) -> None:
        for number, finding in enumerate(findings, start=1):
            self.stdout.write(f"{number}. {finding.title}\n   {finding.remedy}\n")
        if not findings:
            self.stdout.write(
                self.style.SUCCESS(f"Players can play: a quiet socket lived {facts.lived_s:.0f} s.")
            )


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise argparse.ArgumentTypeError(f"give an address like https://quiz.example, not {text!r}")
    return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def _session() -> Iterator[str]:
    """A session of our own for as long as the visit takes, as a cookie."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    try:
        store.create()
    except DatabaseError as error:
        raise CommandError(f"The session store does not work ({error}): run 'manage.py migrate'?") from error
    try:
        yield f"{settings.SESSION_COOKIE_NAME}={store.session_key}"
    finally:
        store.delete()
