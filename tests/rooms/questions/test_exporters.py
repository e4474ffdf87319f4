"""Export and import: what a format can hold comes back the same, what it can't is named."""

import io

import msgspec
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.questions import drafts, importers, pictures
from rooms.questions.drafts import Draft, Option
from rooms.questions.exporters import FORMATS, Sheaf
from rooms.questions.exporters.kahoot import SECONDS
from rooms.questions.importers import Imported
from tests.rooms.questions.kit import picture_file, questions, right, sheaves, without_keys

PLAIN = Draft("Capital of Peru?", (Option("Lima", True), Option("Quito")), key="k")


def there_and_back(format_: str, found: tuple[Draft, ...]) -> Imported:
    """What the export of these questions is read as; nothing was changed or skipped on the way."""
    exported = FORMATS[format_](Sheaf(found, title="Round"))
    imported = importers.parse(exported.content)
    assert imported.report.format == format_
    assert [entry.outcome for entry in imported.report.entries] == ["taken"] * len(found)
    return imported


@given(sheaves(questions(most_options=16)))
def test_own_json_holds_everything(found: tuple[Draft, ...]) -> None:
    """Keys included: the next import finds each question again."""
    assert there_and_back("halyard", found).questions == found


@given(sheaves(questions().map(lambda draft: msgspec.structs.replace(draft, time_limit_s=None, weight=1.0))))
def test_gift_holds_questions_answers_and_explanations(found: tuple[Draft, ...]) -> None:
    """Whatever the texts look like: escapes, weights, formats, comments."""
    assert without_keys(there_and_back("gift", found).questions) == without_keys(found)


def fits_kahoot(draft: Draft) -> bool:
    """Its kind is what the number of right answers and the answers' texts say."""
    texts = tuple(option.text for option in draft.options)
    if any(text.strip(" ,0123456789") == "" for text in texts):
        return False  # read rightly too, but with a note that a number was taken as the answer's number
    looks_boolean = texts == drafts.TRUE_FALSE and len(right(draft)) == 1
    return (len(right(draft)) > 1) == (draft.kind == "multiple") and looks_boolean == (
        draft.kind == "boolean"
    )


@given(
    sheaves(
        st.builds(
            lambda draft, seconds: msgspec.structs.replace(
                draft, time_limit_s=seconds, weight=1.0, explanation=""
            ),
            questions(most_options=4),
            st.sampled_from((None, *SECONDS)),
        ).filter(fits_kahoot)
    )
)
def test_kahoots_spreadsheet_holds_four_answers_and_times(found: tuple[Draft, ...]) -> None:
    """In the template's shape, so that Kahoot takes it, too."""
    assert without_keys(there_and_back("kahoot", found).questions) == without_keys(found)


def test_an_answer_that_is_a_number_comes_back_right_with_a_note() -> None:
    """The column of right answers holds numbers: which was meant is said, and the question is the same."""
    found = (Draft("Half of two?", (Option("2"), Option("1", True)), key="k"),)
    imported = importers.parse(FORMATS["kahoot"](Sheaf(found)).content)
    assert without_keys(imported.questions) == without_keys(found)
    assert "number of the answer" in imported.report.entries[0].notes[0]


def test_what_kahoot_cannot_hold_is_left_out_by_name() -> None:
    """A question of five answers is not shortened to another question; the rest loses what is named."""
    five = Draft("Five?", tuple(Option(letter, letter == "a") for letter in "abcde"), key="5")
    rich = msgspec.structs.replace(PLAIN, weight=2.0, explanation="Since 1535.", time_limit_s=25)
    exported = FORMATS["kahoot"](Sheaf((five, rich)))
    assert [question.prompt for question in importers.parse(exported.content).questions] == [rich.prompt]
    assert len(exported.lacks) == 4
    assert "1 “Five?”: left out" in exported.lacks[0]
    assert all("2 “Capital of Peru?”" in lack for lack in exported.lacks[1:])


def test_the_spreadsheet_has_kahoots_shape_and_runs_no_formula() -> None:
    """Header in row 8, columns B to H, running numbers in A; a text that begins like a formula is a text."""
    exported = FORMATS["kahoot"](Sheaf((Draft("=1+1?", (Option("=2", True), Option("3"))),)))
    sheet = openpyxl.load_workbook(io.BytesIO(exported.content)).active
    assert sheet is not None
    assert str(sheet["B8"].value).startswith("Question")
    assert str(sheet["H8"].value).startswith("Correct answer(s)")
    assert [sheet.cell(9, column).value for column in (1, 2, 3, 8)] == [1, "=1+1?", "=2", "1"]
    assert {sheet.cell(9, column).data_type for column in (2, 3)} == {"s"}


def test_what_gift_cannot_hold_is_named() -> None:
    """Times, weights and pictures."""
    picture = pictures.encoded(picture_file())
    rich = msgspec.structs.replace(PLAIN, weight=2.0, time_limit_s=25, picture=picture)
    lacks = FORMATS["gift"](Sheaf((PLAIN, rich))).lacks
    assert [lack.rpartition(": ")[2] for lack in lacks] == ["the picture", "the time limit", "the weight"]
    assert all(lack.startswith("2 ") for lack in lacks)


def test_pictures_come_back_to_their_site_as_they_were() -> None:
    """A JPEG would lose a little in each round if it were encoded anew."""
    photo = pictures.encoded(picture_file("JPEG", (60, 40), quality=30), alt="a square")
    found = (msgspec.structs.replace(PLAIN, picture=photo),)
    assert there_and_back("halyard", found).questions == found


def test_about_the_set_travels_with_it() -> None:
    """Title, description, licence, and the id by which it is updated."""
    sheaf = Sheaf((PLAIN,), "Title", "About it", "CC BY 4.0", "abc")
    imported = importers.parse(FORMATS["halyard"](sheaf).content)
    assert (imported.title, imported.description, imported.attribution, imported.set_id) == (
        "Title",
        "About it",
        "CC BY 4.0",
        "abc",
    )


def test_a_kahoot_file_names_what_changes_its_meaning() -> None:
    """Times that Kahoot does not know, long texts, kinds that its key can't say."""
    changed = {
        "the time limit became 240 s": {"time_limit_s": 300},
        "a text is longer than Kahoot takes": {"prompt": "Q" * 121},
        "it has one right answer, so it is a question of one answer there": {"kind": "multiple"},
        "that it is true or false": {"kind": "boolean"},
        "the picture": {"picture": pictures.encoded(picture_file())},
    }
    for lack, changes in changed.items():
        exported = FORMATS["kahoot"](Sheaf((msgspec.structs.replace(PLAIN, **changes),)))
        assert [told.rpartition("”: ")[2] for told in exported.lacks] == [lack]


def test_a_file_of_another_program_is_not_taken_for_ours() -> None:
    other = b'{"format": "halyard.questionsets", "version": 1, "questions": []}'
    with pytest.raises(importers.UnreadableError, match="no question set of this site"):
        importers.parse(other)
