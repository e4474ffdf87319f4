"""The importers: any file is read or refused in words, and what was read is sound (spec 2.5).

    python -m fuzz.importers -max_total_time=600

The first byte chooses the reader, the rest is the file; one choice puts the rest into a workbook as its
sheet, for no fuzzer makes a ZIP.
"""

import io
import zipfile
from pathlib import Path
from unicodedata import category

from fuzz import harness

with harness.instrumented("rooms"):
    harness.with_django()
    from rooms.questions.drafts import MAX_QUESTIONS, settle
    from rooms.questions.importers import FORMATS, UnreadableError, detect

READERS = sorted(FORMATS)
SHEET = len(READERS)
DATA = harness.ROOT / "tests" / "data"
LARGEST_SEED = 8_192
OBEYED = {"Cc", "Zl", "Zp", "Cs"}
"""Kinds of characters that a terminal does not show but does: controls, ends of lines, halves."""

WORKBOOK = {
    "[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "xl/workbook.xml": (
        b'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.'
        b'openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" '
        b'r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
        b'Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        b'Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}
SHEET_SEED = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">'
    b'<c r="A1" t="inlineStr"><is><t>Question</t></is></c>'
    b'<c r="B1" t="inlineStr"><is><t>Answer 1</t></is></c>'
    b'<c r="C1" t="inlineStr"><is><t>Answer 2</t></is></c><c r="D1" t="inlineStr"><is><t>Correct</t></is></c>'
    b'</row><row r="2"><c r="A2" t="str"><v>Why?</v></c><c r="B2"><v>1</v></c><c r="C2" t="b"><v>0</v></c>'
    b'<c r="D2"><f>1+0</f><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A3:B4"/></mergeCells>'
    b"</worksheet>"
)


def files() -> list[Path]:
    """The files of other hands that the tests have, where the folder's name is a reader's."""
    return [path for name in READERS for path in sorted((DATA / name).glob("*")) if path.is_file()]


SEEDS = [
    *(
        bytes([READERS.index(path.parent.name)]) + path.read_bytes()
        for path in files()
        if path.stat().st_size <= LARGEST_SEED
    ),
    bytes([SHEET]) + SHEET_SEED,
]
WORDS = [
    *("question", "Question Text", "Correct", "Answer 1", "Time in seconds", "sep=;", "\ufeff", '""', "\r\n"),
    *("::", "{", "}", "=", "~", "#", "####", "%50%", "->", "\\n", "$CATEGORY:", "[html]", "TRUE", "//"),
    *(
        "ANSWER: A",
        "A. ",
        "B) ",
        "<quiz>",
        "<question type=",
        "<text>",
        "<![CDATA[",
        "]]>",
        "&amp;",
        "fraction=",
    ),
    *("<!DOCTYPE", "<!ENTITY", "response_code", "results", "correct_answer", "incorrect_answers", "multiple"),
    *(
        "<row r=",
        '<c r="',
        "<v>",
        "</v>",
        "<f>",
        "<is><t>",
        "<mergeCell ref=",
        't="s"',
        't="e"',
        "XFD1048576",
    ),
]


def check(data: bytes) -> None:
    """The reader's own word, without the net that the front has."""
    choice, content = (data[0] % (SHEET + 1), data[1:]) if data else (SHEET, b"")
    if choice == SHEET:
        content = in_workbook(content)
    try:
        detect(content)
    except UnreadableError as error:
        assert is_one_line(str(error))
    for name in ("kahoot", "wayground") if choice == SHEET else (READERS[choice],):
        read(name, content)


def read(name: str, content: bytes) -> None:
    """Whole questions and an honest report, or a reason."""
    try:
        imported = FORMATS[name](content)
    except UnreadableError as error:
        assert is_one_line(str(error))
        return
    assert len(imported.questions) == imported.report.taken <= MAX_QUESTIONS
    for question in imported.questions:
        assert settle(question) == (question, [])
    for entry in imported.report.entries:
        assert all(map(is_one_line, entry.notes))


def is_one_line(text: str) -> bool:
    """Whether it says only what it shows: a report is written to terminals, too."""
    return not any(category(char) in OBEYED for char in text)


def in_workbook(sheet: bytes) -> bytes:
    """An .xlsx with this as its only sheet."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in {**WORKBOOK, "xl/worksheets/sheet1.xml": sheet}.items():
            made.writestr(name, content)
    return file.getvalue()


if __name__ == "__main__":
    harness.main("importers", check, SEEDS, WORDS)
