"""XML of strangers: read by expat, without entities, bounded in elements and depth.

A document type declaration is refused, and with it every entity that could expand or fetch something.
Memory is bounded by ``max_elements`` and `MAX_TAG`, whatever the file claims.
"""

from collections.abc import Iterable
from typing import Any, Final, Protocol
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from django.utils.translation import gettext as _

from rooms.questions.importers.base import UnreadableError

MAX_ELEMENTS: Final = 200_000
"""2,000 rows of 20 cells have fewer, 500 questions of a course, too."""
MAX_TREE: Final = 120_000
"""Elements of a document that is kept whole, some 300 bytes each; 2,000 questions of five answers: 80,000."""
MAX_DEPTH: Final = 64
CHUNK: Final = 2**16
MAX_TAG: Final = 2**18
"""Bytes of one tag or comment. Texts come in pieces, but a tag with all its attributes is held at once."""


class Handler(Protocol):
    """What hears of a document's parts; names have no namespace. `TreeBuilder` is one."""

    def start(self, tag: str, attrs: dict[str, str], /) -> Any:
        """An element begins."""

    def end(self, tag: str, /) -> Any:
        """It ends."""

    def data(self, data: str, /) -> Any:
        """Some text."""


class _Guard:
    def __init__(self, handler: Handler, max_elements: int) -> None:
        self._handler = handler
        self._left = max_elements
        self._depth = 0

    def start(self, name: str, attrs: dict[str, str]) -> None:
        self._left -= 1
        self._depth += 1
        if self._left < 0 or self._depth > MAX_DEPTH:
            raise UnreadableError(_("The file has too many or too deeply nested elements."))
        self._handler.start(_local(name), {_local(key): value for key, value in attrs.items()})

    def end(self, name: str) -> None:
        self._depth -= 1
        self._handler.end(_local(name))

    def refuse(self, *_args: Any) -> None:
        raise UnreadableError(_("The file has a document type declaration; for safety it is not read."))


def walk(chunks: Iterable[bytes], handler: Handler, max_elements: int = MAX_ELEMENTS) -> None:
    """Tell ``handler`` of every element and text; raises `UnreadableError`."""
    guard = _Guard(handler, max_elements)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = guard.start
    parser.EndElementHandler = guard.end
    parser.CharacterDataHandler = handler.data
    parser.StartDoctypeDeclHandler = guard.refuse
    try:
        given = 0
        for chunk in chunks:
            parser.Parse(chunk, False)
            given += len(chunk)
            if given - max(parser.CurrentByteIndex, 0) > MAX_TAG:
                raise UnreadableError(_("The file has a tag or a comment that is too long."))
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(_("The file is not well-formed XML: %s.") % error) from error


def tree(data: bytes) -> Element:
    """The whole document."""
    builder = TreeBuilder()
    walk((data[at : at + CHUNK] for at in range(0, len(data), CHUNK)), builder, MAX_TREE)
    return builder.close()


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
