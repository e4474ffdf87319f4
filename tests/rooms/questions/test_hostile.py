"""Files that claim or hold more than they should: read in flat memory and in time, or refused."""

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


def test_a_workbook_with_a_password_says_so() -> None:
    """An encrypted member, as some zip programs make it."""
    data = bytearray(GOOD)
    at = data.rfind(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.rfind(b"PK\x01\x02", 0, at)
    refused(bytes(data))


# ---------- files that would take all memory, or hours (a test that hangs here has failed)


def sheet_of(*cells: str) -> bytes:
    """A workbook of one question."""
    rows = (("Question", "A", "B", "Correct"), cells)
    typed = ["".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in row) for row in rows]
    xml = "".join(f"<row>{row}</row>" for row in typed)
    return rezipped(GOOD, {SHEET: HEAD + xml.encode() + TAIL})


def moodle(stem: str, answer: str = "a", format_: str = "html") -> bytes:
    asked = f'<questiontext format="{format_}"><text>{stem}</text></questiontext>'
    answered = (
        f'<answer fraction="100" format="html"><text>{answer}</text></answer><answer><text>b</text></answer>'
    )
    return f'<quiz><question type="multichoice">{asked}{answered}</question></quiz>'.encode()


ATTRIBUTES = b" ".join(b'a%d=""' % number for number in range(400_000))
HEADER = b"Question,A,B,Correct\n"
WEIGHTY = {
    "attributes": (b"<quiz " + ATTRIBUTES + b"/>", "a tag or a comment that is too long"),
    "attributes of a cell": (
        rezipped(GOOD, {SHEET: HEAD + b"<row><c " + ATTRIBUTES + b"/></row>" + TAIL}),
        "a tag or a comment that is too long",
    ),
    "a comment": (b"<quiz><!--" + b"x" * 2**20 + b"--></quiz>", "a tag or a comment that is too long"),
    "elements": (b"<quiz>" + b"<a b='c'/>" * 190_000 + b"</quiz>", "too many or too deeply nested"),
    "values": (b'{"results":[' + b"0," * 400_000 + b"0]}", "too many values"),
    "brackets": (b'{"results":' + b"[" * 10**6, "can’t be read"),
    "tags that never end": (
        moodle("&lt;img " * 200_000, format_="plain_text"),
        "characters are more than 2000",
    ),
    "tags of an answer": (moodle("Q?", "&lt;img " * 200_000), "more than 500 tags"),
    "a long text": (moodle("x" * 10 * 2**20), "characters are more than 2000"),
    "spaces in GIFT": (b"a" + b" " * 10**6 + b"b{=x ~y}", "more than 2000"),
    "titles without answers": (b"::a\n" * 40_000 + b"{=x ~y}", "more than 2000"),
    "answers": (b"q{" + b"=a ~b " * 300_000 + b"}", "more than 64 answers"),
    "spaces in a cell": (HEADER + b'"a' + b" " * 90_000 + b'b",1,2,1\n', "a cell is too long"),
    "spaces in a sheet": (sheet_of("a" + " " * 10**6 + "b", "x", "y", "1"), "more than a cell holds"),
    "a key of a million numbers": (sheet_of("Q?", "x", "y", "1," * 10**6), "more than a cell holds"),
    "a key of thousands": (sheet_of("Q?", "x", "y", "1," * 15_000), "is none of the answers"),
    "commas": (HEADER + b"," * (3 * 2**20), "a cell is too long"),
    "an entity of digits": (
        b'{"results":[{"type":"multiple","question":"a &#' + b"9" * 5000 + b'; b","correct_answer":"a",'
        b'"incorrect_answers":["b"]}]}',
        "not encoded like the rest",
    ),
}


@pytest.mark.parametrize("name", WEIGHTY)
def test_a_file_of_too_much_of_one_thing_is_refused_or_skipped_in_words(name: str) -> None:
    """Neither memory nor time grows with more than the file."""
    data, reason = WEIGHTY[name]

    def said() -> str:
        try:
            report = importers.parse(data).report
        except UnreadableError as error:
            return str(error)
        assert report.taken == 0
        return " ".join(note for entry in report.entries for note in entry.notes)

    assert peak(said) < FLAT
    assert reason in said()


def test_of_a_table_that_never_ends_the_first_rows_are_read() -> None:
    """However many cells each has."""
    data = HEADER + (b"q?,a,b,A" + b"," * 50 + b"\n") * 40_000
    assert peak(lambda: importers.parse(data)) < FLAT
    report = importers.parse(data).report
    assert (report.taken, report.notes) == (500, ["Only the first 2000 entries were read."])


def test_of_a_table_of_other_rows_the_first_are_read() -> None:
    """Rows that are no questions count, too: they are no entries of the report, but they are looked at."""
    data = HEADER + b",,,A\n" * 5000
    assert importers.parse(data).report.notes[-1].startswith("Rows below the first")
