"""What the XML of a workbook says: shared texts, number formats, the cells of one sheet.

Handlers for ``importers.xml.walk``; they keep what is asked for, within limits, and nothing else. Where the
XML comes from is in ``importers.xlsx``.
"""

import re
from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from msgspec import Struct
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

from rooms.questions.importers.base import UnreadableError
from rooms.questions.importers.table import MAX_CELL, MAX_ROWS, Merge, Row

MAX_COLUMNS: Final = 64
MAX_MERGES: Final = 1000
MAX_TEXTS: Final = 100_000
MAX_FOUND: Final = 500
"""Sheets of a workbook, parts that it names."""
EXACT: Final = 1e15
"""Up to here every whole number is exact in a spreadsheet."""


class Ignoring:
    """A handler of nothing."""

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        """Nothing."""

    def end(self, tag: str) -> None:
        """Nothing."""

    def data(self, data: str) -> None:
        """Nothing."""


class Elements(Ignoring):
    """The attributes of all elements of one name."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self.found: list[dict[str, str]] = []

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        if tag == self._tag and len(self.found) < MAX_FOUND:
            self.found.append(attrs)


class _Rich(Ignoring):
    """Texts in ``t`` elements, put together; readings (``rPh``) are left out."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.taking = self.in_reading = False

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self.in_reading = self.in_reading or tag == "rPh"
        self.taking = tag == "t" and not self.in_reading

    def end(self, tag: str) -> None:
        self.taking = False
        self.in_reading = self.in_reading and tag != "rPh"

    def data(self, data: str) -> None:
        if self.taking:
            self.parts.append(data)

    def taken(self) -> str:
        text, self.parts = "".join(self.parts), []
        # Excel writes a control character as _x000D_, and such a text itself as _x005F_x000D_.
        return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)


class Texts(_Rich):
    """``sharedStrings.xml``."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[str] = []

    def end(self, tag: str) -> None:
        super().end(tag)
        if tag == "si":
            self.all.append(self.taken())
            if len(self.all) > MAX_TEXTS:
                raise UnreadableError(_("The workbook has too many texts."))


class Styles(Ignoring):
    """Which cells hold a date, which a percentage: ``styles.xml``."""

    def __init__(self) -> None:
        self._formats: dict[str, str] = {str(number): code for number, code in BUILTIN_FORMATS.items()}
        self._in_cells = False
        self._cells: list[str] = []

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        if tag == "numFmt":
            self._formats[attrs.get("numFmtId", "")] = attrs.get("formatCode", "")
        self._in_cells = self._in_cells or tag == "cellXfs"
        if tag == "xf" and self._in_cells:
            self._cells.append(attrs.get("numFmtId", "0"))

    def end(self, tag: str) -> None:
        self._in_cells = self._in_cells and tag != "cellXfs"

    def format_of(self, style: str) -> str:
        known = style.isdecimal() and int(style) < len(self._cells)
        return self._formats.get(self._cells[int(style)], "") if known else ""


class InCell(Struct, frozen=True):
    """A cell that holds something richer than text, which ``metadata.xml`` knows by a number from 1."""

    row: int
    column: int
    value: int


class _Cell(Struct):
    column: int
    kind: str = "n"
    style: str = ""
    rich: int | None = None
    value: str = ""
    formula: bool = False
    has_value: bool = False


class Sheet(_Rich):
    """``sheet1.xml``: its rows, merges, and cells with pictures in them."""

    def __init__(self, texts: list[str], styles: Styles) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.merges: list[Merge] = []
        self.in_cells: list[InCell] = []
        self.cut = False
        self._texts, self._styles = texts, styles
        self._row = Row(0)
        self._cell = _Cell(-1)
        self._skipping = False

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        super().start(tag, attrs)
        match tag:
            case "row":
                self._row = Row(number_of(attrs.get("r", "")) or self._row.number + 1)
                self._cell = _Cell(-1)
                self._skipping = self._row.number > MAX_ROWS
                self.cut = self.cut or self._skipping
            case "c":
                column = _column(attrs.get("r", "")) if "r" in attrs else self._cell.column + 1
                rich = number_of(attrs.get("vm", ""))
                self._cell = _Cell(column, attrs.get("t", "n"), attrs.get("s", ""), rich)
            case "v":
                self.taking = True
            case "f":
                self._cell.formula = True
            case "mergeCell" if len(self.merges) < MAX_MERGES:
                self.merges += _merge(attrs.get("ref", ""))

    def end(self, tag: str) -> None:
        super().end(tag)
        if tag == "v" or (tag == "is" and self._cell.kind == "inlineStr"):
            self._cell.value = self.taken()
            self._cell.has_value = self._cell.value != "" or self._cell.kind == "str"
        elif tag == "c":
            self._keep(self._cell)
            self.parts = []
        elif tag == "row" and self._row.cells and not self._skipping:
            self.rows.append(self._row)

    def _keep(self, cell: _Cell) -> None:
        if self._skipping or not 0 <= cell.column < MAX_COLUMNS:
            return
        text, fault = self._read(cell)
        if len(text) > MAX_CELL:
            text, fault = "", _("%d characters are more than a cell holds") % len(text)
        if text or fault:
            self._row.cells += [""] * (cell.column + 1 - len(self._row.cells))
            self._row.cells[cell.column] = text
        if fault:
            self._row.faults[cell.column] = fault
        if cell.rich:
            self.in_cells.append(InCell(self._row.number, cell.column, cell.rich))

    def _read(self, cell: _Cell) -> tuple[str, str]:
        """The cell's text, or what is wrong with it."""
        if cell.formula and not cell.has_value:
            return "", _("a formula without a result: open and save the file in a spreadsheet")
        match cell.kind:
            case "s":
                number = number_of(cell.value)
                known = number is not None and number < len(self._texts)
                return (self._texts[number] if known else ""), ""
            case "e" if cell.rich:
                return "", _("a picture, and no text")
            case "e":
                return "", _("the error %s") % cell.value[:20]
            case "b":
                return ("TRUE" if cell.value == "1" else "FALSE"), ""
            case "n":
                return self._numeric(cell)
            case _:
                return cell.value, ""

    def _numeric(self, cell: _Cell) -> tuple[str, str]:
        try:
            number = float(cell.value)
        except ValueError:
            return cell.value, ""
        code = self._styles.format_of(cell.style)
        if is_date_format(code):
            return "", _("a date: was it typed as a text like 1/3?")
        if "%" in code:
            return f"{number * 100:g}%", ""
        return (str(int(number)) if number.is_integer() and abs(number) < EXACT else repr(number)), ""


def number_of(text: str) -> int | None:
    """A whole number of up to nine digits."""
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _column(ref: str) -> int:
    """``C7`` is column 2."""
    column = 0
    for letter in re.match(r"[A-Z]{0,3}", ref)[0]:  # type: ignore[index]  # it matches anything
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _merge(ref: str) -> Iterator[Merge]:
    first, _colon, last = ref.partition(":")
    top, bottom = (number_of(corner.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) for corner in (first, last))
    if top and bottom:
        yield Merge(ref, top, bottom, _column(first), _column(last))
