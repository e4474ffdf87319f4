"""The contact sheets: every flag as players get it, look-alikes in pairs, redrawn flags beside their source.

For a person to look over after each build; the build's numbers are printed into the pictures.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page

WIDTH = 1180  # CSS pixels
STYLE = """
body { margin: 8px; font: 10px/1.2 sans-serif; background: #e4e4e4; }
h2 { font-size: 13px; margin: 10px 0 4px; }
div { display: flex; flex-wrap: wrap; gap: 5px 6px; }
figure { margin: 0; } img { display: inline-block; aspect-ratio: 4 / 3; outline: 1px solid #0003; }
"""

Pair = tuple[str, str, float | None]


def photograph(page: Page, sections: Mapping[str, str], target: Path) -> None:
    """`sections` (title to HTML) as one PNG in `target`."""
    body = "".join(f"<h2>{escape(title)}</h2><div>{html}</div>" for title, html in sections.items())
    page.set_viewport_size({"width": WIDTH, "height": 800})
    page.set_content(f"<!doctype html><style>{STYLE}</style>{body}")
    page.screenshot(path=target, full_page=True)


def flags(svgs: Mapping[str, str], codes: Iterable[str]) -> str:
    """The flags of `codes`, small, each over its code."""
    return "".join(_figure(code, [svgs[code]], 58) for code in codes)


def pairs(svgs: Mapping[str, str], rows: Sequence[Pair]) -> str:
    """Two flags a figure, over their codes and how far apart they are (+ where people decided)."""
    return "".join(
        _figure(f"{a} {b} {'+' if share is None else format(share, '.3f')}", [svgs[a], svgs[b]], 46)
        for a, b, share in rows
    )


def redrawn(sources: Mapping[str, str], fits: Mapping[str, Mapping[str, Any]]) -> str:
    """Source and result of every flag that was redrawn, over its tolerance and mean change."""
    return "".join(
        _figure(f"{code} {fit['tolerance']} {fit['change']:.2f}", [sources[code], fit["svg"]], 140)
        for code, fit in fits.items()
        if fit["tolerance"] is not None
    )


def _figure(caption: str, drawings: Iterable[str], width: int) -> str:
    images = " ".join(f'<img width="{width}" src="data:image/svg+xml,{quote(svg)}">' for svg in drawings)
    return f"<figure>{images}<br>{escape(caption)}</figure>"
