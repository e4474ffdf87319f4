"""Moodle XML: choices and true/false, with the pictures in the file; the rest is reported by its type.

Texts are HTML unless they say otherwise, and become plain text. Numbers in the report count the file's
``question`` elements, categories left out.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from rooms.questions import pictures
from rooms.questions.drafts import TRUE_FALSE, Draft, Kind, Option, Picture, UnusableError
from rooms.questions.importers import text, xml
from rooms.questions.importers.base import Collector, UnreadableError, importer
from rooms.questions.pictures import Allowance

PLAYED: Final = ("multichoice", "truefalse")
IMAGE: Final = re.compile(r"<img\b", re.IGNORECASE)
SOURCE: Final = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
INSIDE: Final = "@@PLUGINFILE@@/"
DATA: Final = re.compile(r"data:image/[a-z]+;base64,", re.IGNORECASE)


def _read(data: bytes, out: Collector) -> None:
    quiz = xml.tree(data)
    if quiz.tag != "quiz":
        raise UnreadableError(_("This XML file is no Moodle quiz, but “%s”.") % quiz.tag[:40])
    questions = [element for element in quiz.iter("question") if element.get("type") != "category"]
    for number, question in enumerate(questions, 1):
        notes: list[str] = []
        try:
            out.take(number, _draft(question, notes, out.pictures), *notes)
        except UnusableError as error:
            name = question.findtext("name/text") or question.findtext("questiontext/text") or ""
            out.skip(number, str(error), name)


def _draft(question: Element, notes: list[str], allowance: Allowance) -> Draft:
    type_ = question.get("type", "")
    if type_ not in PLAYED:
        raise UnusableError(_("the type “%s” can’t be played") % type_[:40])
    stem = question.find("questiontext")
    if stem is None:
        raise UnusableError(_("there is no question text"))
    kind, options = _truth(question) if type_ == "truefalse" else _choices(question, notes)
    return Draft(
        prompt=_plain(stem),
        options=options,
        kind=kind,
        weight=_number(question.findtext("defaultgrade"), 1.0, notes),
        explanation=_plain(question.find("generalfeedback")),
        picture=_picture(stem, notes, allowance),
    )


def _truth(question: Element) -> tuple[Kind, tuple[Option, ...]]:
    right = {
        (answer.findtext("text") or "").strip().casefold()
        for answer in question.iter("answer")
        if _fraction(answer) > 0
    }
    return "boolean", tuple(Option(word, word.casefold() in right) for word in TRUE_FALSE)


def _choices(question: Element, notes: list[str]) -> tuple[Kind, tuple[Option, ...]]:
    answers = list(question.iter("answer"))
    fractions = [_fraction(answer) for answer in answers]
    single = (question.findtext("single") or "true").strip() in ("true", "1")
    best = max(fractions, default=0.0)
    least = best if single else 0.0
    if single and any(0 < fraction < best for fraction in fractions):
        notes.append(_("answers worth a part of the points count as wrong"))
    if any(any(_images(answer)) for answer in answers):
        notes.append(_("pictures of answers are not taken"))
    options = tuple(
        Option(_plain(answer), fraction > 0 and fraction >= least)
        for answer, fraction in zip(answers, fractions, strict=True)
    )
    return ("single" if single else "multiple"), options


# ---------- numbers


def _fraction(answer: Element) -> float:
    return _finite(answer.get("fraction")) or 0.0


def _number(given: str | None, default: float, notes: list[str]) -> float:
    number = _finite(given)
    if given is not None and number is None:
        notes.append(_("“%s” is no number") % given[:20])
    return default if number is None else number


def _finite(given: str | None) -> float | None:
    """Written as a decimal number: "NaN" and "1e400" are none."""
    found = re.fullmatch(r"\s*([+-]?\d{1,9}(?:\.\d*)?)\s*", given or "")
    return float(found[1]) if found else None


# ---------- texts and pictures


def _plain(element: Element | None) -> str:
    raw = (element.findtext("text") or "") if element is not None else ""
    format_ = element.get("format", "moodle_auto_format") if element is not None else ""
    if format_ == "html" or (format_ == "moodle_auto_format" and text.has_markup(raw)):
        return text.from_html(raw)
    return raw


def _picture(stem: Element, notes: list[str], allowance: Allowance) -> Picture | None:
    """The first picture of the question that is in the file."""
    found = None
    for tag in _images(stem):
        source = match[1] if (match := SOURCE.search(tag)) else ""
        data = _data(stem, source)
        if data is None:
            notes.append(_("the picture at %s was not fetched") % source[:100])
        elif found is not None:
            notes.append(_("only the first picture is taken"))
        else:
            found = _encoded(data, notes, allowance)
    return found


def _images(element: Element) -> Iterator[str]:
    """The picture tags of a text. Not one pattern: with no “>” it would look to the end for each tag."""
    markup = element.findtext("text") or ""
    at = 0
    while found := IMAGE.search(markup, at):
        at = markup.find(">", found.end())
        if at < 0:
            return
        yield markup[found.start() : at + 1]


def _data(stem: Element, source: str) -> str | None:
    """The base64 text behind an address, if it is in the file."""
    if inline := DATA.match(source):
        return source[inline.end() :]
    name = unquote(source.removeprefix(INSIDE))
    files = (file for file in stem.iter("file") if file.get("name") == name and source.startswith(INSIDE))
    return next((file.text or "" for file in files), None)


def _encoded(data: str, notes: list[str], allowance: Allowance) -> Picture | None:
    try:
        return pictures.encoded(base64.b64decode(data), allowance=allowance)
    except (binascii.Error, ValueError) as error:  # PictureError says why
        notes.append(str(error))
        return None


parse = importer("moodle", "question", _read)
