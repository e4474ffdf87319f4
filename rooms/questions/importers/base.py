"""What every importer has in common: what it returns, how it reports, and when it stops.

An importer reads one format and hands each question to a `Collector` with the place where it stood; the
collector settles it (``rooms.questions.drafts``) and writes the report. Nothing here knows a format.
"""

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Final, Literal

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct, field

from rooms.questions import drafts
from rooms.questions.drafts import Draft, UnusableError
from rooms.questions.pictures import Allowance

MAX_BYTES: Final = 12 * 2**20
"""Of a file: 500 questions with pictures for a screen."""
MAX_ENTRIES: Final = 2000
"""Of a report: questions, taken or not. What follows is not read."""
KEY_BYTES: Final = 12
KEY_MAX: Final = 56
"""Characters of a file's own key: room for a number behind it in the 64 of a row's."""

NOTE_MAX: Final = 300
"""Characters of one remark, which may quote the file."""

Outcome = Literal["taken", "changed", "skipped"]
Unit = Literal["row", "line", "question"]


class UnreadableError(ValueError):
    """Nothing can be read of the whole file; the text says why, to people."""

    def __init__(self, text: str) -> None:
        # It may quote the file, and is written to terminals.
        super().__init__(drafts.shown(text, NOTE_MAX))


class Entry(Struct, frozen=True):
    """What became of one question of the file; ``number`` counts rows, lines or questions from 1."""

    number: int
    outcome: Outcome
    text: str
    notes: tuple[str, ...] = ()


class Report(Struct):
    """Entry by entry what was taken, changed and skipped; ``notes`` are about the file as a whole."""

    format: str
    unit: Unit
    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, *outcomes: Outcome) -> int:
        """How many entries ended so."""
        return sum(entry.outcome in outcomes for entry in self.entries)

    @property
    def taken(self) -> int:
        """Questions that are there now, with changes or without."""
        return self.count("taken", "changed")

    @property
    def skipped(self) -> int:
        """Questions that are not."""
        return self.count("skipped")


class Imported(Struct):
    """A file's questions in its order, and what it says about itself."""

    questions: tuple[Draft, ...]
    report: Report
    title: str = ""
    description: str = ""
    attribution: str = ""
    set_id: str = ""


class _FullError(Exception):
    """The report holds no more."""


class Collector:
    """Takes an importer's questions; raises through the importer when there are too many."""

    def __init__(self, format_: str, unit: Unit) -> None:
        self.report = Report(format_, unit)
        self.about: dict[str, str] = {}
        self.pictures = Allowance()
        self._questions: list[Draft] = []
        self._keys: set[str] = set()

    def take(self, number: int, draft: Draft, *notes: str) -> None:
        """A question, unless it can't be played or is one too many."""
        try:
            if len(self._questions) >= drafts.MAX_QUESTIONS:
                raise UnusableError(_("a set holds at most %d questions") % drafts.MAX_QUESTIONS)
            settled, changes = drafts.settle(draft)
        except UnusableError as error:
            self.skip(number, str(error), draft.prompt)
            return
        self._questions.append(msgspec.structs.replace(settled, key=self._key(settled)))
        every = (*notes, *changes)
        self._enter(number, "changed" if every else "taken", settled.prompt, *every)

    def skip(self, number: int, reason: str, text: str = "") -> None:
        """Something that is no question we can play."""
        self._enter(number, "skipped", text, reason)

    def note(self, text: str) -> None:
        """Something about the whole file, once."""
        told = drafts.shown(text, NOTE_MAX)
        if told not in self.report.notes:
            self.report.notes.append(told)

    def imported(self) -> Imported:
        """All there is."""
        self.report.entries.sort(key=lambda entry: entry.number)
        about = {name: drafts.clean(text) for name, text in self.about.items()}
        return Imported(tuple(self._questions), self.report, **about)

    def _enter(self, number: int, outcome: Outcome, text: str, *notes: str) -> None:
        if len(self.report.entries) >= MAX_ENTRIES:
            self.note(_("Only the first %d entries were read.") % MAX_ENTRIES)
            raise _FullError
        # What is quoted from the file is written to terminals, too.
        told = tuple(drafts.shown(note, NOTE_MAX) for note in notes)
        self.report.entries.append(Entry(number, outcome, drafts.shown(text), told))

    def _key(self, draft: Draft) -> str:
        """The file's own key, else one of the text; the same text again has the next number."""
        text = " ".join(draft.prompt.split()).casefold()
        stem = draft.key[:KEY_MAX] or blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()
        key, number = stem, 1
        while key in self._keys:
            number += 1
            key = f"{stem}-{number}"
        self._keys.add(key)
        return key


def importer(
    format_: str, unit: Unit, read: Callable[[bytes, Collector], Any]
) -> Callable[[bytes], Imported]:
    """The interface of every format: ``parse(data)``, which raises `UnreadableError` and nothing else."""

    def parse(data: bytes) -> Imported:
        if len(data) > MAX_BYTES:
            raise UnreadableError(_("The file is larger than %d MiB.") % (MAX_BYTES // 2**20))
        out = Collector(format_, unit)
        with suppress(_FullError):  # the report says so
            read(data, out)
        return out.imported()

    return parse
