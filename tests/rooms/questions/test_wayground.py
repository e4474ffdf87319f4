"""Wayground's (Quizizz's) spreadsheet: types, up to five options, links to pictures."""

import pytest

from rooms.questions import importers
from tests.rooms.questions.kit import WAYGROUND, only, outcomes, right, skipped, workbook

INSTRUCTIONS = (
    *("Text of the question\n(required)", "Question Type\n(default is Multiple Choice)", "Text for option 1"),
    *(
        "Text for option 2",
        None,
        None,
        None,
        "The correct option",
        "Time in seconds",
        "Link of the image",
        None,
    ),
)


def row(type_: object = "Multiple Choice", key: object = 2, **more: object) -> tuple[object, ...]:
    """One question in the template's order."""
    image, explanation = more.get("image"), more.get("explanation")
    return ("Capital?", type_, "Lima", "Quito", "Bogota", None, None, key, 30, image, explanation)


def test_the_templates_row_of_instructions_is_no_question() -> None:
    imported = importers.parse(workbook(WAYGROUND, INSTRUCTIONS, row()))
    assert imported.report.format == "wayground"
    assert outcomes(imported) == [(3, "taken")]


def test_a_question_brings_its_time_and_explanation() -> None:
    question = only(workbook(WAYGROUND, row(explanation="Since 1822.")))
    assert (right(question), question.time_limit_s, question.explanation) == (["Quito"], 30, "Since 1822.")


@pytest.mark.parametrize(
    ("type_", "key", "kind"),
    [
        (None, 1, "single"),
        ("Multiple Choice", 1, "single"),
        ("Checkbox", "1,3", "multiple"),
        ("checkbox", 1, "multiple"),
    ],
)
def test_choices_and_checkboxes_are_played(type_: object, key: object, kind: str) -> None:
    """A checkbox stays one, also with one right answer."""
    assert only(workbook(WAYGROUND, row(type_, key))).kind == kind


@pytest.mark.parametrize("type_", ["Fill-in-the-Blank", "Open-Ended", "Poll", "Draw"])
def test_other_types_are_skipped_by_name(type_: str) -> None:
    imported = importers.parse(workbook(WAYGROUND, row(), row(type_, None)))
    assert len(imported.questions) == 1
    assert skipped(imported).notes == (f"the type “{type_}” can’t be played",)


def test_a_picture_at_an_address_is_not_fetched_and_told() -> None:
    """The server asks no address that a file names."""
    imported = importers.parse(workbook(WAYGROUND, row(image="http://169.254.169.254/x.png")))
    assert imported.questions[0].picture is None
    assert imported.report.entries[0].notes == (
        "the picture at http://169.254.169.254/x.png was not fetched",
    )


def test_the_old_templates_columns_are_found_too() -> None:
    """Older ones say "Explanation", or have no such column."""
    old = (*WAYGROUND[:-1], "Explanation")
    assert only(workbook(old, row(explanation="Why"))).explanation == "Why"
    assert only(workbook(WAYGROUND[:-1], row()[:-1])).explanation == ""
