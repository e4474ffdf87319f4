"""Aiken: lines, letters, and the line that a broken question began on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.questions import importers
from rooms.questions.importers import aiken
from tests.rooms.questions.kit import only, outcomes, right, skipped, texts, words

GOOD = "What is 2 + 2?\nA. 3\nB. 4\nC) 5\nANSWER: B\n"


def test_a_question_its_options_and_its_answer() -> None:
    question = only(GOOD.encode())
    assert importers.detect(GOOD.encode()) == "aiken"
    assert (question.prompt, texts(question), right(question)) == ("What is 2 + 2?", ["3", "4", "5"], ["4"])


def test_blank_lines_and_windows_line_ends_change_nothing() -> None:
    content = "\ufeff" + GOOD.replace("\n", "\r\n\r\n") + GOOD.replace("2?", "2 ?")
    assert len(importers.parse(content.encode()).questions) == 2


def test_a_question_of_several_lines_is_one_and_told() -> None:
    """Moodle would refuse it."""
    imported = importers.parse(("Read this.\n" + GOOD).encode())
    assert imported.questions[0].prompt == "Read this.\nWhat is 2 + 2?"
    assert imported.report.entries[0].notes == ("a question of several lines",)


@pytest.mark.parametrize(
    ("broken", "number", "reason"),
    [
        ("No answer?\nA. a\nB. b\n", 1, "no line “ANSWER: …” follows"),
        ("Wrong?\nA. a\nB. b\nANSWER: C\n", 1, "there is no option C, which the answer names"),
        ("Twice?\nA. a\nA. b\nANSWER: A\n", 1, "two options have the same letter"),
        ("One?\nA. a\nANSWER: A\n", 1, "number of answers: 1; there must be 2 to 16"),
        ("A. a\n", 1, "an option without a question"),
        ("ANSWER: A\n", 1, "an answer without a question"),
    ],
)
def test_a_broken_question_is_named_by_its_line(broken: str, number: int, reason: str) -> None:
    imported = importers.parse((broken + GOOD).encode())
    entry = skipped(imported)
    assert (entry.number, entry.notes) == (number, (reason,))
    assert len(imported.questions) == 1


def test_the_last_question_may_be_the_broken_one() -> None:
    imported = importers.parse((GOOD + "Open?\nA. a\nB. b").encode())
    assert outcomes(imported) == [(1, "taken"), (6, "skipped")]


@given(
    st.lists(
        st.tuples(words(), st.lists(words(), min_size=2, max_size=16, unique=True)), min_size=1, max_size=4
    )
)
def test_any_lines_are_read_as_they_were(rows: list[tuple[str, list[str]]]) -> None:
    """But for texts that are Aiken themselves, and those of several lines or one character."""

    def usable(text: str) -> bool:
        bare = "\n" not in text and len(text) > 1
        return bare and not aiken.OPTION.match(text) and not aiken.ANSWER.match(text)

    kept = [
        (prompt, answers)
        for prompt, answers in rows
        if usable(prompt) and all("\n" not in a for a in answers)
    ]
    blocks = [
        f"{prompt}\n"
        + "".join(f"{chr(65 + n)}. {answer}\n" for n, answer in enumerate(answers))
        + "ANSWER: B\n"
        for prompt, answers in kept
    ]
    if not blocks:
        return
    found = aiken.parse("\n".join(blocks).encode()).questions
    assert [(q.prompt, texts(q), right(q)) for q in found] == [(p, a, [a[1]]) for p, a in kept]
