"""The documentation as data: its fenced blocks and its links.

A block that begins with a comment naming a file is that file; with ``, at the end`` behind the name it is
what is appended to it. A ``console`` block holds commands, each behind ``$ ``.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:#|//|<!--) (?P<path>[\w./-]+\.\w+)(?P<appended>, at the end)?(?: -->)?\n")
LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")


class Block(Struct, frozen=True):
    """One fenced block; ``line`` is where it begins in its page."""

    language: str
    text: str
    line: int


def pages() -> list[Path]:
    """All written pages of the documentation, and those at the root of the project."""
    written = [path for path in DOCS.rglob("*.md") if "printed" not in path.parts]
    return sorted([*written, *ROOT.glob("*.md")])


def name(page: Path) -> str:
    """As it is called in the project."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """The page's fenced blocks, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["text"], text.count("\n", 0, found.start()) + 1)
        for found in FENCE.finditer(text)
    ]


def links(page: Path) -> Iterator[str]:
    """Where the page's links lead, outside of its blocks."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    yield from (found["target"] for found in LINK.finditer(prose))


def write_file(block: Block, project: Path) -> Path | None:
    """Do what a block that is a file asks for; None if it is none."""
    found = FILE.match(block.text)
    if found is None:
        return None
    path = project / found["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if found["appended"]:
        path.write_text(f"{path.read_text()}\n{block.text}")
    else:
        path.write_text(block.text)
    return path


def commands(block: Block) -> list[str]:
    """What to type."""
    return [line.removeprefix("$ ") for line in block.text.splitlines() if line.startswith("$ ")]
