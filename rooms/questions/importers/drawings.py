"""What the XML of a workbook says about its pictures: where each lies, and in which member of the file.

Handlers for ``importers.xml.walk``. A picture lies over cells (an anchor of a drawing) or in one cell (a rich
value of Excel 365). Which question it belongs to is decided in ``importers.album``.
"""

import posixpath
import re
from typing import Any, Final, Protocol

from msgspec import Struct

from rooms.questions.importers.album import Placed
from rooms.questions.importers.sheet import Elements, Ignoring, InCell, number_of

MAX_PLACED: Final = 2000
"""Pictures of a sheet: as many as a report has entries."""
DRAWING: Final = "/drawing"
"""How the type of a sheet's link to its drawing ends; comments and printers have other types."""
RICH: Final = "xl/richData"
PICTURE: Final = "_localImage"
"""The kind of a rich value that is a picture in the file."""
MEDIA: Final = re.compile(r"xl/media/.*\.(png|jpe?g|webp|gif|bmp)", re.IGNORECASE)
"""Not SVG: it lies beside a PNG of the same picture."""


class Package(Protocol):
    """The members of a workbook."""

    names: set[str]

    def walk(self, name: str, handler: Any) -> Any:
        """Read one member into ``handler``, which comes back."""


class Link(Struct, frozen=True):
    """Where a relationship points: to a member, or to an address outside the file."""

    kind: str
    target: str
    outside: bool


def links(package: Package, part: str) -> dict[str, Link]:
    """What the ids in one member mean (its ``_rels`` neighbour)."""
    folder, name = posixpath.split(part)
    found = package.walk(f"{folder}/_rels/{name}.rels", Elements("Relationship")).found
    return {each["Id"]: _link(folder, each) for each in found if "Id" in each and "Target" in each}


def placed(package: Package, sheet: str, in_cells: list[InCell]) -> list[Placed]:
    """All pictures of one sheet; those of the file that are not among them lie at row 0, which is none."""
    drawings = [link.target for link in links(package, sheet).values() if link.kind.endswith(DRAWING)]
    over = [found for drawing in drawings[:1] for found in _over_cells(package, drawing)]
    found = [*over, *_in_cells(package, in_cells)][:MAX_PLACED]
    elsewhere = set(filter(MEDIA.fullmatch, package.names)) - {each.target for each in found}
    return [*found, *(Placed(name, False, 0, 0, 0) for name in sorted(elsewhere))]


def _link(folder: str, attrs: dict[str, str]) -> Link:
    outside = attrs.get("TargetMode") == "External"
    inside = posixpath.normpath(posixpath.join("/", folder, attrs["Target"]))[1:]
    return Link(attrs.get("Type", ""), attrs["Target"] if outside else inside, outside)


# ---------- over cells


class _Anchors(Ignoring):
    """The cells from which and to which each picture of a drawing reaches; rows and columns from 0."""

    def __init__(self) -> None:
        self.found: list[tuple[str, dict[str, int]]] = []
        self._corner = ""
        self._text = ""
        self._cells: dict[str, int] = {}

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self._text = ""
        if tag.endswith("Anchor"):
            self._cells = {}
        elif tag in ("from", "to"):
            self._corner = tag
        elif tag == "blip" and len(self.found) < MAX_PLACED:
            self.found.append((attrs.get("embed") or attrs.get("link") or "", self._cells))

    def data(self, data: str) -> None:
        self._text = (self._text + data)[:16]

    def end(self, tag: str) -> None:
        if tag in ("row", "col"):
            self._cells[f"{self._corner} {tag}"] = number_of(self._text.strip()) or 0


def _over_cells(package: Package, drawing: str) -> list[Placed]:
    known = links(package, drawing)
    return [
        _over(known[id_], cells) for id_, cells in package.walk(drawing, _Anchors()).found if id_ in known
    ]


def _over(link: Link, cells: dict[str, int]) -> Placed:
    # Placed by distances alone (absoluteAnchor) it lies at no row that can be told.
    top = cells["from row"] + 1 if "from row" in cells else 0
    bottom = max(top, cells.get("to row", 0) + 1) if top else 0
    return Placed(link.target, link.outside, top, bottom, cells.get("from col", 0))


# ---------- in cells


class _Metadata(Ignoring):
    """``metadata.xml``: the rich value behind each number that a cell may bear."""

    def __init__(self) -> None:
        self.values: list[int | None] = []
        self._blocks: list[int | None] = []
        self._part = ""

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        if tag in ("futureMetadata", "valueMetadata", "cellMetadata"):
            self._part = attrs.get("name", tag)
        elif tag == "rvb":
            self._blocks.append(number_of(attrs.get("i", "")))
        elif tag == "rc" and self._part == "valueMetadata":
            self.values.append(_at(self._blocks, number_of(attrs.get("v", ""))))


class _RichValues(Ignoring):
    """``rdrichvalue.xml``: of each value its kind and its first field, a picture's number among the links."""

    def __init__(self) -> None:
        self.all: list[tuple[int | None, int | None]] = []
        self._text = ""

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self._text = ""
        if tag == "rv":
            self.all.append((number_of(attrs.get("s", "")), None))

    def data(self, data: str) -> None:
        self._text = (self._text + data)[:16]

    def end(self, tag: str) -> None:
        if tag == "v" and self.all and self.all[-1][1] is None:
            self.all[-1] = (self.all[-1][0], number_of(self._text))


def _in_cells(package: Package, cells: list[InCell]) -> list[Placed]:
    if not cells:
        return []
    numbers = package.walk("xl/metadata.xml", _Metadata()).values
    values = package.walk(f"{RICH}/rdrichvalue.xml", _RichValues()).all
    kinds = package.walk(f"{RICH}/rdrichvaluestructure.xml", Elements("s")).found
    ids = package.walk(f"{RICH}/richValueRel.xml", Elements("rel")).found
    known = links(package, f"{RICH}/richValueRel.xml")
    found = []
    for cell in cells:
        kind, picture = _at(values, _at(numbers, cell.value - 1)) or (None, None)
        link = known.get((_at(ids, picture) or {}).get("id", ""))
        # Shares and places are rich values, too, and their first field is another number.
        if link is not None and (_at(kinds, kind) or {}).get("t") == PICTURE:
            found.append(Placed(link.target, link.outside, cell.row, cell.row, cell.column))
    return found


def _at(items: list[Any], index: int | None) -> Any:
    return items[index] if index is not None and 0 <= index < len(items) else None
