"""What people may call themselves (spec 2.1): one clean form, one key for all names that look the same.

Pure: text in, text out; a refusal is a `ClientError` with one sentence per reason. No word and no emoji is
reserved here, and none can imitate the host: pages draw the host's mark as an element of its own beside the
name, never as text. A site's own bad words belong to ``ROOMS["NAME_FILTER"]``; the look-alikes are listed in
``rooms.core.confusables``.
"""

from collections.abc import Collection, Iterator
from enum import Enum
from itertools import chain, count
from typing import Final
from unicodedata import normalize

import regex

from gateway.contract import ClientError
from rooms.core.confusables import CONFUSABLES

MAX_CHARACTERS: Final = 24
"""As people count them: grapheme clusters of UAX #29, which ``Intl.Segmenter`` counts alike in the page."""

MAX_MARKS: Final = 2
"""Marks stacked on one letter: as many as Vietnamese and Thai need."""

MAX_NATIVE_MARKS: Final = 4
"""The same, each mark once, in scripts that spell with more: Hebrew shin with its dot, dagesh and a vowel;
Hindi nukta, vowel and nasal; Tibetan consonants below each other (the name Dolma has three)."""

MAX_POINTS: Final = 10
"""Code points in one character: the longest emoji (a kiss of two skin tones) and the longest conjuncts of
Sanskrit. Without it two hundred joined letters would be one character."""


class Flaw(Enum):
    """Why a name is refused; the value is what programs read in ``details["reason"]``."""

    EMPTY = "empty"
    TOO_LONG = "too-long"
    CONTROL = "control"
    DIRECTION = "direction"
    INVISIBLE = "invisible"
    UNKNOWN = "unknown"
    LOOSE_MARK = "loose-mark"
    TOO_MANY_MARKS = "too-many-marks"
    OVERSIZED = "oversized"


_SENTENCES: Final = {
    Flaw.EMPTY: "Please enter a name.",
    Flaw.TOO_LONG: "A name has at most {max} characters, this one has {found}.",
    Flaw.CONTROL: "A name is one line of plain text. Please leave out the control character {found}.",
    Flaw.DIRECTION: "A name must not change the direction of text. Please leave out the character {found}.",
    Flaw.INVISIBLE: "There is an invisible character ({found}) in this name. Please type it anew without.",
    Flaw.UNKNOWN: "Other devices cannot show one of these characters ({found}). Please leave it out.",
    Flaw.LOOSE_MARK: "There is an accent ({found}) with no letter under it. Please add the letter.",
    Flaw.TOO_MANY_MARKS: "There are too many accents ({found}) on one letter. Please use fewer.",
    Flaw.OVERSIZED: "One character ({found}) is joined from too many parts. Please use fewer.",
}

# ---------- the form that is kept

# What NFKC would tear up stays as typed: emoji that it takes for framed letters, Thai and Lao am and Lao ho
# no, the single jamo with which Koreans laugh, accents that stand for themselves (the apostrophe of O´Brien).
_AS_TYPED: Final = (
    r"\p{Emoji_Presentation}|\p{Emoji}[\uFE0E\uFE0F]|[\u0E33\u0EB3\u0EDC\u0EDD\u3131-\u318E]"
    r"|[\u00A8\u00AF\u00B4\u00B8\u02D8-\u02DD\u203E]"
)
_NORMALISED: Final = regex.compile(rf"(?:(?!{_AS_TYPED}).)+", regex.DOTALL)
_SPACES: Final = regex.compile(r"\p{Zs}+")
_CHARACTER: Final = regex.compile(r"\X")

# ---------- what is refused


def _scripts(key: str, names: str) -> str:
    return "".join(rf"\p{{{key}={name}}}" for name in names.split())


_INDIC: Final = "Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Java Bali Lana"

_AT_HOME: Final = regex.compile(
    # Joiners that are spelling: Persian, Syriac, Mongolian, and the scripts of India and around.
    rf"(?<=[[\p{{L}}\p{{M}}]&&[{_scripts('Script_Extensions', f'Arab Syrc Mong {_INDIC}')}]])[\u200C\u200D]"
    # Joined emoji, and their choice of colour or black; keycaps.
    r"|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})"
    r"|(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)"
    # The shape of a Japanese or Chinese family name, of a Mongolian letter.
    r"|(?<=\p{Ideographic})[\uFE00-\uFE0F\U000E0100-\U000E01EF]|(?<=\p{Mongolian})[\u180B-\u180D\u180F]"
    # England, Scotland and Wales: the only flags of this kind that devices draw.
    r"|(?<=\U0001F3F4)\U000E0067\U000E0062(?:\U000E0065\U000E006E\U000E0067|\U000E0073\U000E0063\U000E0074"
    r"|\U000E0077\U000E006C\U000E0073)\U000E007F",
    regex.V1,
)
"""Invisible characters where they belong. The key ignores them, so they make no second name either."""

_RIGHT_TO_LEFT: Final = regex.compile(r"[\p{L}&&[\p{Bidi_Class=R}\p{Bidi_Class=AL}]]", regex.V1)
_DIRECTION_MARK: Final = regex.compile(r"[\u200E\u200F\u061C]")
"""These turn nothing around, and who writes from right to left needs them beside brackets and digits."""

_FORBIDDEN: Final = (
    (Flaw.CONTROL, regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}]")),
    (Flaw.DIRECTION, regex.compile(r"\p{Bidi_Control}")),
    (
        Flaw.INVISIBLE,
        # By property, and what has ink by its properties but in no font: braille blank, null notehead, the
        # fillers of Khitan and of hieroglyphs, the object placeholder.
        regex.compile(
            r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\U0001D159\U00016FE4\U00013441\U00013442\uFFFC]"
        ),
    ),
    # Private, half or not yet a character. Next year's emoji are reserved already.
    (Flaw.UNKNOWN, regex.compile(r"(?!\p{Extended_Pictographic})[\p{Co}\p{Cs}\p{Cn}]")),
    (Flaw.LOOSE_MARK, regex.compile(r"(?:^|(?<= ))\p{M}")),
)
"""In this order, which is that of their harm: the first one found is the one that is told."""

_MARK: Final = regex.compile(r"[\p{Mn}\p{Me}]")
_PILE: Final = regex.compile(r".[\p{Mn}\p{Me}]+")
_NATIVE: Final = regex.compile(rf"[{_scripts('Script', f'Hebr Tibt {_INDIC}')}\u064B-\u0655\u0670]+")
"""The range is Arabic's vowels, which Unicode counts to no script."""

# ---------- the key

_LATIN_WORD: Final = regex.compile(r"\S*\p{Latin}\S*")
_GREEK_IN_LATIN: Final = str.maketrans("νυ", "vu")
"""Small nu and upsilon look like v and u, their capitals like N and Y. In a Greek word the capital decides,
so that both cases are one name; in a Latin word a Greek letter is there for its looks."""

_IGNORED: Final = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]")
_TITTLE: Final = regex.compile(r"(?<=[lj\u0237])\u0307+")
"""The dot of the Turkish capital I, or one put on a dotless i; ``l`` stands for every i by then."""


def clean_name(raw: str) -> str:
    """The name to show for what was typed: NFKC, trimmed, inner spaces single.

    Raises `ClientError` ``NAME_INVALID`` with a sentence for the player. Its ``details`` are for programs:
    ``reason`` is a `Flaw`, ``found`` the offending code point or number.
    """
    normal = _NORMALISED.sub(lambda run: normalize("NFKC", run[0]), raw)
    name = _SPACES.sub(" ", normal).strip(" ")
    if flaw_found := next(_flaws(name), None):
        raise _refusal(*flaw_found)
    return name


def fold(name: str) -> str:
    """A key that is the same for all names that a reader could take for one another. Not for display.

    Case, compatibility forms and invisible characters don't count, and a letter counts as what it looks like,
    in whatever script. A capital I is a small l in most fonts, so Ian and Lan share a key: better a needless
    "Lan 2" than a second Ian whom nobody can tell from the first.
    """
    text = normalize("NFKD", name.replace("´", "'"))
    text = _LATIN_WORD.sub(lambda word: word[0].translate(_GREEK_IN_LATIN), text)
    text = _IGNORED.sub("", normalize("NFKD", text.casefold()))
    text = normalize("NFKD", text.translate(CONFUSABLES))
    return " ".join(_TITTLE.sub("", text).split())


def unique_name(name: str, taken: Collection[str]) -> str:
    """``name``, or the first of "name 2", "name 3", ... whose key is not among the folded keys ``taken``.

    A long name is shortened, never inside a character, so that the number still fits.
    """
    numbered = (_numbered(name, number) for number in count(2))
    return next(option for option in chain([name], numbered) if fold(option) not in taken)


def _numbered(name: str, number: int) -> str:
    suffix = f" {number}"
    characters = _CHARACTER.findall(name)[: MAX_CHARACTERS - len(suffix)]
    return "".join(characters).rstrip() + suffix


def _refusal(flaw: Flaw, found: str) -> ClientError:
    text = _SENTENCES[flaw].format(found=found, max=MAX_CHARACTERS)
    return ClientError("NAME_INVALID", text, 400, {"reason": flaw.value, "found": found})


def _flaws(name: str) -> Iterator[tuple[Flaw, str]]:
    """All that is wrong with a normalised name, the worst first."""
    if not name:
        yield Flaw.EMPTY, name
    plain = _AT_HOME.sub("", name)
    if _RIGHT_TO_LEFT.search(name):
        plain = _DIRECTION_MARK.sub("", plain)
    for flaw, pattern in _FORBIDDEN:
        if match := pattern.search(plain):
            yield flaw, _code_point(match[0])
    yield from _piles(plain)
    yield from _sizes(_CHARACTER.findall(name))


def _piles(plain: str) -> Iterator[tuple[Flaw, str]]:
    for pile in _PILE.findall(plain):
        # NFKC has put some into their letter. A letter alone is no pile, whatever it carries (Greek: three).
        marks = _MARK.findall(normalize("NFD", pile))
        native = _NATIVE.fullmatch("".join(marks)) and len(set(marks)) == len(marks)
        if len(marks) > (MAX_NATIVE_MARKS if native else MAX_MARKS):
            yield Flaw.TOO_MANY_MARKS, _code_point(marks[0])


def _sizes(characters: list[str]) -> Iterator[tuple[Flaw, str]]:
    if len(characters) > MAX_CHARACTERS:
        yield Flaw.TOO_LONG, str(len(characters))
    for character in characters:
        if len(character) > MAX_POINTS:
            yield Flaw.OVERSIZED, _code_point(character[0])


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"
