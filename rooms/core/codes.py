"""Room codes: what people read from a screen and type on a phone (spec 2.1).

Nothing is drawn here: the shell draws a number below `COUNT` and asks for its code. Whether a code is in use,
and what a wrong one costs, is for the lobby to say.
"""

from typing import Final
from unicodedata import normalize

ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Digits and capitals without those that are taken for one another: 0 and O, 1 and I and L."""

LENGTH: Final = 6
"""Long enough that guesses run into the limit on failed joins first, short enough to read out."""

COUNT: Final = len(ALPHABET) ** LENGTH
"""How many codes there are, about 8.9e8."""


def from_int(number: int) -> str:
    """The code that stands for ``number``, 0 to `COUNT` - 1, each for exactly one."""
    if not 0 <= number < COUNT:
        raise ValueError(f"room code number must be 0 to {COUNT - 1}, not {number}")
    letters = []
    for _ in range(LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(reversed(letters))


def normalise(typed: str) -> str:
    """``typed`` as a code is written: capitals and digits, whatever case, width, spaces or dashes it had.

    Never fails: what is no code comes out as something that is no room's code either, so that the caller has
    one answer for both (``ROOM_NOT_FOUND``). A code comes out unchanged.
    """
    return "".join(filter(str.isalnum, normalize("NFKC", typed).upper()))
