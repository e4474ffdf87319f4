"""Open Trivia DB's answers, in each of its encodings."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import only, outcomes, right, skipped, texts, words

ENCODINGS: dict[str, Callable[[str], str]] = {
    "entities": html.escape,
    "url3986": lambda text: quote(text, safe=""),
    "urlLegacy": quote_plus,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
}


def file(*results: dict[str, object], code: int = 0) -> bytes:
    """An answer of the API."""
    return json.dumps({"response_code": code, "results": results}).encode()


def item(question: str, correct: str, *wrong: str, type_: str = "multiple") -> dict[str, object]:
    """One of its results."""
    return {
        "type": type_,
        "difficulty": "easy",
        "category": "Art",
        "question": question,
        "correct_answer": correct,
        "incorrect_answers": list(wrong),
    }


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_is_found_by_looking(name: str) -> None:
    plain = ("Who said “x < 1 + y” & wasn't wrong?", "O'Brien & Söhne", "1+1=2", "100%")
    encode = ENCODINGS[name]
    question, right_one, *wrong = map(encode, plain)
    types = encode("multiple")
    found = only(file(item(question, right_one, *wrong, type_=types)))
    assert (found.prompt, texts(found), right(found)) == (plain[0], list(plain[1:]), [plain[1]])


@given(st.lists(words(), min_size=3, max_size=4, unique=True), st.sampled_from(sorted(ENCODINGS)))
def test_any_text_comes_through(answers: list[str], name: str) -> None:
    encode = ENCODINGS[name]
    encoded = [encode(text) for text in answers]
    found = only(file(item(encode("Which one is it?"), *encoded, type_=encode("multiple"))))
    assert texts(found) == answers


def test_booleans_are_true_or_false() -> None:
    found = only(file(item("Is it?", "False", "True", type_="boolean")))
    assert (found.kind, right(found)) == ("boolean", ["False"])


def test_the_licence_stays_with_the_set() -> None:
    """CC BY-SA asks for the attribution."""
    assert "CC BY-SA 4.0" in importers.parse(file(item("A b?", "c", "d"))).attribution


def test_a_bad_item_is_skipped_alone() -> None:
    imported = importers.parse(
        file(item("A b?", "c", "d"), {"type": "multiple"}, item("E f?", "g", "h", type_="poll"))
    )
    assert outcomes(imported) == [(1, "taken"), (2, "skipped"), (3, "skipped")]
    assert "question" in imported.report.entries[1].notes[0]


def test_a_wrongly_encoded_item_is_skipped() -> None:
    encode = ENCODINGS["base64"]
    good = item(encode("A b?"), encode("c"), encode("d"), type_=encode("multiple"))
    bad = item("A b?", encode("c"), encode("d"), type_=encode("multiple"))
    assert skipped(importers.parse(file(good, bad))).notes[0].startswith("not encoded like the rest")


def test_an_answer_without_questions_says_why() -> None:
    with pytest.raises(UnreadableError, match="rate limit"):
        importers.parse(file(code=5))
