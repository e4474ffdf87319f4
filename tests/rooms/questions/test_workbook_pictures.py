"""Pictures inside a workbook: each comes to its question, encoded anew, and costs no more than it may."""

import base64
import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.drawing.image import Image as Placed
from openpyxl.drawing.spreadsheet_drawing import AbsoluteAnchor
from openpyxl.drawing.xdr import XDRPoint2D, XDRPositiveSize2D
from PIL import Image

from rooms.questions import importers, pictures
from rooms.questions.drafts import Picture
from rooms.questions.importers import Imported, base
from tests.rooms.questions.files import DATA
from tests.rooms.questions.kit import SHEET, picture_file, png_of_claimed_size, rezipped, saved, without

HEADER = ("Question", "A", "B", "Correct", "Picture")
ROW = ("Which?", "a", "b", 1)
DRAWING = "xl/drawings/drawing1.xml"
LINKS = "xl/drawings/_rels/drawing1.xml.rels"
OUTSIDE = 'Target="https://example.org/x.png" TargetMode="External"'


def book(rows: int, *placed: tuple[str, bytes]) -> bytes:
    """A workbook of so many questions from row 2 on, with pictures at these cells."""
    made = Workbook()
    assert made.active is not None
    made.active.append(HEADER)
    for number in range(rows):
        made.active.append((f"{number + 2}?", *ROW[1:]))
    for cell, data in placed:
        made.active.add_image(Placed(io.BytesIO(data)), cell)
    return saved(made)


def changed(data: bytes, member: str, *changes: tuple[str, str]) -> bytes:
    """The workbook with some words of a member replaced."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        text = archive.read(member).decode()
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text)
        assert count, pattern
    return rezipped(data, {member: text.encode()})


def colours(imported: Imported) -> list[str | None]:
    """The colour of each question's picture."""
    return [colour(draft.picture) if draft.picture else None for draft in imported.questions]


def colour(picture: Picture) -> str:
    with Image.open(io.BytesIO(picture.data)) as image:
        pixel = image.convert("RGB").getpixel((1, 1))
    assert isinstance(pixel, tuple)
    return "red" if pixel[0] > pixel[2] else "blue"


def notes(imported: Imported) -> list[tuple[str, ...]]:
    return [entry.notes for entry in imported.report.entries]


def tall(fill: str, height: int = 6) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, height), fill).save(file, "PNG")
    return file.getvalue()


RED, BLUE = tall("red"), tall("blue")


def test_a_picture_belongs_to_the_question_in_whose_row_it_lies() -> None:
    imported = importers.parse(book(3, ("E4", BLUE), ("E2", RED)))
    assert colours(imported) == ["red", None, "blue"]
    assert imported.report.notes == []
    assert notes(imported) == [(), (), ()]


def test_it_is_encoded_anew_like_every_picture() -> None:
    """What was hidden in it does not come along."""
    exif = Image.Exif()
    exif[0x010F] = "secret camera"
    (draft,) = importers.parse(book(1, ("E2", picture_file("JPEG", exif=exif)))).questions
    assert draft.picture is not None
    assert draft.picture.mime == "image/jpeg"
    assert b"secret" not in draft.picture.data


def test_one_that_begins_above_the_rows_belongs_to_the_first_that_it_touches() -> None:
    """People place them by eye."""
    data = changed(
        book(2, ("A2", RED)),
        DRAWING,
        ("<(xdr:)?row>1</", "<\\1row>0</"),
        ("oneCellAnchor>", "twoCellAnchor>"),
        ("(</(?:xdr:)?from>)", "\\1<to><col>1</col><row>2</row></to>"),
    )
    assert colours(importers.parse(data)) == ["red", None]


def test_of_several_the_first_is_taken_and_the_others_are_told() -> None:
    imported = importers.parse(book(1, ("F2", BLUE), ("E2", RED)))
    assert colours(imported) == ["red"]
    assert notes(imported) == [("only the first picture is taken",)]


def test_a_picture_of_an_answer_is_not_the_questions() -> None:
    """It might show the answer."""
    imported = importers.parse(book(1, ("B2", RED)))
    assert colours(imported) == [None]
    assert notes(imported) == [("pictures of answers are not taken",)]


@pytest.mark.parametrize("cell", ["A1", "E40"])
def test_a_picture_beside_all_questions_is_told_once(cell: str) -> None:
    """A template's logo, or one in an empty row."""
    imported = importers.parse(book(1, (cell, RED), (cell, BLUE)))
    assert colours(imported) == [None]
    assert "2 pictures lie at no question’s row and were not taken." in imported.report.notes


def test_a_picture_without_a_cell_or_a_place_is_told() -> None:
    """Placed by distances alone, or in a part of the file that is not the sheet's."""
    made = Workbook()
    assert made.active is not None
    made.active.append(HEADER)
    made.active.append(ROW)
    image = Placed(io.BytesIO(RED))
    image.anchor = AbsoluteAnchor(XDRPoint2D(0, 400_000), XDRPositiveSize2D(9525, 9525))
    made.active.add_image(image)
    assert "1 picture lies at no question’s row" in importers.parse(saved(made)).report.notes[-1]
    elsewhere = rezipped(book(1), {"xl/media/image9.png": RED, "xl/media/image9.svg": b"<svg/>"})
    assert "1 picture lies at no question’s row" in importers.parse(elsewhere).report.notes[-1]


def test_a_linked_picture_is_not_fetched() -> None:
    data = changed(book(1, ("E2", RED)), LINKS, ('Target="[^"]*"', OUTSIDE))
    imported = importers.parse(data)
    assert colours(imported) == [None]
    assert notes(imported) == [("the picture at https://example.org/x.png was not fetched",)]


@pytest.mark.parametrize(
    ("break_", "reason"),
    [
        (lambda data: without(data, "xl/media/image1.png"), "there is no “xl/media/image1.png” in the file"),
        (lambda data: rezipped(data, {"xl/media/image1.png": b"GIF89a"}), "not a PNG, JPEG or WebP"),
        (
            lambda data: rezipped(data, {"xl/media/image1.png": b"x" * (pictures.MAX_BYTES + 1)}),
            "more than 8 MiB",
        ),
        (
            lambda data: rezipped(data, {"xl/media/image1.png": png_of_claimed_size(9000, 9000)}),
            "more than 25000000 pixels",
        ),
        (
            lambda data: changed(data, LINKS, ('Target="[^"]*1[.]png"', 'Target="../../../etc/passwd"')),
            "no “etc/passwd”",
        ),
    ],
    ids=["gone", "GIF", "bytes", "pixels", "elsewhere"],
)
def test_a_picture_that_cannot_be_kept_costs_no_question(
    break_: Callable[[bytes], bytes], reason: str
) -> None:
    """The note says why; the other picture is taken."""
    imported = importers.parse(break_(book(2, ("E2", RED), ("E3", BLUE))))
    assert colours(imported) == [None, "blue"]
    ((note,), _nothing) = notes(imported)
    assert reason in note


@pytest.mark.parametrize(
    "content",
    [b"", b"<x", b"<wsDr/>", b"<a><from><row>99999999999999</row></from><blip embed='rId1'/></a>", b"\0"],
)
def test_a_drawing_of_nonsense_breaks_nothing(content: bytes) -> None:
    """Either the workbook is refused in words or its questions are read."""
    try:
        imported = importers.parse(rezipped(book(1, ("E2", RED)), {DRAWING: content}))
    except importers.UnreadableError:
        return
    assert colours(imported) == [None]


def test_a_picture_placed_often_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five hundred times the same is five hundred times kept, and one time's work."""
    made: list[bytes] = []
    encode = pictures.encoded

    def counted(data: bytes, *args: Any, **named: Any) -> Picture:
        made.append(data)
        return encode(data, *args, **named)

    monkeypatch.setattr(pictures, "encoded", counted)
    data = book(20, *[(f"E{row}", RED) for row in range(2, 22)])
    one = changed(data, LINKS, ("image[0-9]+[.]png", "image1.png"))
    assert colours(importers.parse(one)) == ["red"] * 20
    assert len(made) == 1


def test_what_all_pictures_of_a_file_may_cost_is_bounded() -> None:
    """In pixels that are decoded and in bytes that are kept."""
    allowed = pictures.Allowance(pixels=100, kept=10_000)
    pictures.encoded(RED, allowance=allowed)
    pictures.encoded(BLUE, allowance=allowed)
    with pytest.raises(pictures.PictureError, match="pixels together"):
        pictures.encoded(RED, allowance=allowed)
    allowed = pictures.Allowance(kept=len(pictures.encoded(RED).data) + 1)
    kept = pictures.encoded(RED, allowance=allowed)
    with pytest.raises(pictures.PictureError, match="MiB together"):
        allowed.keeps(kept)


def test_a_file_of_too_many_pictures_keeps_those_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every format that brings pictures; what is left out is told at its question."""
    monkeypatch.setattr(base, "Allowance", lambda: pictures.Allowance(pixels=60))
    square = f'<img src="data:image/png;base64,{base64.b64encode(RED).decode()}">'
    xml = "".join(
        f'<question type="truefalse"><questiontext format="html"><text><![CDATA[{square}Q{number}]]></text>'
        '</questiontext><answer fraction="100"><text>true</text></answer></question>'
        for number in range(2)
    )
    stored = {"mime": "image/png", "data": base64.b64encode(RED).decode()}
    options = [{"text": "a", "correct": True}, {"text": "b"}]
    own: dict[str, Any] = {"format": "halyard.questions", "version": 1}
    own["questions"] = [
        {"prompt": f"Q{number}", "choices": options, "picture": stored} for number in range(2)
    ]
    for data in (
        book(2, ("E2", RED), ("E3", BLUE)),
        f"<quiz>{xml}</quiz>".encode(),
        json.dumps(own).encode(),
    ):
        imported = importers.parse(data)
        assert colours(imported) == ["red", None]
        assert "more than 500000000 pixels together" in notes(imported)[1][0]


IN_CELLS = DATA / "wayground" / "pictures.xlsx"
"""Its first question has a picture placed in a cell."""


def test_a_picture_in_a_cell_is_the_rows_as_one_over_it_is() -> None:
    """Excel writes an error into such a cell: it is none, where no text is asked for."""
    imported = importers.parse(IN_CELLS.read_bytes())
    assert [draft.picture is not None for draft in imported.questions] == [True, True, False]
    assert notes(imported)[:2] == [(), ()]


@pytest.mark.parametrize(
    ("member", "pattern", "new"),
    [
        ("xl/richData/rdrichvaluestructure.xml", "_localImage", "_share"),
        ("xl/richData/rdrichvalue.xml", "<v>0</v>", "<v>77</v>"),
        ("xl/richData/richValueRel.xml", "rId1", "rId9"),
        ("xl/metadata.xml", 'i="0"', 'i="-1"'),
        (SHEET, 'vm="1"', 'vm="0"'),
    ],
)
def test_another_value_in_a_cell_is_no_picture(member: str, pattern: str, new: str) -> None:
    """A share's price, or a number that leads nowhere: the cell's error is told, the question is taken."""
    imported = importers.parse(changed(IN_CELLS.read_bytes(), member, (pattern, new)))
    assert [draft.picture is not None for draft in imported.questions] == [False, True, False]
    assert "column J: " in notes(imported)[0][0]
