"""The front of all importers: the format is found by content, and no file of any kind breaks anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.questions import importers
from rooms.questions.drafts import Draft, Option, settle
from rooms.questions.exporters import FORMATS as EXPORTERS
from rooms.questions.exporters import Sheaf
from rooms.questions.importers import FORMATS, UnreadableError
from tests.rooms.questions.kit import WAYGROUND, kahoot, workbook

SAMPLES: dict[str, bytes] = {
    "kahoot": kahoot(("Capital?", "Lima", "Quito", None, None, 20, 1)),
    "wayground": workbook(WAYGROUND, ("Q?", "Checkbox", "a", "b", None, None, None, "1,2", 30, None, None)),
    "csv": b"Question,A,B,Correct\nCapital?,Lima,Quito,A\n",
    "gift": b"::t:: Capital?{=Lima ~Quito}\n\nTrue?{T}\n",
    "aiken": b"Capital?\nA. Lima\nB. Quito\nANSWER: A\n",
    "moodle": (
        b'<?xml version="1.0"?><quiz><question type="multichoice"><questiontext format="html"><text>Q?</text>'
        b'</questiontext><answer fraction="100"><text>a</text></answer>'
        b'<answer fraction="0"><text>b</text></answer></question></quiz>'
    ),
    "opentdb": json.dumps(
        {
            "response_code": 0,
            "results": [
                {"type": "multiple", "question": "Q q?", "correct_answer": "a", "incorrect_answers": ["b"]}
            ],
        }
    ).encode(),
    "halyard": EXPORTERS["halyard"](Sheaf((Draft("Q?", (Option("a", True), Option("b"))),))).content,
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_is_found_by_looking_into_the_file(name: str) -> None:
    """A name or an extension is not asked for."""
    assert importers.detect(SAMPLES[name]) == name
    imported = importers.parse(SAMPLES[name])
    assert imported.report.format == name
    assert imported.report.skipped == 0
    assert imported.questions


def test_every_format_has_a_name_for_people() -> None:
    assert set(importers.NAMES) == set(FORMATS) == set(SAMPLES)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty"),
        (b" \n\t", "The file is empty"),
        (b"Hello there", "no table of questions"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "old .xls file, or it has a password"),
        (b"PK\x03\x04nonsense", "can’t be read"),
        (b"%PDF-1.7\n\xff\x81", "encoding is unknown"),
        (b"x" * (importers.MAX_BYTES + 1), "larger than 12 MiB"),
    ],
)
def test_what_is_no_question_file_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        importers.parse(data)


def read_or_refused(name: str, data: bytes) -> None:
    """The format's own reader, without the front's net: it reads, or it says why not."""
    try:
        imported = FORMATS[name](data)
    except UnreadableError:
        return
    assert len(imported.questions) == imported.report.taken
    for question in imported.questions:
        assert settle(question) == (question, [])


@given(st.sampled_from(sorted(FORMATS)), st.binary(max_size=400))
def test_no_reader_breaks_on_any_bytes(name: str, data: bytes) -> None:
    read_or_refused(name, data)


@given(
    st.sampled_from(sorted(FORMATS)),
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), st.binary(max_size=12)), max_size=6),
)
def test_no_reader_breaks_on_a_damaged_file(name: str, damages: list[tuple[int, int, bytes]]) -> None:
    """Bytes lost, changed and added anywhere in a good file."""
    data = SAMPLES[name]
    for at, lost, added in damages:
        at %= len(data) + 1
        data = data[:at] + added + data[at + lost :]
    read_or_refused(name, data)


def test_a_report_quotes_a_file_without_its_control_characters() -> None:
    """A terminal would obey them."""
    hostile = b"Question,A,B,Correct,Type\nQ?,a,b,1,\x1b[2Jpoll\nQ?,a,b,\x1b]0;x\x07,\n"
    report = importers.parse(hostile).report
    assert report.skipped == 2
    assert all(char.isprintable() for entry in report.entries for note in entry.notes for char in note)
    with pytest.raises(UnreadableError) as refused:
        importers.parse(b"<quiz\xc2\x9b2J></quiz>")
    assert str(refused.value).isprintable()


GIFT_MARKS = st.sampled_from(
    ["{", "}", "=", "~", "#", "####", "%50%", "->", "::", "\\", "\n", "\n\n", "T", "//", "[html]", "a", "<b>"]
)
AIKEN_LINES = st.sampled_from(
    ["Q?", "A. x", "B) y", "A) z", "ANSWER: A", "ANSWER: B", "ANSWER:", "", "C.", "x"]
)
CELLS = st.sampled_from(
    ["Question", "Answer 1", "Answer 2", "Correct", "1", "1,3", '"', '""', "a;b", "", "é", "\0", "20"]
)


@given(st.lists(GIFT_MARKS, max_size=40).map("".join))
def test_no_order_of_gifts_marks_breaks_its_reader(content: str) -> None:
    read_or_refused("gift", content.encode())


@given(st.lists(AIKEN_LINES, max_size=20).map("\n".join))
def test_no_order_of_aikens_lines_breaks_its_reader(content: str) -> None:
    read_or_refused("aiken", content.encode())


@given(st.lists(st.lists(CELLS, max_size=6).map(",".join), max_size=8).map("\n".join))
def test_no_table_breaks_its_reader(content: str) -> None:
    read_or_refused("csv", content.encode())


def test_a_fault_of_ours_is_logged_and_told_in_words(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever brought the file is not shown a broken page."""

    def broken(data: bytes) -> importers.Imported:
        raise ZeroDivisionError

    monkeypatch.setitem(FORMATS, "gift", broken)
    with pytest.raises(UnreadableError, match="something broke on our side"):
        importers.parse(SAMPLES["gift"])
    assert "ZeroDivisionError" in caplog.text
