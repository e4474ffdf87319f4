"""The first sheet of an .xlsx workbook as rows of texts, read as a stream and bounded everywhere.

Not openpyxl, which writes our workbooks: even read-only it keeps a whole row and all shared texts as a tree
(3.1.5: a file of 16 kB, one row of 3 million cells, took 900 MB), and it tells neither which cells are
merged nor which formula was never calculated. What a row means is in
``importers.table``, what the XML means in ``importers.sheet``.
"""

import io
import posixpath
import zipfile
import zlib
from typing import Any, Final

from django.utils.translation import gettext as _

from rooms.questions.importers.base import UnreadableError
from rooms.questions.importers.sheet import Elements, Sheet, Styles, Texts
from rooms.questions.importers.table import Table
from rooms.questions.importers.xml import walk

MAX_MEMBERS: Final = 500
MAX_UNPACKED: Final = 64 * 2**20
"""Bytes of all members together: what they claim is what zipfile gives at most."""
CHUNK: Final = 2**16

OLE: Final = b"\xd0\xcf\x11\xe0"
"""How an .xls file and an .xlsx file with a password begin."""


def read(data: bytes) -> Table:
    """The first visible sheet; raises `UnreadableError`."""
    if data.startswith(OLE):
        raise UnreadableError(_("This is an old .xls file, or it has a password: save it as .xlsx without."))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(_Package(archive))
    except UnreadableError:
        raise
    # RuntimeError: encrypted; NotImplementedError: a compression that nobody uses here.
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError, zlib.error) as error:
        raise UnreadableError(_("The workbook can’t be read: %s.") % error) from error


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


def _read(package: _Package) -> Table:
    if "xl/workbook.xml" not in package.names:
        raise UnreadableError(_("This zip file is no .xlsx workbook."))
    book = package.walk("xl/workbook.xml", Elements("sheet"))
    targets = package.walk("xl/_rels/workbook.xml.rels", Elements("Relationship"))
    paths = {link["Id"]: link["Target"] for link in targets.found if "Id" in link and "Target" in link}
    shown = [sheet for sheet in book.found if sheet.get("state", "visible") == "visible"]
    path = paths.get(shown[0].get("id", "")) if shown else None
    if path is None:
        raise UnreadableError(_("The workbook has no sheet."))
    texts = package.walk("xl/sharedStrings.xml", Texts())
    styles = package.walk("xl/styles.xml", Styles())
    sheet = package.walk(posixpath.normpath(posixpath.join("/xl", path))[1:], Sheet(texts.all, styles))
    has_pictures = any(name.startswith("xl/media/") for name in package.names)
    return Table(sheet.rows, sheet.merges, has_pictures=has_pictures, cut=sheet.cut)
