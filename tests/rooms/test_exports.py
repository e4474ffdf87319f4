"""rooms.exports: results as CSV and .xlsx, whole, in order, and harmless in a spreadsheet."""

import csv
import io
import zipfile
from datetime import datetime
from typing import Any

import openpyxl
import pytest
from django.utils import timezone, translation

from rooms import exports
from rooms.cells import unguarded
from rooms.core.questions import Choice, Question
from rooms.exports import Table, csv_file, xlsx_file
from rooms.models import GameRecord
from rooms.records import store
from tests.rooms.games import ENDED_AT, Party, finished

EVIL = '=HYPERLINK("http://evil.example")'


def from_csv(content: bytes) -> list[list[str]]:
    """The cells as a program reads them."""
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def from_xlsx(content: bytes) -> dict[str, list[list[Any]]]:
    """Each sheet's cells; a formula would come back as its text with the type ``f``."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert not any(cell.data_type == "f" for sheet in book for row in sheet.iter_rows() for cell in row)
    return {sheet.title: [[cell.value for cell in row] for row in sheet.iter_rows()] for sheet in book}


def stored(*names: str, prompt: str = "Which?") -> GameRecord:
    """One question that these players answer right."""
    asked = (Question("q1", prompt, (Choice("1a", "-yes-"), Choice("1b", "=no")), frozenset({"1a"})),)
    party = Party("Ana", *names, asked=asked, scoring="accuracy").starts()
    party.answers(**dict.fromkeys(names, "a"))
    record = store(party.report, ENDED_AT)
    assert record is not None
    return exports.load(GameRecord.objects.filter(pk=record.pk))[0]


# ---------- files


def test_headers_are_made_harmless_like_every_other_cell() -> None:
    """A header may be somebody's text as well (E07)."""
    table = Table("T", (EVIL, "-n-"), [("+1", 5)])
    assert from_csv(csv_file(table)) == [["'" + EVIL, "'-n-"], ["'+1", "5"]]
    assert from_xlsx(xlsx_file([table])) == {"T": [[EVIL, "-n-"], ["+1", 5]]}


@pytest.mark.parametrize("text", [EVIL, "+1", "-1", "-Anna-", "@SUM", "\t=1", "#N/A", "true", "007", " a "])
def test_a_text_is_text_in_a_workbook_and_comes_back_unchanged(text: str) -> None:
    """The cell says that it is a string; there is no formula in the file, and no guard in the value."""
    content = xlsx_file([Table("T", ("h",), [(text,)])])
    assert from_xlsx(content)["T"][1] == [text]
    sheet = zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml").decode()
    assert "<f" not in sheet


def test_a_cell_that_looks_like_a_formula_stays_text_when_somebody_edits_it() -> None:
    """Excel's own mark for that, set where it is needed."""
    content = xlsx_file([Table("T", ("h",), [("=1",), ("Ana",)])])
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert [sheet.cell(row, 1).quotePrefix for row in (2, 3)] == [True, False]


def test_a_workbook_takes_texts_that_xml_or_excel_can_not_hold() -> None:
    """Control characters are shown as such, endless texts end at Excel's limit: the export never fails."""
    content = xlsx_file([Table("T" * 40, ("h",), [("a\x07b",), ("x" * 40_000,), ("a\r\nb",)])])
    ((_, rows),) = from_xlsx(content).items()
    assert [rows[1][0], len(rows[2][0]), rows[3][0]] == ["a\N{REPLACEMENT CHARACTER}b", 32_767, "a\nb"]


def test_a_csv_file_tells_excel_its_encoding() -> None:
    """Without the byte order mark Excel shows é as two letters."""
    content = csv_file(Table("T", ("h",), [("é",)]))
    assert content == b"\xef\xbb\xbfh\r\n\xc3\xa9\r\n"


def test_times_are_exact_for_programs_and_local_for_people() -> None:
    """CSV has the zone in it; a spreadsheet's times have none."""
    table = Table("T", ("h",), [(ENDED_AT,)])
    with timezone.override("Europe/Berlin"):
        assert from_csv(csv_file(table))[1] == ["2026-05-04T10:30:00+00:00"]
        assert from_xlsx(xlsx_file([table]))["T"][1] == [datetime(2026, 5, 4, 12, 30)]


def test_nothing_and_yes_and_no_are_plain() -> None:
    """No rank is an empty cell; CSV knows only 1 and 0."""
    table = Table("T", ("a", "b"), [(None, True)])
    assert from_csv(csv_file(table))[1] == ["", "1"]
    assert from_xlsx(xlsx_file([table]))["T"][1] == [None, True]


# ---------- tables


@pytest.mark.django_db
def test_names_come_back_from_both_files_as_the_players_typed_them() -> None:
    """CSV through `unguarded`, a workbook as it is (E07)."""
    names = ["-Anna-", "=1+1", "+49", "@home", "4242", "O'Neil", "__proto__"]
    table = exports.players_table([stored(*names)])
    read = [row[2] for row in from_csv(csv_file(table))[1:]]
    assert [unguarded(name) for name in read] == names
    assert not any(name[0] in "=+-@" for name in read)
    assert [row[2] for row in from_xlsx(xlsx_file([table]))["Players"][1:]] == names


@pytest.mark.django_db
def test_the_players_table_is_the_ranking() -> None:
    """Best first, ties with one rank, in the order of joining (spec 2.4)."""
    store(finished(), ENDED_AT)
    table = exports.players_table(exports.load(GameRecord.objects.all()))
    assert [row[1:] for row in table.rows] == [
        (1, "Ben", 3000, 3, 3, 3),
        (2, "Cleo", 1000, 1, 2, 3),
        (2, "Dan", 1000, 1, 2, 3),
    ]


@pytest.mark.django_db
def test_the_questions_table_has_the_right_answers_and_the_counts() -> None:
    """Who was there and did not answer is counted, too."""
    store(finished(), ENDED_AT)
    table = exports.questions_table(exports.load(GameRecord.objects.all()))
    assert [row[1:7] for row in table.rows] == [
        (1, "Question 1?", "Option a", 2, 1, 0),
        (2, "Question 2?", "Option a", 2, 1, 0),
        (3, "Question 3?", "Option a", 1, 0, 2),
    ]
    assert table.rows[0][7] == "Option a: 2, Option b: 1, Option c: 0, Option d: 0"


@pytest.mark.django_db
def test_the_answers_table_explains_every_point() -> None:
    """Base, streak, time and credit for lag stand beside the points they make (spec 2.4)."""
    party = Party("Ana", "Ben", streak_bonus=True, scoring="accuracy").starts()
    party.answers(Ben="a").answers(Ben="a").answers(Ben="b")
    store(party.report, ENDED_AT)
    table = exports.answers_table(exports.load(GameRecord.objects.all()))
    assert [row[1:10] for row in table.rows] == [
        (1, "Question 1?", "Ben", "Option a", True, 1000, 1000, 0, 1010),
        (2, "Question 2?", "Ben", "Option a", True, 1100, 1000, 100, 1010),
        (3, "Question 3?", "Ben", "Option b", False, 0, 0, 0, 1010),
    ]


@pytest.mark.django_db
def test_a_workbook_holds_everything_about_its_games() -> None:
    """Games, players, questions and answers, each row with its game."""
    for game_id in ("1", "2"):
        store(finished(game_id=game_id), ENDED_AT)
    sheets = from_xlsx(exports.workbook(exports.load(GameRecord.objects.order_by("game_id"))))
    assert {title: len(rows) - 1 for title, rows in sheets.items()} == {
        "Games": 2,
        "Players": 6,
        "Questions": 6,
        "Answers": 14,
    }
    assert {rows[1][0] for rows in sheets.values()} == {"1"}
    assert all(len(row) == len(rows[0]) for rows in sheets.values() for row in rows)


@pytest.mark.django_db
def test_questions_that_begin_like_formulas_are_text() -> None:
    """Their choices, too, in every table (E07)."""
    game = stored("Ben", prompt="\t=1+1")
    for make in exports.TABLES.values():
        rows = from_csv(csv_file(make([game])))
        assert not any(cell[:1] in {"=", "+", "-", "@", "\t", "\r"} for row in rows for cell in row)
    sheets = from_xlsx(exports.workbook([game]))
    assert sheets["Questions"][1][2] == "\t=1+1"
    assert sheets["Answers"][1][4] == "-yes-"


@pytest.mark.django_db
def test_an_export_that_would_be_too_much_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """In numbers, so that the asker can choose fewer games."""
    store(finished(), ENDED_AT)
    monkeypatch.setattr(exports, "MAX_ANSWERS", 6)
    with translation.override("en"), pytest.raises(exports.TooMuchError, match=r"7 answers.*at most 6"):
        exports.load(GameRecord.objects.all())
