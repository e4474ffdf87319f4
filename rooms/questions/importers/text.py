"""Bytes to text and HTML to text: what the importers of text formats begin with.

Guesses of an encoding are told in the report. HTML loses its markup by nh3, a parser, never by a pattern;
what comes out is plain text, shown as text.
"""

import html
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import nh3
from django.utils.translation import gettext as _

from rooms.questions.drafts import UnusableError
from rooms.questions.importers import codepages
from rooms.questions.importers.base import Collector, UnreadableError

MAX_BYTES: Final = 4 * 2**20
"""Of a text file, which holds no pictures: 500 questions with sixteen long answers each."""
MAX_LINES: Final = 50_000
"""Lines that are looked at; 2,000 questions of 16 answers have fewer."""
MAX_TAGS: Final = 500
"""Tags of one text: the parser's time grows with the square of their depth (50,000: 15 s)."""
LOOK: Final = 400
"""Bytes by which UTF-16 is told from text with a stray NUL."""
ZEROS: Final = 8
"""At least every eighth character is ASCII, in Arabic tables, too: separators, digits, line ends."""

_BOMS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_BLOCKS: Final = frozenset(
    {"p", "div", "br", "li", "ul", "ol", "tr", "table", "pre", "blockquote", *(f"h{n}" for n in range(1, 7))}
)
_RAISED: Final = frozenset({"sup", "sub"})
_RAISED_CHARS: Final = {
    "sup": str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ"),
    "sub": str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"),
}
_MARKUP: Final = re.compile(
    r"</?(?:p|br|b|i|u|em|strong|span|div|img|sub|sup|a|ul|ol|li|code|pre|table|h[1-6])(?:\s[^<>]*)?/?>"
    r"|&(?:[a-z]+|#\d+);",
    re.IGNORECASE,
)


def beginning(data: bytes) -> str:
    """The first characters that are not blank, as far as they can be read."""
    head = data[:LOOK]
    encoding = next((name for bom, name in _BOMS if head.startswith(bom)), _utf_16(head) or "utf-8")
    return head.decode(encoding, errors="ignore").lstrip("\ufeff \t\r\n")


def decoded(data: bytes, out: Collector) -> str:
    """The file as text. A guess is noted; what no guess fits is `UnreadableError`."""
    if len(data) > MAX_BYTES:
        raise UnreadableError(_("A text file must not be larger than %d MiB.") % (MAX_BYTES // 2**20))
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    if (unmarked := _utf_16(data[:LOOK])) is not None:
        out.note(_("The file says no encoding; it was read as UTF-16."))
        return data.decode(unmarked, errors="replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    page = codepages.page_of(data)
    try:
        text = data.decode(page)
    except UnicodeDecodeError as error:
        raise UnreadableError(_("The file’s encoding is unknown: save it as UTF-8.")) from error
    name = page.replace("cp", "Windows-")
    out.note(_("The file is not UTF-8; it was read as %s: look at its accents and umlauts.") % name)
    return text


def _utf_16(head: bytes) -> str | None:
    """ASCII in UTF-16 has a zero in every second byte, and which one tells the byte order."""
    first, second = head[::2].count(0), head[1::2].count(0)
    if min(first, second) or max(first, second) * ZEROS < len(head) // 2:
        return None
    return "utf-16-le" if second else "utf-16-be" if first else None


def lines(text: str) -> Iterator[str]:
    """The lines without their ends, whichever system wrote them; not those of a file without measure."""
    # Not splitlines(): it would also split at a form feed or U+2028 inside a text.
    return (line.rstrip("\n") for line in islice(io.StringIO(text, newline=None), MAX_LINES))


def has_markup(text: str) -> bool:
    """Whether a text that may be HTML looks like it: ``a < b`` does not."""
    return _MARKUP.search(text) is not None


def from_html(markup: str) -> str:
    """What a reader would see: blocks are lines, entities are characters, x<sup>2</sup> is x².

    Raises `UnusableError` for a text of more than `MAX_TAGS`.
    """
    if markup.count("<") > MAX_TAGS:
        raise UnusableError(_("a text has more than %d tags") % MAX_TAGS)
    safe = nh3.clean(markup, tags=set(_BLOCKS | _RAISED), attributes={})
    # After the cleaning every "<" is one of the tags above, without attributes.
    raised = re.sub(r"<(su[pb])>([^<]*)</\1>", _raised, safe)
    flat = re.sub(r"[ \t\r\n]+", " ", raised)
    broken = re.sub(r" ?</?(?:li|p|div|br|ul|ol|tr|table|h[1-6]|pre|blockquote)> ?", "\n", flat)
    text = html.unescape(re.sub(r"</?su[pb]>", "", broken))
    return re.sub(r"\n{2,}", "\n", text.replace("\xa0", " ")).strip()


def _raised(found: re.Match[str]) -> str:
    table, text = _RAISED_CHARS[found[1]], found[2]
    if all(ord(char) in table for char in text):
        return text.translate(table)
    return ("^" if found[1] == "sup" else "_") + (text if len(text) == 1 else f"({text})")
