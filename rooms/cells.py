"""Texts in spreadsheet files: shown as text and never run, and read back as they were.

People's names and questions go into files that a spreadsheet opens, and a spreadsheet runs a cell that begins
like a formula. An .xlsx cell says itself that it is text; a CSV cell can't, so there an apostrophe goes in
front, and `unguarded` takes it away again: every text survives the way there and back.
"""

import re
from typing import Final

FORMULA: Final = "=+\\-@\t\r\n＝＋－＠"
"""What a formula may begin with (OWASP, CSV Injection), full-width forms included; some programs skip a tab
or line break in front of it.
"""
BREAKS: Final = ";\t\r\n"
"""After these a new cell begins where the list separator is not the comma, as in German Excel."""

_AT_CELL_START: Final = f"(?<![^{BREAKS}])"
_DANGEROUS: Final = re.compile(f"{_AT_CELL_START}(?='*[{FORMULA}])")
_GUARDED: Final = re.compile(f"{_AT_CELL_START}'(?='*[{FORMULA}])")


def guarded(text: str) -> str:
    """The text for a CSV cell: ``-Anna-`` becomes ``'-Anna-``.

    What looks guarded already gets one more apostrophe, so that none of its own is lost on the way back.
    """
    return _DANGEROUS.sub("'", text)


def unguarded(text: str) -> str:
    """What `guarded` was given; call it for each cell of a CSV file that this site wrote."""
    return _GUARDED.sub("", text)
