"""The project's own JSON: strict, versioned, question by question."""

import base64
import json
from contextlib import suppress
from typing import Any

import pytest

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import outcomes, picture_file, skipped

GOOD: dict[str, Any] = {"prompt": "Q?", "choices": [{"text": "a", "correct": True}, {"text": "b"}]}


def file(*questions: dict[str, Any], **more: Any) -> bytes:
    """A set as somebody writes it by hand."""
    return json.dumps({"format": "halyard.questions", "version": 1, "questions": questions, **more}).encode()


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"prompt": "Q?"}, "choices"),
        ({**GOOD, "points": 5}, "unknown field `points`"),
        ({**GOOD, "timeLimitSeconds": "20"}, "timeLimitSeconds"),
        ({**GOOD, "weight": "NaN"}, "weight"),
        ({**GOOD, "kind": "essay"}, "kind"),
        ({**GOOD, "choices": [{"text": "a"}, {"text": "b"}]}, "no answer is marked"),
        ({**GOOD, "prompt": "\x00\x1b"}, "there is no text"),
    ],
)
def test_a_broken_question_is_skipped_alone(broken: dict[str, Any], reason: str) -> None:
    imported = importers.parse(file(GOOD, broken, GOOD))
    assert outcomes(imported)[1] == (2, "skipped")
    assert reason in skipped(imported).notes[0]
    assert len(imported.questions) == 2


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_what_is_no_json_number_never_gets_in(value: str) -> None:
    """The file is no JSON, or the question is skipped."""
    content = file({**GOOD, "weight": 7.5}).replace(b"7.5", value.encode())
    with suppress(UnreadableError):
        assert importers.parse(content).questions == ()


@pytest.mark.parametrize(("weight", "used"), [(-1, 1.0), (1e300, 1.0), (0.333, 0.33), (0, 0.0)])
def test_a_weight_out_of_range_is_bounded_and_told(weight: float, used: float) -> None:
    imported = importers.parse(file({**GOOD, "weight": weight}))
    assert imported.questions[0].weight == used
    assert bool(imported.report.entries[0].notes) == (weight != used)


def test_a_later_version_is_refused_by_its_number() -> None:
    """What it may say that we don't know would be lost."""
    with pytest.raises(UnreadableError, match="version 2; version 1 can be read"):
        importers.parse(file(GOOD, version=2))


def test_the_same_key_twice_names_two_questions() -> None:
    """And a key too long for a row is cut, not refused."""
    found = importers.parse(file({**GOOD, "key": "k" * 64}, {**GOOD, "key": "k" * 64}, GOOD, GOOD)).questions
    assert len({question.key for question in found}) == 4
    assert all(len(question.key) <= 64 for question in found)


def test_a_picture_with_a_forged_seal_is_encoded_anew() -> None:
    """Nothing that was uploaded is served as it came."""
    data = picture_file("PNG") + b"<script>alert(1)</script>"
    picture = {"mime": "text/html", "data": base64.b64encode(data).decode(), "seal": "0" * 64}
    (question,) = importers.parse(file({**GOOD, "picture": picture})).questions
    assert question.picture is not None
    assert question.picture.mime == "image/png"
    assert b"script" not in question.picture.data


def test_a_picture_that_is_none_is_left_out_and_told() -> None:
    picture = {"mime": "image/png", "data": base64.b64encode(b"GIF89a").decode()}
    imported = importers.parse(file({**GOOD, "picture": picture}))
    assert imported.questions[0].picture is None
    assert "not a PNG, JPEG or WebP" in imported.report.entries[0].notes[0]


@pytest.mark.parametrize(
    "content",
    [
        b'{"format": "halyard.questions", "version": 1, "questions": [' + b"[" * 100_000,
        b'{"format": "halyard.questions", "version": 1, "questions": [' + b"1," * 600_000 + b"1]}",
        b'{"format": "halyard.questions", "version": 1, "questions": {}}',
        b'{"format": "halyard.questions", "version": 1}',
        b'{"format": "halyard.questions", "version": 1, "questions": [}',
        b'{"format": "halyard.questions\xff", "version": 1, "questions": []}',
    ],
)
def test_a_hostile_or_broken_file_is_refused(content: bytes) -> None:
    """Too deep, too many, not a list, cut off."""
    with pytest.raises(UnreadableError):
        importers.FORMATS["halyard"](content)
