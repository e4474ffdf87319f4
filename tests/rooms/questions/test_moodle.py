"""Moodle XML: choices, truths, HTML and the pictures in the file."""

import base64
import io
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rooms.questions import importers
from rooms.questions.importers import UnreadableError
from tests.rooms.questions.kit import only, outcomes, picture_file, right, skipped, texts, words


def answer(text: str, fraction: object, format_: str = "html") -> str:
    """One answer's element."""
    return f'<answer fraction="{fraction}" format="{format_}"><text><![CDATA[{text}]]></text></answer>'


def question(*answers: str, stem: str = "<p>Capital?</p>", type_: str = "multichoice", more: str = "") -> str:
    """One question's element."""
    text = f'<questiontext format="html"><text><![CDATA[{stem}]]></text>'
    files = more if "<file" in more else ""
    rest = "" if files else more
    head = f'<question type="{type_}"><name><text>N</text></name>'
    return f"{head}{text}{files}</questiontext>{rest}{''.join(answers)}</question>"


def quiz(*questions: str) -> bytes:
    """A file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>{"".join(questions)}</quiz>'.encode()


LIMA = (answer("<p>Lima</p>", 100), answer("Quito", 0))


def test_a_choice_with_one_right_answer() -> None:
    category = '<question type="category"><category><text>$course$/x</text></category></question>'
    imported = importers.parse(quiz(category, question(*LIMA, more="<single>true</single>")))
    assert imported.report.format == "moodle"
    assert outcomes(imported) == [(1, "taken")]
    (found,) = imported.questions
    assert (found.prompt, texts(found), right(found), found.kind) == (
        "Capital?",
        ["Lima", "Quito"],
        ["Lima"],
        "single",
    )


def test_several_right_answers_are_all_that_are_worth_something() -> None:
    parts = (answer("a", "33.33333"), answer("b", "66.66667"), answer("c", -100))
    found = only(quiz(question(*parts, more="<single>false</single>")))
    assert (found.kind, right(found)) == ("multiple", ["a", "b"])


def test_of_one_answer_the_best_is_right() -> None:
    """Partial credit does not exist here; the report says so."""
    imported = importers.parse(quiz(question(answer("a", 100), answer("b", 50), answer("c", 0))))
    assert right(imported.questions[0]) == ["a"]
    assert imported.report.entries[0].notes == ("answers worth a part of the points count as wrong",)


@pytest.mark.parametrize("truth", ["true", "false"])
def test_true_and_false(truth: str) -> None:
    other = "false" if truth == "true" else "true"
    parts = (answer(truth, 100, "moodle_auto_format"), answer(other, 0, "moodle_auto_format"))
    found = only(quiz(question(*parts, type_="truefalse")))
    assert (found.kind, right(found)) == ("boolean", [truth.capitalize()])


def test_grade_and_feedback_are_weight_and_explanation() -> None:
    more = (
        "<defaultgrade>2.5000000</defaultgrade>"
        '<generalfeedback format="html"><text>&lt;b&gt;Since&lt;/b&gt; 1535</text></generalfeedback>'
    )
    found = only(quiz(question(*LIMA, more=more)))
    assert (found.weight, found.explanation) == (2.5, "Since 1535")


@pytest.mark.parametrize("grade", ["NaN", "INF", "1e400", "abc"])
def test_a_grade_that_is_no_number_is_1_and_told(grade: str) -> None:
    imported = importers.parse(quiz(question(*LIMA, more=f"<defaultgrade>{grade}</defaultgrade>")))
    assert imported.questions[0].weight == 1.0
    assert imported.report.entries[0].notes == (f"“{grade}” is no number",)


@pytest.mark.parametrize(
    "type_", ["shortanswer", "numerical", "matching", "essay", "description", "cloze", "ddwtos"]
)
def test_other_types_are_skipped_by_name(type_: str) -> None:
    imported = importers.parse(quiz(question(*LIMA), question(type_=type_)))
    assert skipped(imported).notes == (f"the type “{type_}” can’t be played",)
    assert len(imported.questions) == 1


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("a<br>b", "a\nb"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("x<sup>2</sup> + H<sub>2</sub>O", "x² + H₂O"),
        ("x<sup>a+b</sup>", "x^(a+b)"),
        ("a &lt; b &amp;&amp; c", "a < b && c"),
        ("&amp;lt;", "&lt;"),
        ("a &nbsp; b", "a   b"),
        ("<script>alert(1)</script>ok<style>p{}</style>", "ok"),
        ('<img src=x onerror="alert(1)">ok', "ok"),
        ("<svg/onload=alert()>ok", "ok"),
        ("<<a>script>ok", "<script>ok"),
        ("<b>bold</b> and <i>it</i>", "bold and it"),
    ],
)
def test_html_becomes_what_a_reader_would_see(html: str, text: str) -> None:
    """Markup goes, entities become characters once; nothing of it is ever shown as HTML."""
    assert only(quiz(question(*LIMA, stem=html))).prompt == text


def test_plain_text_stays_as_it_is() -> None:
    """Text that does not say it is HTML, and does not look like it."""
    parts = (
        answer("a < b", 100, "plain_text"),
        answer("<b>", 0, "plain_text"),
        answer("x<y", 0, "moodle_auto_format"),
    )
    assert texts(only(quiz(question(*parts)))) == ["a < b", "<b>", "x<y"]


# ---------- pictures


def test_a_picture_of_the_file_is_kept() -> None:
    """Encoded anew, whatever its name says."""
    data = base64.b64encode(picture_file(size=(30, 20))).decode()
    stem = '<p>What?<img src="@@PLUGINFILE@@/x.jpg" alt="x"></p>'
    found = only(quiz(question(*LIMA, stem=stem, more=f'<file name="x.jpg" encoding="base64">{data}</file>')))
    assert found.picture is not None
    assert found.picture.mime == "image/png"
    with Image.open(io.BytesIO(found.picture.data)) as image:
        assert image.size == (30, 20)
    assert found.prompt == "What?"


def test_a_picture_in_the_text_itself_is_kept() -> None:
    data = base64.b64encode(picture_file()).decode()
    assert only(quiz(question(*LIMA, stem=f'Q?<img src="data:image/png;base64,{data}">'))).picture is not None


@pytest.mark.parametrize(
    ("stem", "note"),
    [
        (
            'Q?<img src="https://example.org/x.png">',
            "the picture at https://example.org/x.png was not fetched",
        ),
        ('Q?<img src="file:///etc/passwd">', "the picture at file:///etc/passwd was not fetched"),
        ('Q?<img src="@@PLUGINFILE@@/gone.png">', "the picture at @@PLUGINFILE@@/gone.png was not fetched"),
        (
            'Q?<img src="data:image/png;base64,AAAA">',
            "picture: not a PNG, JPEG or WebP file that can be read",
        ),
    ],
)
def test_a_picture_that_is_not_there_is_told(stem: str, note: str) -> None:
    """The question is taken without it, and no address is asked."""
    imported = importers.parse(quiz(question(*LIMA, stem=stem)))
    assert imported.questions[0].picture is None
    assert imported.report.entries[0].notes == (note,)


def test_of_several_pictures_the_first_is_taken_and_those_of_answers_are_not() -> None:
    """A question shows one."""
    data = base64.b64encode(picture_file()).decode()
    tag = f'<img src="data:image/png;base64,{data}">'
    imported = importers.parse(quiz(question(answer(f"a{tag}", 100), answer("b", 0), stem=f"Q?{tag}{tag}")))
    assert imported.questions[0].picture is not None
    assert imported.report.entries[0].notes == (
        "pictures of answers are not taken",
        "only the first picture is taken",
    )


def test_a_question_without_a_text_is_skipped() -> None:
    empty = '<question type="multichoice"><name><text>N</text></name></question>'
    assert skipped(importers.parse(quiz(empty))).notes == ("there is no question text",)


# ---------- hostile files

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<quiz><question>&b;</question></quiz>"
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY x SYSTEM "file:///etc/passwd">]><quiz>&x;</quiz>'
ELSEWHERE = '<!DOCTYPE quiz SYSTEM "http://example.org/quiz.dtd"><quiz/>'


@pytest.mark.parametrize(
    "content", [LAUGHS, OUTSIDE, ELSEWHERE, LAUGHS.replace('1.0"?', '1.0" encoding="utf-8"?')]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_neither_expanded_nor_fetched(content: str, encoding: str) -> None:
    """A document type declaration ends the reading, in any encoding."""
    with pytest.raises(UnreadableError):
        importers.parse(content.encode(encoding))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<quiz>" + b"<a/>" * 400_000 + b"</quiz>", "too many or too deeply nested"),
        (b"<quiz>" + b"<a>" * 10_000, "too many or too deeply nested"),
        (b"<quiz><question>", "not well-formed"),
        (b"<html></html>", "no Moodle quiz"),
        (b"<quiz>\xff</quiz>", "not well-formed"),
        (b'<?xml version="1.0" encoding="nonsense"?><quiz/>', "not well-formed"),
    ],
)
def test_an_endless_or_broken_document_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        importers.FORMATS["moodle"](content)


def test_a_text_of_endless_tags_is_skipped_alone() -> None:
    """The parser's time grows with the square of their depth."""
    imported = importers.parse(quiz(question(*LIMA, stem="<div>" * 5000), question(*LIMA)))
    assert skipped(imported).notes == ("a text has more than 500 tags",)
    assert len(imported.questions) == 1


def with_text(parent: ElementTree.Element, name: str, text: str, **attributes: str) -> None:
    """An element with the text in an element of its own, in the plain format."""
    ElementTree.SubElement(
        ElementTree.SubElement(parent, name, format="plain_text", **attributes), "text"
    ).text = text


@given(
    st.lists(
        st.tuples(words(200), st.lists(words(), min_size=2, max_size=6, unique=True), words(), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["utf-8", "utf-16", "us-ascii"]),
)
def test_what_another_program_writes_is_read_as_it_was(
    rows: list[tuple[str, list[str], str, bool]], encoding: str
) -> None:
    """Texts of all signs, escaped by its rules, in each encoding that XML has."""
    quiz = ElementTree.Element("quiz")
    for prompt, answers, explanation, single in rows:
        element = ElementTree.SubElement(quiz, "question", type="multichoice")
        with_text(element, "questiontext", prompt)
        with_text(element, "generalfeedback", explanation)
        ElementTree.SubElement(element, "single").text = str(single).lower()
        for number, answer_ in enumerate(answers):
            with_text(element, "answer", answer_, fraction="100" if number == 1 else "0")
    found = importers.parse(ElementTree.tostring(quiz, encoding=encoding, xml_declaration=True)).questions
    assert [(q.prompt, texts(q), right(q), q.explanation, q.kind == "single") for q in found] == [
        (prompt, answers, [answers[1]], explanation, single) for prompt, answers, explanation, single in rows
    ]
