"""Kahoot's spreadsheet, as downloaded, as saved again, and as people fill it in."""

from datetime import date

import pytest
from openpyxl import Workbook
from openpyxl.styles import Alignment

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import (
    KAHOOT,
    SHEET,
    as_excel_saves,
    kahoot,
    only,
    outcomes,
    rezipped,
    right,
    saved,
    skipped,
    texts,
    without,
    workbook,
)

LIMA = ("Capital of Peru?", "Lima", "Quito", None, None, 20, 1)


def test_the_template_is_read_from_row_8_on() -> None:
    """Preamble, running numbers and empty numbered rows are no questions."""
    imported = importers.parse(kahoot(LIMA, (None,) * 7, (None,) * 7))
    assert imported.report.format == "kahoot"
    assert outcomes(imported) == [(9, "taken")]
    (question,) = imported.questions
    assert (question.prompt, texts(question), right(question)) == (LIMA[0], ["Lima", "Quito"], ["Lima"])
    assert (question.kind, question.time_limit_s) == ("single", 20)


@pytest.mark.parametrize("key", ["1,3", "1, 3", "1;3", 1.3, "1.3", "A,C"])
def test_several_right_answers_are_read_as_people_and_excel_write_them(key: object) -> None:
    """Where the comma is the decimal point's, Excel makes the number 1.3 of "1,3"."""
    question = only(kahoot(("Which?", "a", "b", "c", "d", 20, key)))
    assert (right(question), question.kind) == (["a", "c"], "multiple")


@pytest.mark.parametrize("key", [2, 2.0, "2", " 2 ", "B", "b"])
def test_one_right_answer_is_a_number_of_any_type(key: object) -> None:
    assert right(only(kahoot(("Which?", "a", "b", "c", "d", 20, key)))) == ["b"]


def test_a_bad_row_is_skipped_alone() -> None:
    """Its row number and the reason are in the report; the others are taken."""
    imported = importers.parse(kahoot(LIMA, ("No key?", "a", "b", None, None, 20, None), (*LIMA[:6], 2)))
    assert outcomes(imported) == [(9, "taken"), (10, "skipped"), (11, "taken")]
    entry = skipped(imported)
    assert (entry.text, entry.notes) == ("No key?", ("no answer is marked as right",))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("One?", "a", None, None, None, 20, 1), "number of answers: 1; there must be 2 to 16"),
        (("None?", None, None, None, None, 20, 1), "“1” is none of the answers"),
        (("Which?", "a", "b", None, None, 20, 3), "“3” is none of the answers"),
        (("Which?", "a", "b", None, None, 20, 0), "“0” is none of the answers"),
        (("Same?", "a", "a", None, None, 20, 1), "“a” is both right and wrong"),
        ((None, "a", "b", None, None, 20, 1), "question: there is no text"),
        (("Q" * 5000, "a", "b", None, None, 20, 1), "question: 5000 characters are more than 2000"),
    ],
)
def test_what_cannot_be_played_is_skipped_with_its_reason(row: tuple[object, ...], reason: str) -> None:
    imported = importers.parse(kahoot(LIMA, row))
    assert skipped(imported).notes == (reason,)
    assert len(imported.questions) == 1


@pytest.mark.parametrize(
    ("time", "seconds", "note"),
    [
        (1, 5, "time limit: 1 s became 5 s"),
        (900, 300, "time limit: 900 s became 300 s"),
        (25, 25, None),
        ("30 sec", 30, None),
        (None, None, None),
        ("abc", None, "the time limit “abc” is no whole number: the room’s is used"),
        ("NaN", None, "the time limit “NaN” is no whole number: the room’s is used"),
        ("Infinity", None, "the time limit “Infinity” is no whole number: the room’s is used"),
        ("1e400", None, "the time limit “1e400” is no whole number: the room’s is used"),
        (1e300, None, "the time limit “1e+300” is no whole number: the room’s is used"),
    ],
)
def test_a_time_out_of_the_list_is_bounded_and_told(time: object, seconds: object, note: str | None) -> None:
    """A question is not lost for it."""
    imported = importers.parse(kahoot((*LIMA[:5], time, 1)))
    assert imported.questions[0].time_limit_s == seconds
    assert imported.report.entries[0].notes == (() if note is None else (note,))


def test_the_header_is_found_in_row_1_and_without_the_numbers() -> None:
    """People delete the preamble and column A, shuffle the columns and use short headers."""
    header = ("Correct answer(s)", "Answer 2", "Question", "Time limit", "Answer 1", "Notes")
    imported = importers.parse(workbook(header, (2, "Quito", "Capital?", 20, "Lima", "x")))
    assert [(texts(question), right(question)) for question in imported.questions] == [
        (["Lima", "Quito"], ["Quito"])
    ]
    assert imported.report.notes == ["The column “Notes” is not used."]


@pytest.mark.parametrize(
    "header",
    [
        (
            "Frage - max. 120 Zeichen",
            "Antwort 1 - max. 75",
            "Antwort 2",
            "Zeitlimit (Sek.)",
            "Richtige Antwort(en)",
        ),
        ("Question", "Réponse 1", "Réponse 2", "Durée", "Bonne(s) réponse(s)"),
        ("Pregunta", "Respuesta 1", "Respuesta 2", "Límite de tiempo", "Respuesta(s) correcta(s)"),
        ("Domanda", "Risposta 1", "Risposta 2", "Tempo limite", "Risposta corretta"),
        ("Soru", "Cevap 1", "Cevap 2", "Süre", "Doğru cevap"),
        ("السؤال", "الإجابة 1", "الإجابة 2", "الوقت", "الإجابة الصحيحة"),
        ("Вопрос", "Ответ 1", "Ответ 2", "Время", "Правильный ответ"),
    ],
    ids=lambda header: header[0],
)
def test_headers_may_be_in_other_languages(header: tuple[str, ...]) -> None:
    question = only(workbook(header, ("Q?", "a", "b", 20, 2)))
    assert (question.prompt, right(question), question.time_limit_s) == ("Q?", ["b"], 20)


def test_texts_are_exactly_what_the_cells_say() -> None:
    """No markup is read, nothing is escaped."""
    row = ("a < b & c?", "<b>x</b>", "&lt;", "AT&T", "C:\\n", 20, 1)
    question = only(kahoot(row))
    assert (question.prompt, texts(question)) == (row[0], list(row[1:5]))


def test_numbers_and_truths_are_read_as_they_look() -> None:
    """Answers are often numbers."""
    book = Workbook()
    assert book.active is not None
    book.active.append(KAHOOT[1:])
    book.active.append(("Which?", 1984, 0.5, True, 0.25, 20, 1))
    assert texts(only(saved(book))) == ["1984", "0.5", "TRUE", "0.25"]


def test_a_percentage_keeps_its_sign() -> None:
    book = Workbook()
    assert book.active is not None
    book.active.append(KAHOOT[1:])
    book.active.append(("How much?", 0.5, 0.25, None, None, 20, 1))
    book.active["B2"].number_format = book.active["C2"].number_format = "0%"
    assert texts(only(saved(book))) == ["50%", "25%"]


def test_texts_in_a_table_of_their_own_are_read_as_well() -> None:
    """As Excel saves them."""
    rows = (LIMA, ("a < b & c?", " <b>", "&lt;", "x\ny", "Ünï", 30, "1,2"))
    assert (
        importers.parse(as_excel_saves(kahoot(*rows))).questions == importers.parse(kahoot(*rows)).questions
    )


@pytest.mark.parametrize("number", ["99", "-1", "x", "1.5", ""])
def test_a_text_that_is_not_in_the_table_is_no_text(number: str) -> None:
    assert len(importers.parse(sheet_with(f'<c t="s"><v>{number}</v></c>')).questions) == 0


# ---------- formulas


def test_a_formula_without_a_result_is_reported_and_never_its_text_imported() -> None:
    """As programs write it that do not calculate; the row is skipped, the others stay."""
    imported = importers.parse(kahoot(LIMA, ("Sum?", '=A1&"x"', "b", None, None, 20, 1)))
    assert outcomes(imported) == [(9, "taken"), (10, "skipped")]
    assert "column C: a formula without a result" in skipped(imported).notes[0]


def sheet_with(cell: str) -> bytes:
    """A table whose answer in B2 is this cell of XML."""
    made = workbook(KAHOOT[1:], ("Q?", "PLACE", "b", None, None, 20, 1))
    head = (
        '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<sheetData><row r="1">'
    )
    names = ("Question", "Answer 1", "Answer 2", "Correct")
    header = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names)
    question = '<c t="inlineStr"><is><t>Q?</t></is></c>'
    row = f'<row r="2">{question}{cell}<c t="str"><v>b</v></c><c><v>1</v></c></row>'
    sheet = f"{head}{header}</row>{row}</sheetData></worksheet>"
    return rezipped(made, {SHEET: sheet.encode()})


def test_a_calculated_formula_is_its_result() -> None:
    """As Excel saved it: nothing is calculated here."""
    cell = '<c t="str"><f>CONCATENATE("x","y")</f><v>xy</v></c>'
    assert texts(only(sheet_with(cell))) == ["xy", "b"]


@pytest.mark.parametrize("error", ["#DIV/0!", "#REF!", "#NAME?"])
def test_an_error_cell_is_no_answer(error: str) -> None:
    imported = importers.parse(sheet_with(f'<c t="e"><f>1/0</f><v>{error}</v></c>'))
    assert skipped(imported).notes == (f"column B: the error {error}",)


def test_rich_text_is_put_together_and_its_readings_are_left_out() -> None:
    """Furigana over a Japanese word is no part of it."""
    reading = '<rPh sb="0" eb="1"><t>トウキョウ</t></rPh>'
    cell = f"<r><t>東</t></r><r><t>京</t></r>{reading}"
    cell = f'<c t="inlineStr"><is>{cell}</is></c>'
    assert texts(only(sheet_with(cell)))[0] == "東京"


def test_a_date_that_a_spreadsheet_made_of_a_text_is_reported() -> None:
    """Of "1/3" Excel makes the third of January: nobody can tell what was typed."""
    imported = importers.parse(kahoot(LIMA, ("Fraction?", date(2026, 1, 3), "b", None, None, 20, 1)))
    assert "column C: a date" in skipped(imported).notes[0]


# ---------- merged cells


def merged(ref: str) -> importers.Imported:
    """Three rows of a table after cells were merged."""
    book = Workbook()
    assert book.active is not None
    for row in (KAHOOT[1:], *[("Q?", "a", "b", "c", None, 20, 1)] * 3):
        book.active.append(row)
    book.active.merge_cells(ref)
    return importers.parse(saved(book))


def test_a_merged_time_is_filled_down() -> None:
    assert [question.time_limit_s for question in merged("F2:F4").questions] == [20, 20, 20]


@pytest.mark.parametrize("ref", ["A2:A3", "B2:C2", "G2:G3", "A2:B2"])
def test_merged_questions_answers_or_keys_are_skipped_with_their_cells(ref: str) -> None:
    """Nobody can tell what was meant, and shifted answers would have a wrong right one."""
    imported = merged(ref)
    bad = [entry for entry in imported.report.entries if entry.outcome == "skipped"]
    assert all(f"the cells {ref} are merged" in entry.notes[0] for entry in bad)
    assert len(bad) + len(imported.questions) == 3
    assert len(bad) == (1 if ref[1] == ref[-1] else 2)
    assert all(right(question) == ["a"] for question in imported.questions)


def test_a_merged_title_above_the_header_is_no_matter() -> None:
    book = Workbook()
    assert book.active is not None
    for row in (("My quiz",), KAHOOT[1:], ("Q?", "a", "b", None, None, 20, 1)):
        book.active.append(row)
    book.active.merge_cells("A1:G1")
    book.active["A1"].alignment = Alignment(horizontal="center")
    assert right(only(saved(book))) == ["a"]


# ---------- workbooks


def test_the_first_visible_sheet_is_read() -> None:
    book = Workbook()
    assert book.active is not None
    book.active.sheet_state = "hidden"
    sheet = book.create_sheet("Quiz")
    sheet.append(KAHOOT[1:])
    sheet.append(("Q?", "a", "b", None, None, 20, 1))
    assert right(only(saved(book))) == ["a"]


def test_a_table_without_a_key_column_says_so() -> None:
    with pytest.raises(UnreadableError, match="No column says which answer is right"):
        importers.parse(workbook(KAHOOT[1:7], ("Q?", "a", "b", None, None, 20)))


def test_a_table_of_something_else_says_so() -> None:
    with pytest.raises(UnreadableError, match="No row has the headers"):
        importers.parse(workbook(("Name", "Age"), ("Ana", 30)))


def test_numbers_that_are_answers_are_keyed_by_position_and_told() -> None:
    """ "2" is the second answer, also where an answer is called 2."""
    imported = importers.parse(kahoot(LIMA, ("1 + 1?", 4, 3, 2, 1, 20, 3)))
    assert right(imported.questions[1]) == ["2"]
    assert imported.report.entries[1].notes == ("“3” was taken as the number of the answer, not as its text",)


def test_a_fault_beside_the_question_costs_only_its_cell() -> None:
    """An explanation that was never calculated is left out, and told."""
    header = ("Question", "Answer 1", "Answer 2", "Correct", "Explanation")
    imported = importers.parse(workbook(header, ("Q?", "a", "b", 1, "=1+1")))
    assert imported.questions[0].explanation == ""
    assert imported.report.entries[0].notes[0].startswith("column E: a formula without a result")


def test_an_explanation_beyond_measure_is_left_out_and_told() -> None:
    header = ("Question", "Answer 1", "Answer 2", "Correct", "Explanation")
    imported = importers.parse(workbook(header, ("Q?", "a", "b", 1, "x" * 3000)))
    assert imported.questions[0].explanation == ""
    assert imported.report.entries[0].notes == ("left out: explanation: 3000 characters are more than 2000",)


@pytest.mark.parametrize(
    ("member", "reason"),
    [("xl/workbook.xml", "no .xlsx workbook"), ("xl/_rels/workbook.xml.rels", "has no sheet")],
)
def test_a_zip_file_of_something_else_says_so(member: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        importers.parse(without(kahoot(LIMA), member))
