"""Importers, one file a format behind one interface: ``parse(data) -> Imported`` or `UnreadableError`.

The format is found by looking into the file, never by its name. Parsing touches no database and fetches
nothing; ``rooms.questions.storing`` keeps what came out.
"""

import logging
from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _

from rooms.questions.importers import (
    aiken,
    delimited,
    gift,
    kahoot,
    moodle,
    opentdb,
    own,
    text,
    wayground,
    xlsx,
)
from rooms.questions.importers.base import (
    MAX_BYTES,
    Collector,
    Entry,
    Imported,
    Report,
    UnreadableError,
)

__all__ = ("FORMATS", "MAX_BYTES", "Entry", "Imported", "Report", "UnreadableError", "detect", "parse")

log = logging.getLogger("rooms")

FORMATS: Final[dict[str, Callable[[bytes], Imported]]] = {
    "kahoot": kahoot.parse,
    "wayground": wayground.parse,
    "csv": delimited.parse,
    "gift": gift.parse,
    "aiken": aiken.parse,
    "moodle": moodle.parse,
    "opentdb": opentdb.parse,
    "halyard": own.parse,
}
"""Every format by its name, as reports call it."""

NAMES: Final = {
    "kahoot": "Kahoot (.xlsx)",
    "wayground": "Wayground / Quizizz (.xlsx)",
    "csv": "CSV / TSV",
    "gift": "GIFT",
    "aiken": "Aiken",
    "moodle": "Moodle XML",
    "opentdb": "Open Trivia DB (.json)",
    "halyard": "Halyard (.json)",
}
"""The same for people."""


def parse(data: bytes) -> Imported:
    """The questions of a file of any format; raises `UnreadableError` and nothing else."""
    try:
        return FORMATS[detect(data)](data)
    except UnreadableError:
        raise
    except Exception as error:
        # Ours to mend; whoever brought the file can do nothing about it and loses nothing.
        log.exception("an importer broke")
        raise UnreadableError(_("The file can’t be read: something broke on our side.")) from error


def detect(data: bytes) -> str:
    """The name of the file's format; raises `UnreadableError` if it is none."""
    if len(data) > MAX_BYTES:
        raise UnreadableError(_("The file is larger than %d MiB.") % (MAX_BYTES // 2**20))
    if data.startswith((b"PK", xlsx.OLE)):
        return "wayground" if wayground.is_one(xlsx.read(data).rows) else "kahoot"
    head = text.beginning(data)
    if head.startswith("<"):
        return "moodle"
    if head.startswith("{") and '"' in head:
        return "halyard" if own.FORMAT in head else "opentdb"
    return _of_text(text.decoded(data, Collector("", "line")))


def _of_text(content: str) -> str:
    if not content.strip("\ufeff \t\r\n"):
        raise UnreadableError(_("The file is empty."))
    # A header decides first: a table's cell may hold braces or an answer line, but not the other way round.
    if delimited.is_one(content):
        return "csv"
    if aiken.is_one(content):
        return "aiken"
    return "gift" if gift.is_one(content) else "csv"
