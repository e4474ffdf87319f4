"""CSV and TSV as spreadsheets of several countries write them: separator and header are found.

Without a header the columns are: question, answers, and last the right one; the report says so. A record
that is broken is reported by its line, and the next line is read. What a row means is in
``importers.table``.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from django.utils.translation import gettext as _

from rooms.questions.importers import table, text
from rooms.questions.importers.base import Collector, UnreadableError, importer
from rooms.questions.importers.headers import Columns
from rooms.questions.importers.table import Row, Table

SEPARATORS: Final = ",;\t|"
MAX_LINE: Final = 100_000
"""Characters of one line: sixteen long answers have a tenth of that."""
RECORD_LINES: Final = 50
"""Lines of one record at most: a quotation mark that is never closed must not swallow the file."""
LOOK: Final = 30
"""Records from which the separator is guessed."""
LEAST_COLUMNS: Final = 4
"""Of a table without a header: a question, two answers, the key."""
SEP: Final = re.compile(r"^\ufeff?\"?sep=(.)\"?$", re.IGNORECASE)


def is_one(content: str) -> bool:
    """Whether the text has a table's header."""
    return _header_width(list(text.lines(content)), separator_of(content)) > 0


def _read(data: bytes, out: Collector) -> None:
    content = text.decoded(data, out)
    lines = list(text.lines(content))
    separator = separator_of(content)
    start = 1 if lines and SEP.match(lines[0]) else 0
    every = (row for row in _rows(lines, separator, start, out) if any(row.cells))
    rows = list(islice(every, table.MAX_ROWS))
    cut = next(every, None) is not None
    if (found := table.header_of(rows)) is not None:
        below = found[0] + 1
        fitting = _fitting(rows[below:], len(rows[found[0]].cells), out)
        table.read(Table([*rows[:below], *fitting], cut=cut), out)
    else:
        _read_bare(rows, out)


def _read_bare(rows: Sequence[Row], out: Collector) -> None:
    widths = Counter(len(row.cells) for row in rows[:LOOK])
    width = max(widths, key=lambda cells: (widths[cells], cells), default=0)
    if width < LEAST_COLUMNS:
        raise UnreadableError(_("This is no table of questions: there is no header, and no four columns."))
    out.note(
        _("There is no header: the columns were taken as question, answers, right answer. Look closely.")
    )
    columns = Columns(0, tuple(range(1, width - 1)), {"question": 0, "correct": width - 1})
    table.read_rows(list(_fitting(rows, width, out)), columns, out)


def _fitting(rows: Iterable[Row], width: int, out: Collector) -> Iterator[Row]:
    """The rows that are not too long: in such a row nobody can tell which cell is the key."""
    for row in rows:
        if any(row.cells[width:]):
            facts = {"cells": len(row.cells), "width": width}
            reason = _("%(cells)d cells, the table has %(width)d: is a text not in quotation marks?") % facts
            out.skip(row.number, reason, row.cells[0])
        else:
            yield row


# ---------- records


def _rows(lines: Sequence[str], separator: str, start: int, out: Collector) -> Iterator[Row]:
    line = start
    while line < len(lines):
        record, used = _record(lines, line, separator)
        if record is None:
            out.skip(line + 1, _("a quotation mark is not closed, or a cell is too long"), lines[line][:200])
        else:
            yield Row(line + 1, record)
        line += used


def _record(lines: Sequence[str], line: int, separator: str) -> tuple[list[str] | None, int]:
    """The record that begins at this line, and how many lines it has; None for a broken one."""
    if len(lines[line]) > MAX_LINE:
        return None, 1
    reader = csv.reader(
        (text + "\n" for text in lines[line : line + RECORD_LINES]), delimiter=separator, strict=True
    )
    try:
        record = next(reader)
        return (record if max(map(len, record), default=0) <= table.MAX_CELL else None), reader.line_num
    except csv.Error:
        pass
    if lines[line].count('"') % 2:
        return None, 1
    try:
        return next(csv.reader([lines[line]], delimiter=separator)), 1
    except csv.Error:
        return None, 1


# ---------- the separator


def separator_of(content: str) -> str:
    """What the file says (``sep=;``), else what makes the widest header, else the evenest table."""
    lines = list(islice(text.lines(content), LOOK + RECORD_LINES))
    if lines and (said := SEP.match(lines[0])):
        return said[1]
    return max(
        SEPARATORS, key=lambda separator: (_header_width(lines, separator), _evenness(lines, separator))
    )


def _some(lines: Sequence[str], separator: str) -> list[Row]:
    quiet = Collector("csv", "line")
    return list(islice(_rows(lines[: LOOK + RECORD_LINES], separator, 0, quiet), LOOK))


def _header_width(lines: Sequence[str], separator: str) -> int:
    found = table.header_of(_some(lines, separator))
    return len(found[1].options) + len(found[1].fields) if found else 0


def _evenness(lines: Sequence[str], separator: str) -> int:
    widths = [len(row.cells) for row in _some(lines, separator)]
    return sum(width == max(widths) for width in widths) if widths and max(widths) > 1 else 0


parse = importer("csv", "line", _read)
