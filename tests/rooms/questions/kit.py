"""What the tests of importers are made with: files of other hands, and drafts of every kind."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st
from openpyxl import Workbook
from PIL import Image

from rooms.questions import drafts, importers
from rooms.questions.drafts import Draft, Option
from rooms.questions.importers import Entry, Imported

KAHOOT = (
    None,
    "Question - max 120 characters",
    *(f"Answer {number} - max 75 characters" for number in range(1, 5)),
    "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
    "Correct answer(s) - choose at least one",
)
SHEET = "xl/worksheets/sheet1.xml"
TEXTS = "xl/sharedStrings.xml"
WAYGROUND = (
    *("Question Text", "Question Type", "Option 1", "Option 2", "Option 3", "Option 4", "Option 5"),
    *("Correct Answer", "Time in seconds", "Image Link", "Answer explanation"),
)


def saved(book: Workbook) -> bytes:
    """The workbook as a file."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def workbook(*rows: Sequence[Any], at: int = 1) -> bytes:
    """A workbook of one sheet whose first row is number ``at``."""
    book = Workbook()
    assert book.active is not None
    for number, row in enumerate(rows, at):
        for column, value in enumerate(row, 1):
            book.active.cell(number, column, value)
    return saved(book)


def kahoot(*rows: Sequence[Any]) -> bytes:
    """Kahoot's template with these rows from row 9 on, each without its running number."""
    numbered = [(number, *row) for number, row in enumerate(rows, 1)]
    preamble = [(None, None), (None, "Quiz template"), *[(None, "Write a question")] * 4, (None, None)]
    return workbook(*preamble, KAHOOT, *numbered)


def rezipped(data: bytes, members: dict[str, bytes]) -> bytes:
    """The workbook with these members replaced or added."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        kept = {name: old.read(name) for name in old.namelist()}
        for name, content in {**kept, **members}.items():
            new.writestr(name, content)
    return file.getvalue()


def without(data: bytes, member: str) -> bytes:
    """The workbook without one of its members."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            if name != member:
                new.writestr(name, old.read(name))
    return file.getvalue()


def as_excel_saves(data: bytes) -> bytes:
    """The same workbook with its texts in a table of their own, as Excel writes them; openpyxl does not."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheet = archive.read(SHEET).decode()
    found = re.findall(r"<is><t[^>]*>(.*?)</t></is>", sheet, re.DOTALL)
    for number in range(len(found)):
        sheet = re.sub(
            r't="inlineStr"><is><t[^>]*>.*?</t></is>',
            f't="s"><v>{number}</v>',
            sheet,
            count=1,
            flags=re.DOTALL,
        )
    texts = "".join(f'<si><t xml:space="preserve">{text}</t></si>' for text in found)
    table = f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{texts}</sst>'
    return rezipped(data, {SHEET: sheet.encode(), TEXTS: table.encode()})


def outcomes(imported: Imported) -> list[tuple[int, str]]:
    """Where each entry stood and what became of it."""
    return [(entry.number, entry.outcome) for entry in imported.report.entries]


def skipped(imported: Imported) -> Entry:
    """The one entry that was skipped."""
    (entry,) = (entry for entry in imported.report.entries if entry.outcome == "skipped")
    return entry


def only(data: bytes) -> Draft:
    """The one question of a file."""
    (question,) = importers.parse(data).questions
    return question


def right(question: Draft) -> list[str]:
    """The texts of the right answers."""
    return [option.text for option in question.options if option.correct]


def texts(question: Draft) -> list[str]:
    """The texts of all answers."""
    return [option.text for option in question.options]


def picture_file(format_: str = "PNG", size: tuple[int, int] = (8, 6), **options: Any) -> bytes:
    """A picture as somebody's program writes it."""
    file = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(file, format_, **options)
    return file.getvalue()


def png_of_claimed_size(width: int, height: int) -> bytes:
    """A tiny file that claims to be huge."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b""))
        + chunk(b"IEND", b"")
    )


def filled_form(page: Any) -> dict[str, str]:
    """What a browser sends when a question's page is saved as it came."""
    forms = page.context["inline_admin_formsets"][0].formset
    data = {f"{forms.prefix}-{name}": value for name, value in forms.management_form.initial.items()}
    for form in (page.context["adminform"].form, *forms.initial_forms):
        prefix = f"{form.prefix}-" if form.prefix else ""
        for name, field in form.fields.items():
            value = form.get_initial_for_field(field, name)
            # A browser sends line breaks as CR LF, and unticked boxes not at all.
            value = str(value).replace("\n", "\r\n") if value is not None and value is not False else ""
            ticked = name in ("correct", "remove_picture", "DELETE")
            data |= {prefix + name: value} if value or not ticked else {}
    return data


# ---------- drafts of every kind

HARD = (
    *(
        "a < b",
        "x > y && z",
        "AT&T",
        "&lt;",
        '"5"',
        "O'Brien",
        "C:\\n",
        "=1+1",
        "-2",
        "@x",
        "50%",
        "%50%x",
        "#1",
    ),
    *(
        "[html]<b>x</b>",
        "{T}",
        "~ no",
        "a -> b",
        "// c",
        "::t::",
        "$CATEGORY: x",
        "ANSWER: A",
        "A. b",
        "1,3",
        "'=a",
    ),
    *(
        "_x0041_",
        "&&058;",
        "\\=",
        "\\\\",
        "two\nlines",
        "مرحبا ١",
        "שלום!",
        "🇨🇭 ok",
        "a  b",
        "<script>",
        "Ünï",
    ),
)


def words(most: int = 60) -> st.SearchStrategy[str]:
    """Texts as they are kept, hard ones often."""
    alphabet = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn"), include_characters="\n\t")
    free = st.text(alphabet, min_size=1, max_size=most).map(drafts.clean)
    seen = free.filter(lambda text: any(char.isprintable() and not char.isspace() for char in text))
    return st.one_of(st.sampled_from(HARD), seen)


@st.composite
def questions(draw: st.DrawFn, most_options: int = 6) -> Draft:
    """A question as it is kept, without a picture."""
    kind = draw(st.sampled_from(("single", "multiple", "boolean")))
    if kind == "boolean":
        truth = draw(st.booleans())
        options = [Option("True", truth), Option("False", not truth)]
    else:
        found = draw(st.lists(words(), min_size=2, max_size=most_options, unique=True))
        first = draw(st.integers(0, len(found) - 1))
        more = draw(st.sets(st.integers(0, len(found) - 1))) if kind == "multiple" else set()
        options = [Option(text, number in {first, *more}) for number, text in enumerate(found)]
    return Draft(
        prompt=draw(words(200)),
        options=tuple(options),
        kind=kind,
        time_limit_s=draw(st.none() | st.integers(drafts.MIN_SECONDS, drafts.MAX_SECONDS)),
        weight=draw(st.integers(0, 1000)) / 100,
        explanation=draw(st.just("") | words()),
    )


def sheaves(strategy: st.SearchStrategy[Draft]) -> st.SearchStrategy[tuple[Draft, ...]]:
    """Some questions, each with a key of its own."""
    return st.lists(strategy, min_size=1, max_size=5).map(
        lambda found: tuple(
            Draft(*(getattr(draft, name) for name in draft.__struct_fields__[:-1]), key=f"k{number}")
            for number, draft in enumerate(found)
        )
    )


def without_keys(found: Iterable[Draft]) -> list[tuple[Any, ...]]:
    """All of the questions but what names them."""
    return [
        tuple(getattr(draft, name) for name in draft.__struct_fields__ if name != "key") for draft in found
    ]
