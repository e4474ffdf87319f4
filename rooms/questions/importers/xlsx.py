"""The first sheet of an .xlsx workbook as rows of texts, read as a stream and bounded everywhere.

Not openpyxl, which writes our workbooks: even read-only it keeps a whole row and all shared texts as a tree
(3.1.5: a file of 16 kB, one row of 3 million cells, took 900 MB), and it tells neither which cells are
merged nor which formula was never calculated. What a row means is in
``importers.table``, what the XML means in ``importers.sheet``.
"""

import io
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from django.utils.translation import gettext as _

from rooms.questions import pictures
from rooms.questions.importers import drawings
from rooms.questions.importers.album import Media
from rooms.questions.importers.base import UnreadableError
from rooms.questions.importers.sheet import Elements, Sheet, Styles, Texts
from rooms.questions.importers.table import Table
from rooms.questions.importers.xml import CHUNK, walk
from rooms.questions.pictures import PictureError

MAX_MEMBERS: Final = 500
MAX_UNPACKED: Final = 64 * 2**20
"""Bytes of all members together: what they claim is what zipfile gives at most."""
# RuntimeError: encrypted; its child NotImplementedError: a compression that nobody uses here.
BROKEN: Final = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, zlib.error)
"""What zipfile raises at a file that is none."""
OLE: Final = b"\xd0\xcf\x11\xe0"
"""How an .xls file and an .xlsx file with a password begin."""


def read(data: bytes) -> Table:
    """The first visible sheet; raises `UnreadableError`."""
    if data.startswith(OLE):
        raise UnreadableError(_("This is an old .xls file, or it has a password: save it as .xlsx without."))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(_Package(archive), partial(_member, data))
    except UnreadableError:
        raise
    except BROKEN as error:
        raise UnreadableError(_("The workbook can’t be read: %s.") % error) from error


def _member(data: bytes, name: str) -> bytes:
    """A picture of the workbook: one after another is unpacked, never all of them."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name) as member:
            return member.read(pictures.MAX_BYTES + 1)
    except KeyError as error:
        raise PictureError(_("picture: there is no “%s” in the file") % name[:60]) from error
    except BROKEN as error:
        raise PictureError(_("picture: can’t be unpacked")) from error


class _Package:
    """The members of the zip file, after a look at what they claim."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_UNPACKED:
            raise UnreadableError(_("The workbook is too large when it is unpacked."))
        self._archive = archive
        self.names = {member.filename for member in members}

    def walk(self, name: str, handler: Any) -> Any:
        """Read one member into ``handler``, which comes back; a missing one has no elements."""
        if name in self.names:
            with self._archive.open(name) as member:
                walk(iter(lambda: member.read(CHUNK), b""), handler)
        return handler


def _read(package: _Package, load: Callable[[str], bytes]) -> Table:
    if "xl/workbook.xml" not in package.names:
        raise UnreadableError(_("This zip file is no .xlsx workbook."))
    book = package.walk("xl/workbook.xml", Elements("sheet"))
    known = drawings.links(package, "xl/workbook.xml")
    shown = [sheet for sheet in book.found if sheet.get("state", "visible") == "visible"]
    link = known.get(shown[0].get("id", "")) if shown else None
    if link is None:
        raise UnreadableError(_("The workbook has no sheet."))
    texts = package.walk("xl/sharedStrings.xml", Texts())
    styles = package.walk("xl/styles.xml", Styles())
    sheet = package.walk(link.target, Sheet(texts.all, styles))
    placed = drawings.placed(package, link.target, sheet.in_cells)
    return Table(sheet.rows, sheet.merges, Media(placed, load), cut=sheet.cut)
