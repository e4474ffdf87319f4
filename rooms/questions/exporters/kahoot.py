"""A set in the shape of Kahoot's spreadsheet: up to four answers, their times; nothing else."""

import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.translation import gettext as _
from openpyxl import Workbook

from rooms.exports import XLSX_TYPE, text_cell
from rooms.questions.drafts import TRUE_FALSE, Draft, shown
from rooms.questions.exporters.base import Exported, Sheaf

HEADER: Final = (
    None,
    "Question - max 120 characters",
    *(f"Answer {number} - max 75 characters" for number in range(1, 5)),
    "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
    "Correct answer(s) - choose at least one",
)
PREAMBLE: Final = (
    "Quiz template",
    "One question a row; the last column names the right answers by their numbers.",
)
HEADER_ROW: Final = 8
ANSWERS: Final = 4
SECONDS: Final = (5, 10, 20, 30, 60, 90, 120, 240)
PROMPT_MAX: Final = 120
ANSWER_MAX: Final = 75


def write(sheaf: Sheaf) -> Exported:
    """One sheet, header in row 8, as in the template; questions of more than four answers are left out."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")
    above = [[], *([None, line] for line in PREAMBLE)]
    for row in (*above, *[[]] * (HEADER_ROW - 1 - len(above)), list(HEADER)):
        sheet.append(row)
    fitting = [draft for draft in sheaf.questions if len(draft.options) <= ANSWERS]
    for number, draft in enumerate(fitting, 1):
        sheet.append([number, *(_cell(sheet, value) for value in _row(draft))])
    file = io.BytesIO()
    book.save(file)
    lacks = tuple(
        f"{number} “{shown(draft.prompt)}”: {lack}"
        for number, draft in enumerate(sheaf.questions, 1)
        for lack in _lacks(draft)
    )
    return Exported(file.getvalue(), XLSX_TYPE, "kahoot.xlsx", lacks)


def _row(draft: Draft) -> Sequence[str | int | None]:
    texts = [option.text for option in draft.options]
    right = [str(number) for number, option in enumerate(draft.options, 1) if option.correct]
    return (
        draft.prompt,
        *texts,
        *[None] * (ANSWERS - len(texts)),
        _seconds(draft.time_limit_s),
        ",".join(right),
    )


def _seconds(seconds: int | None) -> int | None:
    """The nearest that Kahoot knows, the longer of two."""
    return None if seconds is None else min(reversed(SECONDS), key=lambda known: abs(known - seconds))


def _cell(sheet: object, value: str | int | None) -> object:
    if not isinstance(value, str):
        return value
    # What looks like Excel's own escape of a character is escaped.
    return text_cell(sheet, re.sub(r"_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", value))


def _lacks(draft: Draft) -> Iterator[str]:
    if len(draft.options) > ANSWERS:
        yield _("left out: it has more than four answers")
        return
    if len(draft.prompt) > PROMPT_MAX or any(len(option.text) > ANSWER_MAX for option in draft.options):
        yield _("a text is longer than Kahoot takes")
    if draft.time_limit_s not in (None, *SECONDS):
        yield _("the time limit became %d s") % (_seconds(draft.time_limit_s) or 0)
    if draft.kind == "multiple" and sum(option.correct for option in draft.options) == 1:
        yield _("it has one right answer, so it is a question of one answer there")
    if draft.kind == "boolean" and tuple(option.text for option in draft.options) != TRUE_FALSE:
        yield _("that it is true or false")
    for there, what in (
        (draft.picture is not None, _("the picture")),
        (bool(draft.explanation), _("the explanation")),
        (draft.weight != 1.0, _("the weight")),
    ):
        if there:
            yield what
