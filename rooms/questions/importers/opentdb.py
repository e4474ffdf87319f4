"""Open Trivia DB's JSON, as its API answers: HTML entities, URL or base64 encoding, found by looking.

Its questions are under CC BY-SA 4.0: the set keeps the attribution. Only files are read, the API is not
asked.
"""

import base64
import html
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote, unquote_plus

import msgspec
from django.utils.translation import gettext as _
from msgspec import Raw, Struct

from rooms.questions.drafts import TRUE_FALSE, Draft, Option, UnusableError
from rooms.questions.importers import json
from rooms.questions.importers.base import MAX_ENTRIES, Collector, UnreadableError, importer

ATTRIBUTION: Final = "Open Trivia Database, https://opentdb.com, CC BY-SA 4.0"
CODES: Final = {
    1: "no results",
    2: "invalid parameter",
    3: "token not found",
    4: "token empty",
    5: "rate limit",
}
BASE64_TYPES: Final = ("bXVsdGlwbGU=", "Ym9vbGVhbg==")


class _File(Struct):
    results: list[Raw]
    response_code: int = 0


class _Item(Struct):
    type: str
    question: str
    correct_answer: str
    incorrect_answers: list[str]


def _read(data: bytes, out: Collector) -> None:
    file = json.decode(data, _File)
    if file.response_code:
        reason = CODES.get(file.response_code, str(file.response_code))
        raise UnreadableError(_("The file is an answer without questions: %s.") % reason)
    out.about = {"attribution": ATTRIBUTION}
    items: list[_Item | str] = [_item(raw) for raw in file.results[: MAX_ENTRIES + 1]]
    plain = _encoding([item for item in items if isinstance(item, _Item)])
    for number, item in enumerate(items, 1):
        if isinstance(item, str):
            out.skip(number, item)
            continue
        try:
            out.take(number, _draft(item, plain))
        except UnusableError as error:
            out.skip(number, str(error), item.question)


def _item(raw: Raw) -> _Item | str:
    """The item, or what is wrong with it."""
    try:
        item: _Item = json.item(raw, _Item)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return str(error)
    return item


def _draft(item: _Item, plain: Callable[[str], str]) -> Draft:
    try:
        type_, question, right = plain(item.type), plain(item.question), plain(item.correct_answer)
        wrong = [plain(answer) for answer in item.incorrect_answers]
    # A ValueError is all of these, and what int() says of an entity of thousands of digits.
    except ValueError as error:
        raise UnusableError(_("not encoded like the rest of the file: %s") % error) from error
    if type_ == "boolean" and right in TRUE_FALSE:
        return Draft(question, tuple(Option(word, word == right) for word in TRUE_FALSE), "boolean")
    if type_ not in ("multiple", "boolean"):
        raise UnusableError(_("the type “%s” can’t be played") % type_[:40])
    return Draft(question, (Option(right, True), *(Option(answer) for answer in wrong)))


def _encoding(items: Sequence[_Item]) -> Callable[[str], str]:
    """How the file's texts become plain: one encoding for all of them."""
    if items and all(item.type in BASE64_TYPES for item in items):
        return lambda text: base64.b64decode(text, validate=True).decode()
    questions = [item.question for item in items]
    if any(" " in question for question in questions):
        return html.unescape
    if any("+" in question for question in questions):
        return unquote_plus
    return unquote if any("%20" in question for question in questions) else html.unescape


parse = importer("opentdb", "question", _read)
