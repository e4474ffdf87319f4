"""Which Windows code page a text is in that says nothing: the one in which its words look most like words.

Only the 8-bit pages that spreadsheets and editors of whole countries write, told apart by what hardly happens
in their scripts; languages of one script whose letters only change places are not. UTF-8 and UTF-16 are
known by themselves (``importers.text``).
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

WESTERN: Final = "cp1252"
PAGES: Final = (WESTERN, "cp1250", "cp1251", "cp1253", "cp1255", "cp1256")
"""Western and Central European, Cyrillic, Greek, Hebrew, Arabic; of equals the first."""
LOOK: Final = 2**16
"""Bytes that are looked at."""
LEAST_WORDS: Final = 3
"""With fewer there is nothing to compare."""
MIXED: Final = 3
"""Faults of two scripts in one word: no language does that, while Polish has "żółć"."""
_WORD: Final = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")


def page_of(data: bytes) -> str:
    """The likeliest page, Western in doubt. That the whole text can be read in it is not said."""
    words = _WORD.findall(data[:LOOK])
    if len(words) < LEAST_WORDS:
        return WESTERN
    return min(PAGES, key=lambda page: _faults(words, page))


def _faults(words: list[bytes], page: str) -> int:
    try:
        texts = [word.decode(page) for word in words]
    except UnicodeDecodeError:
        return len(words) * LOOK
    # A script with capitals has one somewhere: Hebrew read as Cyrillic has none.
    strange = {_script(char) for text in texts for char in text if not char.isascii()} & {"CYRILLIC", "GREEK"}
    uncapital = bool(strange) and not any(char.isupper() for text in texts for char in text)
    return sum(sum(_faults_of(text)) for text in texts) + uncapital


def _faults_of(word: str) -> Iterator[int]:
    yield unicodedata.combining(word[0]) != 0
    for before, char, after in zip("\0" + word, word, word[1:] + "\0", strict=False):
        if not char.isalpha():
            yield (
                before.isalpha() and after.isalpha() and not unicodedata.combining(char) and char not in "’‘´"
            )
        elif before.isalpha():
            yield before.islower() and char.isupper()
            yield MIXED * (_script(before) != _script(char))
            # In Latin scripts accents hardly ever stand side by side; read as Latin, others are nothing else.
            yield _script(char) == "LATIN" and not (before.isascii() or char.isascii())


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]
