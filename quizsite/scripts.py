"""Which modules a page's entry script leads to: told to the browser at once (``modulepreload``), else it
would find them one import after another.

Read from the sources when the process starts, so that no list grows old. The scripts themselves are in
``static/quizsite/js``.
"""

import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "static" / "quizsite" / "js"
IMPORT: Final = re.compile(r'^import [^;]*? from "\./([^"]+)";$', re.MULTILINE)
CLIENT: Final = "gateway/client.js"
"""The gateway's own, which both pages of a room open their socket with; what it imports, it knows itself."""


def behind(entry: str) -> tuple[str, ...]:
    """The static names of all modules that ``entry`` imports, directly or not, and of the client."""
    found: set[str] = set()
    waiting = [entry]
    while waiting:
        imports = set(IMPORT.findall((FOLDER / waiting.pop()).read_text(encoding="utf-8"))) - found
        found |= imports
        waiting += imports
    return (*(f"quizsite/js/{name}" for name in sorted(found)), CLIENT)


PLAY: Final = behind("play.js")
PRESENT: Final = behind("present.js")
