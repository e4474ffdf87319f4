"""Workbooks that claim or hold more than they should: read in flat memory, or refused."""

import io
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import KAHOOT, SHEET, TEXTS, kahoot, outcomes, rezipped, workbook

FLAT = 48 * 2**20
"""Bytes. The largest file may be 12 MiB, and unpack to 64."""
GOOD = kahoot(("Capital?", "Lima", "Quito", None, None, 20, 1))
HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = b"</sheetData></worksheet>"


def peak(work: Callable[[], object]) -> int:
    """The most memory that was held at once while this ran, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        importers.parse(data)


BOMBS = {
    "one row of 300,000 cells": (SHEET, HEAD + b'<row r="1">' + b"<c/>" * 300_000 + b"</row>" + TAIL),
    "250,000 rows": (SHEET, HEAD + b"<row/>" * 250_000 + TAIL),
    "80,000 cells of text": (
        SHEET,
        HEAD + b"<row>" + b'<c t="inlineStr"><is><t>x</t></is></c>' * 80_000 + b"</row>" + TAIL,
    ),
    "250,000 shared texts": (TEXTS, b"<sst>" + b"<si><t>x</t></si>" * 250_000 + b"</sst>"),
    "elements in elements": (SHEET, b"<a>" * 250_000),
    "entities": (SHEET, b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>' + HEAD + TAIL),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_flat_memory(name: str) -> None:
    """All of these are some kilobytes when they are packed."""
    member, content = BOMBS[name]
    bomb = rezipped(GOOD, {member: content})
    assert len(bomb) < 2**20
    assert peak(lambda: refused(bomb)) < FLAT


def test_a_file_that_unpacks_to_too_much_is_refused_unread() -> None:
    """What the directory of a zip file claims is believed: more than that is never unpacked."""
    bomb = rezipped(GOOD, {SHEET: b" " * (65 * 2**20)})
    assert peak(lambda: refused(bomb)) < FLAT


def test_a_member_that_lies_about_its_size_is_refused() -> None:
    """It is cut where it should end, and then it is no XML."""
    data = bytearray(rezipped(GOOD, {SHEET: HEAD + b" " * 50_000_000 + TAIL}))
    honest, lie = (50_000_000 + len(HEAD + TAIL)).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    assert data.count(honest) == 2
    refused(bytes(data.replace(honest, lie)))


def test_too_many_members_are_refused() -> None:
    file = io.BytesIO(GOOD)
    with zipfile.ZipFile(file, "a") as archive:
        for number in range(600):
            archive.writestr(f"x{number}", "")
    refused(file.getvalue())


def test_a_sheet_longer_than_a_report_is_read_to_its_measure() -> None:
    """With a word about it; rows of numbers alone are no questions."""
    rows = [("Q?", "a", "b", None, None, 20, 1)] * 2500
    imported = importers.parse(workbook(KAHOOT[1:], *rows))
    assert len(imported.questions) == 500
    assert any("were not read" in note or "were read" in note for note in imported.report.notes)


def test_a_cell_far_out_makes_no_table_of_its_size() -> None:
    """XFD1048576 is one cell, not seventeen milliards."""
    sheet = (
        HEAD
        + b'<row r="1"><c r="A1" t="str"><v>Question</v></c><c r="B1" t="str"><v>A</v></c>'
        + b'<c r="C1" t="str"><v>B</v></c><c r="D1" t="str"><v>Correct</v></c></row>'
        + b'<row r="2"><c r="A2" t="str"><v>Q?</v></c><c r="B2" t="str"><v>a</v></c>'
        + b'<c r="C2" t="str"><v>b</v></c><c r="D2"><v>1</v></c><c r="XFD2"><v>1</v></c></row>'
        + b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
        + TAIL
    )
    data = rezipped(GOOD, {SHEET: sheet})
    assert peak(lambda: outcomes(importers.parse(data))) < FLAT
    assert outcomes(importers.parse(data)) == [(2, "taken")]


@pytest.mark.parametrize("ref", ["A1:XFD1048576", "A9:H1048576", "nonsense", "A0:A0", "A1", ""])
def test_a_merge_of_everything_costs_nothing(ref: str) -> None:
    sheet = (
        HEAD
        + b"</sheetData><mergeCells>"
        + f'<mergeCell ref="{ref}"/>'.encode() * 5000
        + b"</mergeCells></worksheet>"
    )
    refused(rezipped(GOOD, {SHEET: sheet}))


def test_a_text_file_larger_than_any_set_is_refused() -> None:
    with pytest.raises(UnreadableError, match="must not be larger than 4 MiB"):
        importers.parse(b"Question,A,B,Correct\n" + b"a,b\n" * 2**20)


def test_of_a_text_file_of_endless_lines_the_first_are_read() -> None:
    """In flat memory: what a report can hold, and no more."""
    data = b"Question,A,B,Correct\n" + b"a,b\n" * (2**20 - 8)
    assert peak(lambda: importers.parse(data)) < FLAT


def test_pictures_inside_a_workbook_are_told_not_to_be_taken() -> None:
    file = io.BytesIO(GOOD)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("xl/media/image1.png", b"x")
    assert "Pictures inside the workbook" in importers.parse(file.getvalue()).report.notes[0]


def test_a_workbook_with_a_password_says_so() -> None:
    """An encrypted member, as some zip programs make it."""
    data = bytearray(GOOD)
    at = data.rfind(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.rfind(b"PK\x01\x02", 0, at)
    refused(bytes(data))
