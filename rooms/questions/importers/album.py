"""The pictures of a workbook and the questions they belong to: the row decides, then the column.

A picture belongs to the first question whose row it touches; one that begins over an answer is that answer's
and can't be asked. Where pictures lie is read in ``importers.drawings``.
"""

from collections.abc import Callable, Collection, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from rooms.questions import pictures
from rooms.questions.drafts import Picture
from rooms.questions.importers.base import Collector
from rooms.questions.pictures import Allowance, PictureError


class Placed(Struct, frozen=True):
    """A picture and the cells it lies over: rows from 1, the column from 0 where it begins.

    ``target`` is a member of the file or, outside, an address.
    """

    target: str
    outside: bool
    top: int
    bottom: int
    column: int


class Media(Struct, frozen=True):
    """The pictures of a sheet, and how a member of the file is read; raises `PictureError`."""

    placed: list[Placed]
    load: Callable[[str], bytes]


class Album:
    """Every question's pictures. Each member is encoded once, however often it is placed."""

    def __init__(self, media: Media, answers: Collection[int], allowance: Allowance) -> None:
        self._media = media
        self._answers = answers
        self._allowance = allowance
        self._by_row: dict[int, list[Placed]] = {}
        self._made: dict[str, Picture | str] = {}

    def place(self, rows: Sequence[int], out: Collector) -> None:
        """Give each to its question, whose row is one of these; what belongs to none is told once."""
        lost = 0
        for each in sorted(self._media.placed, key=lambda each: (each.top, each.column)):
            row = next((row for row in rows if each.top <= row <= each.bottom), None)
            if row is None:
                lost += 1
            else:
                self._by_row.setdefault(row, []).append(each)
        if lost:
            text = ngettext(
                "%d picture lies at no question’s row and was not taken.",
                "%d pictures lie at no question’s row and were not taken.",
                lost,
            )
            out.note(text % lost)

    def picture_of(self, row: int, notes: list[str]) -> Picture | None:
        """The first picture of the question that can be used; the notes say what became of others."""
        found = None
        for each in self._by_row.get(row, ()):
            if each.column in self._answers:
                notes.append(_("pictures of answers are not taken"))
            elif each.outside:
                notes.append(_("the picture at %s was not fetched") % each.target[:100])
            elif found is not None:
                notes.append(_("only the first picture is taken"))
            elif isinstance(made := self._encoded(each.target), str):
                notes.append(made)
            else:
                found = made
        return found

    def _encoded(self, member: str) -> Picture | str:
        """The picture, or why there is none."""
        if member not in self._made:
            try:
                self._made[member] = pictures.encoded(self._media.load(member), allowance=self._allowance)
            except PictureError as error:
                self._made[member] = str(error)
            return self._made[member]
        made = self._made[member]
        try:
            return made if isinstance(made, str) else self._allowance.keeps(made)
        except PictureError as error:
            return str(error)
