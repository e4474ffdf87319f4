"""Aiken: a question on a line, options ``A.`` or ``A)``, and ``ANSWER: A``.

More lenient than Moodle: a question may have several lines as long as no option has come. A question that
never gets its answer is named by the line on which it began.
"""

import re
from typing import Final

from django.utils.translation import gettext as _
from msgspec import Struct, field

from rooms.questions.drafts import Draft, Option
from rooms.questions.importers import text
from rooms.questions.importers.base import Collector, UnreadableError, importer

OPTION: Final = re.compile(r"([A-Z])[).][ \t]?(.*)")
ANSWER: Final = re.compile(r"ANSWER:\s*([A-Z])")


class _Open(Struct):
    """The question that is being read."""

    number: int
    prompt: list[str]
    options: list[tuple[str, str]] = field(default_factory=list)


def is_one(content: str) -> bool:
    """Whether the text has options with letters, and an answer line."""
    found = [bool(OPTION.match(line)) - 2 * bool(ANSWER.match(line)) for line in text.lines(content)]
    return 1 in found and -2 in found


def _read(data: bytes, out: Collector) -> None:
    open_: _Open | None = None
    for number, raw in enumerate(text.lines(text.decoded(data, out)), 1):
        line = raw.strip()
        if answer := ANSWER.match(line):
            _close(open_, number, answer[1], out)
            open_ = None
        elif option := OPTION.match(line):
            if open_ is None:
                out.skip(number, _("an option without a question"), line)
            else:
                open_.options.append((option[1], option[2]))
        elif len(line) > 1:  # as Moodle: a shorter line is none
            if open_ is not None and not open_.options:
                open_.prompt.append(line)
                continue
            _drop(open_, out)
            open_ = _Open(number, [line])
    _drop(open_, out)
    if not out.report.entries:
        raise UnreadableError(_("There is no question in this file."))


def _close(open_: _Open | None, number: int, right: str, out: Collector) -> None:
    if open_ is None:
        out.skip(number, _("an answer without a question"))
        return
    prompt = "\n".join(open_.prompt)
    letters = [letter for letter, _text in open_.options]
    if len(set(letters)) < len(letters):
        out.skip(open_.number, _("two options have the same letter"), prompt)
    elif right not in letters:
        out.skip(open_.number, _("there is no option %s, which the answer names") % right, prompt)
    else:
        options = tuple(Option(option, letter == right) for letter, option in open_.options)
        notes = [_("a question of several lines")] if len(open_.prompt) > 1 else []
        out.take(open_.number, Draft(prompt, options), *notes)


def _drop(open_: _Open | None, out: Collector) -> None:
    if open_ is not None:
        out.skip(open_.number, _("no line “ANSWER: …” follows"), "\n".join(open_.prompt))


parse = importer("aiken", "line", _read)
