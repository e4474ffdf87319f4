"""Wayground's (Quizizz's) spreadsheet: header in row 1, a type for each question, up to five options.

Its row of instructions is no question; types other than choices can't be played. All rules are in
``importers.table``.
"""

from rooms.questions.importers import table, xlsx
from rooms.questions.importers.base import Collector, importer


def is_one(rows: list[table.Row]) -> bool:
    """Whether a workbook's rows are this and not Kahoot's: only this has a column of types."""
    found = table.header_of(rows)
    return found is not None and "type" in found[1].fields


def _read(data: bytes, out: Collector) -> None:
    table.read(xlsx.read(data), out)


parse = importer("wayground", "row", _read)
