"""Where in a JSON text a fault is: people count lines, msgspec counts bytes and names paths."""

import json
import re
from typing import Final

STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")
PATH: Final = re.compile(r"`\$(\S*)`$")
BYTE: Final = re.compile(r" \(byte (\d+)\)$")
_decoder: Final = json.JSONDecoder()


def line_of_byte(data: bytes, error: str) -> int:
    """The line of a fault of syntax; the last one if the text ends too early."""
    found = BYTE.search(error)
    return data[: int(found[1]) if found else None].count(b"\n") + 1


def line_of_path(data: bytes, error: str) -> int:
    """The line of the value that is not what it should be; everything before it is good JSON.

    The first line if it cannot be told: of a key that is there twice msgspec means the last.
    """
    text = data.decode("utf-8", "replace")
    found = PATH.search(error)
    position = 0
    try:
        for name, index in STEP.findall(found[1] if found else ""):
            position = _member(text, position, name) if name else _item(text, position, int(index))
    except (ValueError, IndexError):
        return 1
    return text.count("\n", 0, position) + 1


def _member(text: str, position: int, name: str) -> int:
    """Where the value of a member begins, of the object at ``position``."""
    position = _skip(text, position)
    while True:
        key, position = _decoder.raw_decode(text, _skip(text, position))
        position = _skip(text, position)
        if key == name:
            return position
        _, position = _decoder.raw_decode(text, position)


def _item(text: str, position: int, index: int) -> int:
    """Where an item begins, of the list at ``position``."""
    position = _skip(text, position)
    for _ in range(index):
        _, position = _decoder.raw_decode(text, position)
        position = _skip(text, position)
    return position


def _skip(text: str, position: int) -> int:
    """Past blanks and one mark of the grammar to what matters next."""
    while text[position] in " \t\r\n,:[{":
        opens = text[position] in "[{,:"
        position += 1
        if opens:
            break
    while text[position] in " \t\r\n":
        position += 1
    return position
