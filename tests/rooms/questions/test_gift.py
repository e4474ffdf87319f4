"""GIFT as Moodle reads it: what can be played is exact, the rest is named."""

import pytest

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import only, outcomes, right, skipped, texts


def gift(content: str) -> importers.Imported:
    """The file's content, read."""
    imported = importers.parse(content.encode())
    assert imported.report.format == "gift"
    return imported


def test_one_right_answer_with_feedback_and_a_title() -> None:
    question = only(b"// a comment\n::Q1:: Who?{=Grant#yes ~nobody#no\n~Napoleon}\n")
    assert (question.prompt, texts(question), right(question)) == (
        "Who?",
        ["Grant", "nobody", "Napoleon"],
        ["Grant"],
    )
    assert question.kind == "single"


@pytest.mark.parametrize(
    ("answer", "truth"),
    [("T", True), ("TRUE", True), ("F", False), ("FALSE", False), ("T#no#yes", True), (" F ", False)],
)
def test_true_and_false(answer: str, truth: bool) -> None:
    question = only(f"::T:: 1+1\\=2 {{{answer}}}".encode())
    assert (question.prompt, question.kind) == ("1+1=2", "boolean")
    assert right(question) == ["True" if truth else "False"]


def test_escapes_are_read_once() -> None:
    """A backslash before a backslash is one; \\n is a line break."""
    question = only(rb"a\=b \{x\} \#1 \~2 c\:d \\n e\nf? {=\=1 ~\~2 ~C\:\\n ~\\\=}")
    assert question.prompt == "a=b {x} #1 ~2 c:d \\n e\nf?"
    assert texts(question) == ["=1", "~2", "C:\\n", "\\="]


def test_weights_without_a_right_answer_mean_several() -> None:
    question = only(b"Which?{~%33.33333%a ~%33.33333%b ~%33.33333%c ~%-100%d}")
    assert (question.kind, right(question)) == ("multiple", ["a", "b", "c"])


def test_a_part_of_the_points_is_wrong_here_and_told() -> None:
    imported = gift("Which?{=a ~%50%b ~c}")
    assert right(imported.questions[0]) == ["a"]
    assert imported.report.entries[0].notes == ("answers worth a part of the points count as wrong",)


def test_a_missing_word_leaves_a_gap() -> None:
    assert only(b"Grant is {=buried ~living} in a tomb.").prompt == "Grant is _____ in a tomb."


def test_general_feedback_is_the_explanation() -> None:
    assert only(b"Q?{=a ~b ####Because \\#1}").explanation == "Because #1"


def test_text_is_shown_as_typed_unless_it_says_html() -> None:
    """Moodle writes [html] where it is HTML."""
    assert only(b"Is <b>x</b> < y?{=a < b ~AT&T ~&lt;}").prompt == "Is <b>x</b> < y?"
    question = only(
        b"[html]<p>Is <b>x</b> &lt; y<sup>2</sup>?</p><script>alert()</script>{=<i>a</i> ~[plain]<i>}"
    )
    assert (question.prompt, texts(question)) == ("Is x < y²?", ["a", "<i>"])


def test_a_comma_in_the_right_answer_is_part_of_it() -> None:
    assert right(only(b"Q?{=lorem, ipsum ~dolor}")) == ["lorem, ipsum"]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Short?{=four =4}", "a typed answer can’t be played"),
        ("Number?{#3.14:0.01}", "a numerical question can’t be played"),
        ("Range?{#1..5}", "a numerical question can’t be played"),
        ("Match?{=a -> b =c -> d}", "a matching question can’t be played"),
        ("Essay?{}", "an essay can’t be played"),
        ("Just a text.", "there is no answer in braces: a description, or a “{” too few"),
        ("Q1?{=a ~b}\nQ2?{=c ~d}", "there are two answers in braces: is an empty line missing?"),
        ("Open?{=a ~b", "there is no answer in braces: a description, or a “{” too few"),
        ("None?{~a ~b}", "no answer is marked as right"),
    ],
)
def test_what_cannot_be_played_is_named(question: str, reason: str) -> None:
    imported = gift(f"{question}\n\nFine?{{=a ~b}}\n")
    assert skipped(imported).notes == (reason,)
    assert [found.prompt for found in imported.questions] == ["Fine?"]


def test_a_title_begins_a_question_also_without_a_blank_line() -> None:
    imported = gift("::A:: Q1?{=a ~b}\n::B:: Q2?{\n=c\n~d\n}\n// end")
    assert outcomes(imported) == [(1, "taken"), (2, "taken")]


def test_categories_and_comments_are_no_questions() -> None:
    assert outcomes(gift("$CATEGORY: $course$/x\n\n// {=a ~b}\n\nQ?{=a ~b}")) == [(5, "taken")]


def test_a_mark_at_the_beginning_and_windows_line_ends_change_nothing() -> None:
    assert only("\ufeff::T:: Who?{\r\n=Grüße\r\n~b\r\n}\r\n".encode()).prompt == "Who?"


def test_a_picture_at_an_address_is_not_fetched() -> None:
    imported = gift('[html]<img src="http://example.org/x.png">Q?{=a ~b}')
    assert imported.report.entries[0].notes == ("a picture was not taken: it is not in the file",)


def test_a_file_without_questions_says_so() -> None:
    with pytest.raises(UnreadableError, match="There is no question"):
        importers.FORMATS["gift"](b"// nothing\n\n$CATEGORY: x\n")


def test_a_title_stands_at_the_beginning_and_nowhere_else() -> None:
    """Two colons twice in a question are the question's."""
    assert only(b"std::vector or std::list? {=yes ~no}").prompt == "std::vector or std::list?"
    assert only(b"  ::T:: std::a::b? {=yes ~no}").prompt == "std::a::b?"
