"""A set as Moodle's GIFT: questions, answers and explanations; not times, weights and pictures."""

import re
from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from rooms.questions.drafts import TRUE_FALSE, Draft, shown
from rooms.questions.exporters.base import Exported, Sheaf

ESCAPED: Final = re.compile(r"[\\:#={}~]")
RIGHT: Final = 100
WRONG: Final = -100
"""Percent: whoever also takes a wrong answer has nothing."""


def write(sheaf: Sheaf) -> Exported:
    """A question each paragraph, in Moodle's plain format: what looks like markup is text."""
    numbered = list(enumerate(sheaf.questions, 1))
    blocks = [
        f"::{number}::[plain]{_text(draft.prompt)} {{{_answers(draft)}}}\n" for number, draft in numbered
    ]
    lacks = tuple(
        f"{number} “{shown(draft.prompt)}”: {lack}" for number, draft in numbered for lack in _lacks(draft)
    )
    return Exported("\n".join(blocks).encode(), "text/plain; charset=utf-8", "gift.txt", lacks)


def _answers(draft: Draft) -> str:
    feedback = f"####{_format(draft.explanation)}{_text(draft.explanation)}" if draft.explanation else ""
    if draft.kind == "boolean" and tuple(option.text for option in draft.options) == TRUE_FALSE:
        return ("T" if draft.options[0].correct else "F") + feedback
    lines = [_answer(option.text, option.correct, draft.kind == "multiple") for option in draft.options]
    return "".join(f"\n\t{line}" for line in (*lines, feedback) if line) + "\n"


def _answer(text: str, correct: bool, multiple: bool) -> str:
    weight = RIGHT if correct else WRONG if multiple else 0
    # A weight has to be there if the text itself begins like one.
    percent = f"%{weight}%" if multiple or text.startswith("%") else ""
    mark = "=" if correct and not multiple else "~"
    return mark + percent + _format(text) + _text(text)


def _format(text: str) -> str:
    """Needed where the text itself begins like a format; else the question's counts."""
    return "[plain]" if text.startswith("[") else ""


def _text(text: str) -> str:
    return ESCAPED.sub(lambda found: "\\" + found[0], text).replace("\n", "\\n")


def _lacks(draft: Draft) -> Iterator[str]:
    for there, what in (
        (draft.picture is not None, _("the picture")),
        (draft.time_limit_s is not None, _("the time limit")),
        (draft.weight != 1.0, _("the weight")),
    ):
        if there:
            yield what
