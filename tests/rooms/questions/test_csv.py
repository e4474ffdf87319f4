"""CSV and TSV as spreadsheets of several countries write them: whole, broken, with a header and without."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import only, outcomes, right, skipped, texts, words

HEADER = "Question,Answer 1,Answer 2,Answer 3,Time limit,Correct answer\n"
ROWS = (
    "Größter See?,Bodensee,Müritz,Chiemsee,20,1\n"
    'Wie heißt er?,"Müller, Hans",Ärger,O\'Brien,,"Müller, Hans"\n'
    '"Zwei\nZeilen?",a,b,c,30,c\n'
)
EXPECTED = [
    ("Größter See?", ["Bodensee", "Müritz", "Chiemsee"], ["Bodensee"]),
    ("Wie heißt er?", ["Müller, Hans", "Ärger", "O'Brien"], ["Müller, Hans"]),
    ("Zwei\nZeilen?", ["a", "b", "c"], ["c"]),
]


def semicolons(content: str) -> str:
    """As a spreadsheet writes it where the comma is the decimal point's."""
    rows = csv.reader(io.StringIO(content, newline=""))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(rows)
    return out.getvalue()


PLAIN = HEADER + ROWS
FILES = {
    "UTF-8 with a mark, commas": PLAIN.encode("utf-8-sig"),
    "UTF-8, semicolons": semicolons(PLAIN).encode(),
    "Windows-1252, semicolons": semicolons(PLAIN).replace("\n", "\r\n").encode("cp1252"),
    "UTF-16 little endian with a mark, tabs": b"\xff\xfe"
    + semicolons(PLAIN).replace(";", "\t").encode("utf-16-le"),
    "UTF-16 big endian with a mark, tabs": b"\xfe\xff"
    + semicolons(PLAIN).replace(";", "\t").encode("utf-16-be"),
    "UTF-16 without a mark": semicolons(PLAIN).encode("utf-16-le"),
    "sep=": ("sep=;\n" + semicolons(PLAIN)).encode(),
    "sep= behind a mark": ("sep=;\r\n" + semicolons(PLAIN)).encode("utf-8-sig"),
    "carriage returns": PLAIN.replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_one_table_saved_in_many_ways_is_one_set(name: str) -> None:
    """Encodings, separators and line ends of other countries and times."""
    imported = importers.parse(FILES[name])
    assert imported.report.format == "csv"
    assert [
        (question.prompt, texts(question), right(question)) for question in imported.questions
    ] == EXPECTED


def test_a_guessed_encoding_is_told() -> None:
    """Mojibake must not be stored silently."""
    assert "Windows-1252" in importers.parse(FILES["Windows-1252, semicolons"]).report.notes[0]
    assert "UTF-16" in importers.parse(FILES["UTF-16 without a mark"]).report.notes[0]
    assert importers.parse(FILES["UTF-8, semicolons"]).report.notes == []


def test_bytes_of_no_known_encoding_are_refused() -> None:
    with pytest.raises(UnreadableError, match="save it as UTF-8"):
        importers.parse(HEADER.encode() + b"\x81\x8d,\x90,a,b,20,1\n")


@pytest.mark.parametrize("key", ["2", "B", "b", "Quito", "quito"])
def test_the_key_is_a_number_a_letter_or_the_text(key: str) -> None:
    assert right(only(f"Question,A,B,C,Correct\nCapital?,Lima,Quito,Bogota,{key}\n".encode())) == ["Quito"]


@pytest.mark.parametrize("key", ['"1,3"', "A;C", '"Lima; Bogota"', '"Lima,Bogota"', "Lima|Bogota"])
def test_several_keys_may_stand_in_one_cell(key: str) -> None:
    question = only(f"Question,A,B,C,Correct\nWhich?,Lima,Quito,Bogota,{key}\n".encode())
    assert (right(question), question.kind) == (["Lima", "Bogota"], "multiple")


def test_where_most_keys_are_texts_a_number_is_a_text_too() -> None:
    """ "2" is the answer 2, for elsewhere in the file the answers' texts are the keys; the report says so."""
    rows = "Capital?,Lima,Quito,Lima\nColour?,red,blue,blue\nHow many?,2,1,2\n"
    imported = importers.parse(("Question,Option 1,Option 2,Correct\n" + rows).encode())
    assert right(imported.questions[2]) == ["2"]
    assert "as the text of the answer" in imported.report.entries[2].notes[0]


def test_a_file_without_a_header_loses_no_row_and_says_what_was_assumed() -> None:
    imported = importers.parse(b"Capital?,Lima,Quito,2\nColour?,red,blue,1\n")
    assert [right(question) for question in imported.questions] == [["Quito"], ["red"]]
    assert "There is no header" in imported.report.notes[0]


def test_a_first_question_that_reads_like_a_header_is_none() -> None:
    """Letters are headers only where one says which answer is right."""
    assert len(importers.parse(b"Question 1?,a,b,2\nQuestion 2?,a,b,1\n").questions) == 2


def test_entries_stand_in_the_order_of_the_file() -> None:
    imported = importers.parse((HEADER + '"Open?,a,b,c,20,1\n' + "No key?,a,b,c,20,\n" + ROWS).encode())
    assert outcomes(imported)[:3] == [(2, "skipped"), (3, "skipped"), (4, "taken")]


def test_columns_are_found_by_name_whatever_stands_beside_them() -> None:
    """Extra columns and a second one of the same name are named and not used."""
    content = b"No,Correct,Choice B,Choice A,Question,Question,Level\n1,A,Quito,Lima,Capital?,x,easy\n"
    imported = importers.parse(content)
    (question,) = imported.questions
    assert (question.prompt, texts(question), right(question)) == ("Capital?", ["Lima", "Quito"], ["Lima"])
    assert imported.report.notes == [
        f"The column “{name}” is not used." for name in ("No", "Question", "Level")
    ]


def test_a_title_above_the_header_is_no_question() -> None:
    assert len(importers.parse(("My quiz\n\n" + PLAIN).encode()).questions) == 3


def test_weight_and_explanation_are_columns_too() -> None:
    question = only(b"Question;A;B;Correct;Weight;Explanation\nQ?;a;b;A;1,5;Because\n")
    assert (question.weight, question.explanation) == (1.5, "Because")


@pytest.mark.parametrize("weight", ["NaN", "Infinity", "-Infinity", "1e400", "-1"])
def test_a_weight_that_is_no_plain_number_is_1_and_told(weight: str) -> None:
    """NaN would reach the players' browsers."""
    imported = importers.parse(f"Question,A,B,Correct,Weight\nQ?,a,b,A,{weight}\n".encode())
    assert imported.questions[0].weight == 1.0
    assert imported.report.entries[0].notes == (f"the weight “{weight}” is no number: 1 is used",)


# ---------- broken files


def test_a_quotation_mark_that_is_never_closed_loses_one_row() -> None:
    """Not the 497 that follow."""
    rows = [f"Question {number}?,a,b,c,20,1\n" for number in range(1, 501)]
    rows[2] = '"Question 3?,a,b,c,20,1\n'
    imported = importers.parse((HEADER + "".join(rows)).encode())
    assert len(imported.questions) == 499
    entry = skipped(imported)
    assert (entry.number, entry.notes) == (4, ("a quotation mark is not closed, or a cell is too long",))


def test_a_quotation_mark_inside_a_cell_is_a_character() -> None:
    assert only(b'Question,A,B,Correct\n5" pipe?,1" thick,b,A\n').prompt == '5" pipe?'


def test_a_cell_beyond_measure_is_skipped_with_its_line() -> None:
    imported = importers.parse((HEADER + f'"{"x" * 140_000}",a,b,c,20,1\n' + ROWS).encode())
    assert outcomes(imported)[0] == (2, "skipped")
    assert len(imported.questions) == 3


def test_nul_characters_are_taken_out_and_told() -> None:
    """No database takes them."""
    imported = importers.parse(HEADER.encode() + b"Wh\0at?,a,b,c,20,1\n" + b"x" * 300 + b",a,b,c,20,1\n")
    assert imported.questions[0].prompt == "What?"
    assert imported.report.entries[0].notes == ("question: control characters were removed",)


def test_more_questions_than_a_set_holds_are_skipped() -> None:
    rows = "".join(f"Question {number}?,a,b,c,20,1\n" for number in range(600))
    imported = importers.parse((HEADER + rows).encode())
    assert (len(imported.questions), imported.report.skipped) == (500, 100)
    assert "at most 500" in imported.report.entries[-1].notes[0]


def test_a_report_ends_where_a_person_stops_reading() -> None:
    rows = "".join(f"Question {number}?,a,b,c,20,1\n" for number in range(5000))
    report = importers.parse((HEADER + rows).encode()).report
    assert (len(report.entries), report.notes) == (2000, ["Only the first 2000 entries were read."])


@given(
    st.lists(
        st.tuples(words(), st.lists(words(), min_size=3, max_size=3, unique=True)), min_size=1, max_size=5
    ),
    st.sampled_from(",;\t"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_a_spreadsheet_writes_is_read_as_it_was(
    rows: list[tuple[str, list[str]]], separator: str, encoding: str
) -> None:
    """Quoted by another program's rules, in each encoding and with each separator."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerow(["Question", "Answer 1", "Answer 2", "Answer 3", "Correct"])
    for prompt, answers in rows:
        writer.writerow([prompt, *answers, "2"])
    imported = importers.parse(out.getvalue().encode(encoding))
    found = [(question.prompt, texts(question), right(question)) for question in imported.questions]
    assert found == [(prompt, answers, [answers[1]]) for prompt, answers in rows]


@pytest.mark.parametrize("header", ["Timestamp", "Zeitstempel"])
def test_when_a_form_was_sent_is_no_time_limit(header: str) -> None:
    imported = importers.parse(f"{header},Question,A,B,Correct\n2026-05-04,Q?,a,b,A\n".encode())
    assert (imported.questions[0].time_limit_s, outcomes(imported)) == (None, [(2, "taken")])


def test_a_row_with_more_cells_than_the_table_is_skipped() -> None:
    """A comma in a text without quotation marks: no other answer may become the right one."""
    imported = importers.parse((HEADER + "Yes, or no?,a,b,c,20,1\nGood?,a,b,c,20,1,,\n").encode())
    assert outcomes(imported) == [(2, "skipped"), (3, "taken")]
    assert skipped(imported).notes == ("7 cells, the table has 6: is a text not in quotation marks?",)


def test_a_table_without_a_header_is_as_wide_as_most_of_its_rows() -> None:
    """One row of too many cells does not shift the key of all others."""
    imported = importers.parse(b"Q?,a,b,a\nLong, one?,a,b,a\nR?,a,b,b\n")
    assert outcomes(imported) == [(1, "taken"), (2, "skipped"), (3, "taken")]
