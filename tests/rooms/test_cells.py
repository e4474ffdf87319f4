"""rooms.cells: no text of a person begins a formula in a CSV file, and every text comes back as it was."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.cells import guarded, unguarded

HOSTILE = [
    '=HYPERLINK("http://evil.example","x")',
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=1+1,"x"',
    "＝1+1",
    "'=1",
]
HARMLESS = ["Anna", "O'Neil", "'Anna'", "Ana-Maria", "a=b", "1+1", "", "'", "élève", "name; surname"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_begins_like_a_formula_gets_an_apostrophe_in_front(text: str) -> None:
    """The first character is then no operator, tab or line break (E07)."""
    assert guarded(text).startswith("'")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_formula_stays_as_it_is(text: str) -> None:
    """Programs that read the file get the plain text."""
    assert guarded(text) == text == unguarded(text)


def test_a_name_between_dashes_comes_back_unchanged() -> None:
    """The careless fix would leave the apostrophe in, or take one away that is the name's own (E07)."""
    assert guarded("-Anna-") == "'-Anna-"
    assert [unguarded(guarded(text)) for text in ("-Anna-", "'-Anna-", "''-Anna-")] == [
        "-Anna-",
        "'-Anna-",
        "''-Anna-",
    ]


def test_a_text_is_safe_where_semicolons_part_the_cells_too() -> None:
    """German Excel takes the comma for a letter and begins a new cell after each semicolon, tab and line."""
    assert guarded("Anna;=1+1") == "Anna;'=1+1"
    assert guarded("a\n=1+1") == "a\n'=1+1"


@given(st.text(st.sampled_from("=+-@'\t\r\n;＝a ") | st.characters()))
def test_every_text_survives_the_way_there_and_back(text: str) -> None:
    """Through the file as well: `unguarded` undoes `guarded`, whatever the text."""
    file = io.StringIO(newline="")
    csv.writer(file).writerow([guarded(text), "end"])
    cell, end = next(csv.reader(io.StringIO(file.getvalue(), newline="")))
    assert (unguarded(cell), end) == (text, "end")


@given(st.text(st.sampled_from("=+-@'\t\r\n;a"), min_size=1))
def test_no_cell_begins_with_an_operator_wherever_the_program_parts_it(text: str) -> None:
    """At the start and after every break that could begin a cell; a cell left empty runs nothing."""
    starts = [0, *(at + 1 for at, letter in enumerate(guarded(text)) if letter in ";\t\r\n")]
    assert not any(guarded(text)[at : at + 1] in set("=+-@") for at in starts)
