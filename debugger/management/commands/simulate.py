"""``manage.py simulate SCENARIO.json``: print a scenario's timeline, check what the file expects."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from debugger import expect, text, timeline
from debugger.recorded import RecordedRoom, parse_any
from debugger.scenario import ScenarioError
from debugger.simulation import simulate

MAX_FILE_BYTES = 4_194_304
"""A scenario of the most actions is a few kilobytes; a recorded room has its questions' drawings with it."""


class Command(BaseCommand):
    help = "Run a scenario of the state debugger and print its timeline; ends with 1 if an expectation fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and the form of the output."""
        parser.add_argument("scenario", type=Path, help="a scenario file, or a file that an export gave")
        parser.add_argument("--json", action="store_true", help="the whole timeline as JSON")

    def handle(self, *args: Any, scenario: Path, json: bool, **options: Any) -> None:
        """Run it."""
        try:
            found = parse_any(_read(scenario))
            run = found.play() if isinstance(found, RecordedRoom) else simulate(found)
        except (OSError, ScenarioError) as error:
            raise CommandError(f"{scenario}: {error}") from error
        if json:
            self.stdout.write(timeline.encode(run).decode())
        else:
            for line in text.lines(run):
                self.stdout.write(line)
        if failed := expect.failures(run):
            raise CommandError("\n".join(failed))


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ScenarioError(f"the file has more than {MAX_FILE_BYTES} bytes")
    return data
