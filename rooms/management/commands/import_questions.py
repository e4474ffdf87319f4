"""``manage.py import_questions FILE``: a file becomes a question set, or updates the one that it made."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import msgspec
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from rooms.questions import importers, storing
from rooms.questions.importers import Imported
from rooms.questions.models import QuestionSet
from rooms.questions.storing import Changes, Target


class Command(BaseCommand):
    """Ends with an error if nothing of the file can be used; what was skipped is in the report."""

    help = (
        "Import questions: Kahoot and Wayground .xlsx, CSV, GIFT, Aiken, Moodle XML, JSON of Open Trivia DB "
        "or Halyard. Without --owner the set belongs to the site and is public."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file and where it goes."""
        parser.add_argument("file", type=Path, help="the file; its format is found by its content")
        parser.add_argument("--owner", help="the name of the user whose set it is")
        parser.add_argument(
            "--title", default="", help="of a new set; else the file's own title, or its name"
        )
        parser.add_argument("--set", dest="set_id", help="the id of the set to update")
        parser.add_argument("--dry-run", action="store_true", help="report, and store nothing")
        parser.add_argument("--format", choices=("text", "json"), default="text", help="of the report")

    def handle(self, *args: Any, **options: Any) -> None:
        """Parse, compare, and unless it is a dry run store."""
        imported = _parsed(options["file"])
        target = _target(imported, options)
        if options["dry_run"] or not imported.questions:
            stored, changes = target.into, storing.compare(imported, target.into)
        else:
            stored, changes = storing.save(imported, target)
        if options["format"] == "json":
            self._write_json(imported, target, stored, changes, options["dry_run"])
        else:
            self._write_text(imported, target, stored, changes, options["dry_run"])
        if not imported.questions:
            raise CommandError(f"no question in {options['file']} can be used: nothing was stored")

    def _write_json(
        self, imported: Imported, target: Target, stored: QuestionSet | None, changes: Changes, dry_run: bool
    ) -> None:
        told = {
            "set": None if stored is None else stored.public_id,
            "title": target.title if stored is None else stored.title,
            "dryRun": dry_run,
            "changes": msgspec.to_builtins(changes),
            "report": msgspec.to_builtins(imported.report),
        }
        self.stdout.write(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())

    def _write_text(
        self, imported: Imported, target: Target, stored: QuestionSet | None, changes: Changes, dry_run: bool
    ) -> None:
        report = imported.report
        for note in report.notes:
            self.stdout.write(note)
        for entry in report.entries:
            self.stdout.write(f"{report.unit} {entry.number}: {entry.outcome}: {entry.text}")
            for note in entry.notes:
                self.stdout.write(f"    {note}")
        title = target.title if stored is None else f"{stored.title} ({stored.public_id})"
        self.stdout.write(
            f"{importers.NAMES[report.format]}: {report.taken} taken, {report.skipped} skipped. {title}: "
            f"{len(changes.added)} new, {len(changes.changed)} changed, {len(changes.removed)} removed, "
            f"{changes.unchanged} as they were.{' Nothing was stored (dry run).' if dry_run else ''}"
        )


def _parsed(path: Path) -> Imported:
    try:
        with path.open("rb") as file:
            return importers.parse(file.read(importers.MAX_BYTES + 1))
    except (OSError, importers.UnreadableError) as error:
        raise CommandError(f"{path}: {error}") from error


def _target(imported: Imported, options: dict[str, Any]) -> Target:
    owner = _owner(options["owner"])
    target = storing.find(imported, owner, options["title"], options["file"].name)
    if options["set_id"] is None:
        return target
    into = QuestionSet.objects.filter(public_id=options["set_id"]).first()
    if into is None or (options["owner"] is not None and into.owner != owner):
        raise CommandError(f"there is no question set {options['set_id']!r} of this owner")
    return msgspec.structs.replace(target, into=into)


def _owner(name: str | None) -> Any:
    if name is None:
        return None
    users = get_user_model()
    try:
        return users._default_manager.get_by_natural_key(name)
    except users.DoesNotExist as error:
        raise CommandError(f"there is no user {name!r}") from error
