"""From the rows of a table to questions: what Kahoot's, Wayground's and people's own tables share.

The header is found by its names, wherever it stands (``importers.headers``). Merged cells: a time, type,
explanation or weight is filled down; a row whose question, answers or key are merged is skipped, for nobody
can tell what was meant. Pictures in the file come with their question (``importers.album``), those that are
only an address are not fetched.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct, field

from rooms.questions.drafts import TRUE_FALSE, Draft, Kind, Option, UnusableError
from rooms.questions.importers.album import Album, Media
from rooms.questions.importers.base import Collector, UnreadableError
from rooms.questions.importers.headers import Columns, Field, find, folded

MAX_ROWS: Final = 2100
"""A report's entries and some lines above the header."""
MAX_CELL: Final = 32_767
"""Characters of a cell: what Excel takes."""
MAX_NUMBERS: Final = 200
"""Characters of a key that may be numbers or letters: sixteen of them with spaces have fewer."""
HEADER_WITHIN: Final = 30
"""Rows in which a header is looked for."""
FILLED_DOWN: Final[tuple[Field, ...]] = ("time", "type", "explanation", "weight", "image")
SAMPLES: Final = ("text of the question",)
"""How a template's row of instructions begins."""
ONE_RIGHT: Final = ("", "multiple choice", "single choice", "single", "quiz", "true/false", "true or false")
SEVERAL_RIGHT: Final = ("checkbox", "multiple", "multiple select", "multi-select", "multiselect")


class Row(Struct):
    """One row's texts and, by column, why a text is missing."""

    number: int
    cells: list[str] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)

    def text(self, column: int | None) -> str:
        """The cell's text; raises `UnusableError` with the cell's fault."""
        if column in self.faults:
            raise UnusableError(
                _("column %(name)s: %(fault)s") % {"name": letter(column), "fault": self.faults[column]}
            )
        return self.cells[column].strip() if column is not None and column < len(self.cells) else ""


class Merge(Struct, frozen=True):
    """A block of merged cells; only the first has a text."""

    ref: str
    top: int
    bottom: int
    left: int
    right: int


class Table(Struct):
    """The rows that have something in them."""

    rows: list[Row]
    merges: list[Merge] = field(default_factory=list)
    media: Media | None = None
    cut: bool = False


def header_of(rows: Sequence[Row]) -> tuple[int, Columns] | None:
    """The index of the header among the rows, and its columns."""
    for index, row in enumerate(rows[:HEADER_WITHIN]):
        if (columns := find(row.cells)) is not None:
            return index, columns
    return None


def read(table: Table, out: Collector) -> None:
    """All questions of a table with a header."""
    found = header_of(table.rows)
    if found is None:
        raise UnreadableError(_("No row has the headers of a question, its answers and the right one."))
    index, columns = found
    for name in columns.unused:
        out.note(_("The column “%s” is not used.") % name)
    if "correct" not in columns.fields:
        raise UnreadableError(_("No column says which answer is right."))
    rows = table.rows[index + 1 :]
    _unmerge(table, rows, columns)
    read_rows(rows, columns, out, _album(table, rows, columns, out))
    if table.cut:
        out.note(_("Rows below the first %d were not read.") % table.rows[-1].number)


def read_rows(rows: Sequence[Row], columns: Columns, out: Collector, album: Album | None = None) -> None:
    """The questions of these rows, their columns being known."""
    by_position = _by_position(rows, columns)
    for row in rows:
        if _is_question(row, columns):
            _read_row(row, columns, by_position, out, album)


def letter(column: int) -> str:
    """As a spreadsheet calls it."""
    return (
        chr(ord("A") + column) if column < 26 else f"{chr(ord('A') + column // 26 - 1)}{letter(column % 26)}"
    )


# ---------- one row


def _is_question(row: Row, columns: Columns) -> bool:
    """Neither a template's numbered but empty row, nor its instructions."""
    wanted = (columns.question, *columns.options)
    filled = any(column in row.faults or _plain(row, column) for column in wanted)
    return filled and not folded(_plain(row, columns.question)).startswith(SAMPLES)


def _read_row(row: Row, columns: Columns, by_position: bool, out: Collector, album: Album | None) -> None:
    notes: list[str] = []
    try:
        draft = _draft(row, columns, by_position, notes)
    except UnusableError as error:
        out.skip(row.number, str(error), _plain(row, columns.question))
        return
    if album is not None:
        draft = msgspec.structs.replace(draft, picture=album.picture_of(row.number, notes))
    out.take(row.number, draft, *notes)


def _draft(row: Row, columns: Columns, by_position: bool, notes: list[str]) -> Draft:
    key = row.text(columns.fields.get("correct"))
    several = _several(row.text(columns.fields.get("type")))
    options = [
        (number, text) for number, column in enumerate(columns.options, 1) if (text := row.text(column))
    ]
    right = _right(key, options, by_position, notes)
    kind: Kind = "multiple" if several or len(right) > 1 else "single"
    if kind == "single" and tuple(text for _number, text in options) == TRUE_FALSE:
        kind = "boolean"
    if link := _lenient(row, columns, "image", notes):
        notes.append(_("the picture at %s was not fetched") % link[:100])
    return Draft(
        prompt=row.text(columns.question),
        options=tuple(Option(text, number in right) for number, text in options),
        kind=kind,
        time_limit_s=_seconds(_lenient(row, columns, "time", notes), notes),
        weight=_weight(_lenient(row, columns, "weight", notes), notes),
        explanation=_lenient(row, columns, "explanation", notes),
    )


def _several(type_: str) -> bool:
    name = folded(type_)
    if name not in ONE_RIGHT + SEVERAL_RIGHT:
        raise UnusableError(_("the type “%s” can’t be played") % type_[:40])
    return name in SEVERAL_RIGHT


def _plain(row: Row, column: int) -> str:
    return "" if column in row.faults else row.text(column)


def _lenient(row: Row, columns: Columns, name: Field, notes: list[str]) -> str:
    """A cell without which the question is one, too."""
    try:
        return row.text(columns.fields.get(name))
    except UnusableError as error:
        notes.append(str(error))
        return ""


def _seconds(text: str, notes: list[str]) -> int | None:
    found = re.match(r"(\d{1,6})(?:[.,]0+)?\s*(?:s|sec|sek|seconds?|sekunden)?\.?$", text, re.IGNORECASE)
    if text and not found:
        notes.append(_("the time limit “%s” is no whole number: the room’s is used") % text[:20])
    return int(found[1]) if found else None


def _weight(text: str, notes: list[str]) -> float:
    found = re.match(r"\d{1,6}(?:[.,]\d+)?$", text)
    if text and not found:
        notes.append(_("the weight “%s” is no number: 1 is used") % text[:20])
    return float(text.replace(",", ".")) if found else 1.0


# ---------- pictures


def _album(table: Table, rows: Sequence[Row], columns: Columns, out: Collector) -> Album | None:
    if table.media is None:
        return None
    by_number = {row.number: row for row in rows}
    read = {columns.question, *columns.options, columns.fields["correct"]}
    for picture in table.media.placed:
        # In a column of its own a picture is no fault; where a text should be it is one.
        if picture.top in by_number and picture.column not in read:
            by_number[picture.top].faults.pop(picture.column, None)
    album = Album(table.media, columns.options, out.pictures)
    album.place([row.number for row in rows if _is_question(row, columns)], out)
    return album


# ---------- which answers are right


def _right(key: str, options: list[tuple[int, str]], by_position: bool, notes: list[str]) -> set[int]:
    """The numbers of the right options: by position, by letter, or by their text."""
    if not key:
        raise UnusableError(_("no answer is marked as right"))
    as_text = {number for number, text in options if text.casefold() == key.casefold()}
    as_position = positions(key, [number for number, _text in options])
    if as_position and as_text and as_text != as_position:
        notes.append(
            _("“%s” was taken as the number of the answer, not as its text") % key
            if by_position
            else _("“%s” was taken as the text of the answer, not as its number") % key
        )
    right = (as_position or as_text) if by_position else (as_text or as_position)
    right = right or _texts(key, options)
    if not right:
        raise UnusableError(_("“%s” is none of the answers") % key[:60])
    return right


def positions(key: str, numbers: Sequence[int]) -> set[int]:
    """ "1,3", "1.3" (where the comma is the decimal point's), "B", "A; C"; empty if it is none of these."""
    if len(key) > MAX_NUMBERS:
        return set()
    parts = [part for part in re.split(r"[\s,;./&|]+", key) if part]
    found = {int(part) if part.isdecimal() and len(part) < 3 else _of_letter(part) for part in parts}
    return found if found and found <= set(numbers) else set()


def _of_letter(part: str) -> int:
    return ord(part.upper()) - ord("A") + 1 if re.fullmatch("[A-Pa-p]", part) else 0


def _texts(key: str, options: list[tuple[int, str]]) -> set[int]:
    """Several texts in one cell, which may have commas themselves: the separators in turn."""
    by_text = {text.casefold(): number for number, text in options}
    for separator in ("\n", "|", ";", ","):
        parts = [part.strip().casefold() for part in key.split(separator) if part.strip()]
        if parts and all(part in by_text for part in parts):
            return {by_text[part] for part in parts}
    return set()


def _by_position(rows: Sequence[Row], columns: Columns) -> bool:
    """How the key column means its numbers: in most rows they are positions, or else texts."""
    votes: Counter[bool] = Counter()
    for row in rows:
        key = _plain(row, columns.fields["correct"])
        numbers = [number for number, column in enumerate(columns.options, 1) if _plain(row, column)]
        texts = {_plain(row, column).casefold() for column in columns.options}
        if key and (is_position := bool(positions(key, numbers))) != (key.casefold() in texts):
            votes[is_position] += 1
    return votes[True] >= votes[False]


# ---------- merged cells


def _unmerge(table: Table, rows: Sequence[Row], columns: Columns) -> None:
    filled_down = {columns.fields[name] for name in FILLED_DOWN if name in columns.fields}
    first = {row.number: row for row in rows}
    for merge in table.merges:
        fills = merge.left == merge.right and merge.left in filled_down
        text = _plain(first[merge.top], merge.left) if fills and merge.top in first else ""
        for row in rows:
            if merge.top <= row.number <= merge.bottom:
                _unmerge_row(row, merge, text if fills else None)


def _unmerge_row(row: Row, merge: Merge, text: str | None) -> None:
    for column in range(merge.left, min(merge.right, 63) + 1):
        if text is None:
            row.faults[column] = _("the cells %s are merged") % merge.ref
        else:
            row.cells += [""] * (column + 1 - len(row.cells))
            row.cells[column] = text
