"""Kahoot's spreadsheet: header in row 8, columns B to H, positions as the key; also as people save it again.

ClassQuiz's own template has the same columns (its header is in row 13). All rules are in
``importers.table``.
"""

from rooms.questions.importers import table, xlsx
from rooms.questions.importers.base import Collector, importer


def _read(data: bytes, out: Collector) -> None:
    table.read(xlsx.read(data), out)


parse = importer("kahoot", "row", _read)
