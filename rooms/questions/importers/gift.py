"""Moodle's GIFT: ``::title:: question {=right ~wrong}``, as Moodle's own reader takes it apart.

Choices and true/false are played; typed, numerical, matching and essay questions are reported. Escaped
characters become placeholders before anything is split, so that they are unescaped exactly once.
"""

import re
from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from msgspec import Struct

from rooms.questions.drafts import MAX_GIVEN, TRUE_FALSE, Draft, Kind, Option, UnusableError
from rooms.questions.importers import text
from rooms.questions.importers.base import Collector, UnreadableError, importer

ESCAPES: Final = {
    "\\": "\ufdd0",
    ":": "\ufdd1",
    "#": "\ufdd2",
    "=": "\ufdd3",
    "{": "\ufdd4",
    "}": "\ufdd5",
    "~": "\ufdd6",
}
"""Placeholders: noncharacters, which no text may hold."""
NEWLINE: Final = "\ufdd7"
_PLAIN: Final = {ord(mark): char for char, mark in {**ESCAPES, "\n": NEWLINE}.items()}
_FORMAT: Final = re.compile(r"\s*\[(html|moodle|plain|markdown)\]", re.IGNORECASE)
_WEIGHT: Final = re.compile(r"\s*%(-?[0-9]{1,3}\.?[0-9]*)%")
BLOCK: Final = re.compile(r"\{[^{}]*\}")
TRUE: Final = ("T", "TRUE")
FALSE: Final = ("F", "FALSE")
BLANK: Final = "_____"


class _Answer(Struct):
    text: str
    weight: float
    right: bool


def is_one(content: str) -> bool:
    """Whether the text has an answer in braces, or a title."""
    blocks = BLOCK.finditer(_protected("\n".join(text.lines(content))))
    return any(re.search(r"[=~#]|^\{\s*(T|TRUE|F|FALSE)?\s*\}$", found[0]) for found in blocks)


def _read(data: bytes, out: Collector) -> None:
    for number, block in _blocks(text.decoded(data, out)):
        try:
            notes: list[str] = []
            out.take(number, _draft(block, notes), *notes)
        except UnusableError as error:
            out.skip(number, str(error), _unescaped(block))
    if not out.report.entries:
        raise UnreadableError(_("There is no question in this file."))


def _blocks(content: str) -> Iterator[tuple[int, str]]:
    """The questions with their first lines' numbers; blank lines part them, and a title after an answer."""
    lines: list[str] = []
    first = 0
    answered = False
    for number, line in enumerate((*text.lines(content), ""), 1):
        bare = line.strip()
        if bare.startswith(("//", "$CATEGORY:")):
            continue
        ends = not bare or (bare.startswith("::") and answered)
        if ends and lines:
            yield first, _protected("\n".join(lines))
            lines, answered = [], False
        if bare:
            first = first if lines else number
            lines.append(line)
            answered = answered or "}" in _protected(line)


def _protected(block: str) -> str:
    bare = block.translate(dict.fromkeys(_PLAIN))
    return re.sub(r"\\([\\:#={}~n])", lambda found: ESCAPES.get(found[1], NEWLINE), bare)


def _unescaped(block: str) -> str:
    """As it is read: line breaks of the file are spaces, escaped ones are line breaks."""
    # Not a pattern: one that begins with spaces looks at each of a million spaces from each of them.
    return " ".join(filter(None, map(str.strip, block.split("\n")))).translate(_PLAIN)


def _untitled(block: str) -> str:
    bare = block.lstrip()
    _before, closed, rest = bare[2:].partition("::") if bare.startswith("::") else ("", "", "")
    return rest if closed else block


# ---------- one question


def _draft(block: str, notes: list[str]) -> Draft:
    before, opened, rest = _untitled(block).partition("{")
    inside, closed, after = rest.partition("}")
    if not opened or not closed:
        raise UnusableError(_("there is no answer in braces: a description, or a “{” too few"))
    if "{" in after or "}" in after:
        raise UnusableError(_("there are two answers in braces: is an empty line missing?"))
    inside, _mark, feedback = inside.strip().partition("####")
    prompt = f"{before.rstrip()} {BLANK} {after.strip()}" if after.strip() else before
    format_ = found[1].lower() if (found := _FORMAT.match(before)) else ""
    kind, options = _options(inside.strip(), format_, notes)
    return Draft(
        prompt=_read_text(prompt, format_, notes),
        options=options,
        kind=kind,
        explanation=_read_text(feedback, format_, notes),
    )


def _options(inside: str, format_: str, notes: list[str]) -> tuple[Kind, tuple[Option, ...]]:
    word = inside.partition("#")[0].strip()
    if not inside:
        raise UnusableError(_("an essay can’t be played"))
    if inside.startswith("#"):
        raise UnusableError(_("a numerical question can’t be played"))
    if "~" in inside:
        return _choices(inside, format_, notes)
    if "=" in inside and "->" in inside:
        raise UnusableError(_("a matching question can’t be played"))
    if word.upper() in TRUE + FALSE:
        truth = word.upper() in TRUE
        return "boolean", (Option(TRUE_FALSE[0], truth), Option(TRUE_FALSE[1], not truth))
    raise UnusableError(_("a typed answer can’t be played"))


def _choices(inside: str, format_: str, notes: list[str]) -> tuple[Kind, tuple[Option, ...]]:
    parts = [part for part in re.split("(?=[=~])", inside, maxsplit=MAX_GIVEN + 1) if part.strip()]
    if len(parts) > MAX_GIVEN:
        raise UnusableError(_("there are more than %d answers") % MAX_GIVEN)
    answers = [_answer(part) for part in parts]
    single = any(answer.right for answer in answers)
    partial = [answer.weight for answer in answers if answer.weight > 0 and not answer.right]
    if single and partial:
        notes.append(_("answers worth a part of the points count as wrong"))
    if not single and len(set(partial)) > 1:
        notes.append(_("the different weights of the right answers are not kept"))
    options = tuple(
        Option(_read_text(answer.text, format_, notes), answer.right if single else answer.weight > 0)
        for answer in answers
    )
    return ("single" if single else "multiple"), options


def _answer(part: str) -> _Answer:
    right = part.startswith("=")
    # Text before the first mark is an answer, too, as Moodle takes it: a wrong one.
    body = part[1:] if part[0] in "=~" else part
    weight = 100.0 if right else 0.0
    if found := _WEIGHT.match(body):
        body = body[found.end() :]
        weight = weight if right else float(found[1])
    return _Answer(body.partition("#")[0], weight, right)


def _read_text(raw: str, default: str, notes: list[str]) -> str:
    """Plain text, whichever format the text says of itself; a picture at an address is not fetched."""
    found = _FORMAT.match(raw)
    format_ = found[1].lower() if found else default
    plain = _unescaped(raw[found.end() :] if found else raw).strip()
    if format_ != "html":
        return plain
    if re.search(r"<img\b", plain, re.IGNORECASE):
        notes.append(_("a picture was not taken: it is not in the file"))
    return text.from_html(plain)


parse = importer("gift", "line", _read)
