"""The card on the admin's first page: what this process serves, and what came and went in the last half hour
(spec 4.3).

A picture is taken on the loop, the rest is arithmetic: bars as whole numbers for an SVG that the template
writes. The site's Content-Security-Policy allows no inline style, so shapes are attributes and colours
classes (``gateway/admin.css``).
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from msgspec import Struct

from gateway import live
from gateway.contract import Figure
from gateway.core.counts import MINUTES_KEPT, Minute
from gateway.runtime import Runtime

ROW: Final = 44
"""Height of one series in units of the drawing, its gap included."""
BAR_MOST: Final = 32
LEFT: Final = 70
"""Where the bars begin, behind the names."""
RIGHT: Final = 120
"""Room for the sums behind them."""
STEP: Final = 10
BAR: Final = 8


class Picture(Struct, frozen=True):
    """What the loop hands out: gauges of the game, open sockets, the last minutes."""

    sockets: int
    draining: bool
    figures: tuple[Figure, ...]
    minutes: tuple[Minute, ...]


class Bar(Struct, frozen=True):
    """One minute of a series: ``height`` units up from the base line."""

    x: int
    y: int
    height: int


class Series(Struct, frozen=True):
    """One line of the drawing. ``most`` is what its highest bar stands for."""

    name: str
    css: str
    total: int
    most: int
    base: int
    bars: tuple[Bar, ...]


def picture(runtime: Runtime) -> Picture:
    """On the loop. The minutes are copied: the running one goes on counting."""
    minutes = runtime.counts.minutes.last(MINUTES_KEPT, runtime.clock.now())
    copied = tuple(Minute(one.index, one.opened, one.refused, one.closed) for one in minutes)
    gauges = tuple(figure for figure in runtime.game.figures() if not figure.counts_up)
    return Picture(len(runtime.sockets.live), runtime.draining, gauges, copied)


def card() -> dict[str, Any]:
    """What the template shows; ``error`` in its place if this process serves nothing, or stands still."""
    try:
        seen = live.call(picture)
    except (live.NotServingError, live.LoopStuckError) as error:
        return {"error": str(error)}
    series = drawn(seen.minutes)
    return {
        "seen": seen,
        "figures": [
            (figure.help.rstrip("."), _whole(sum(figure.values.values())), _parts(figure))
            for figure in seen.figures
        ],
        "series": series,
        "minutes": len(seen.minutes),
        "width": LEFT + STEP * len(seen.minutes) + RIGHT,
        "height": ROW * len(series),
        "left": LEFT,
        "right": LEFT + STEP * len(seen.minutes),
        "thick": BAR,
    }


def drawn(minutes: Sequence[Minute]) -> list[Series]:
    """The three series, each with a scale of its own: ten refusals must show beside a thousand closes."""
    kinds: tuple[tuple[str, str, Callable[[Minute], int]], ...] = (
        (_("Opened"), "opened", lambda minute: minute.opened),
        (_("Refused"), "refused", lambda minute: minute.refused),
        (_("Closed"), "closed", lambda minute: minute.closed),
    )
    return [
        _series(name, css, [of(minute) for minute in minutes], ROW * (place + 1) - (ROW - BAR_MOST) // 2)
        for place, (name, css, of) in enumerate(kinds)
    ]


def _series(name: str, css: str, values: Sequence[int], base: int) -> Series:
    most = max(values, default=0)
    heights = [_height(value, most) for value in values]
    bars = (Bar(LEFT + STEP * place, base - height, height) for place, height in enumerate(heights) if height)
    return Series(name, css, sum(values), most, base, tuple(bars))


def _height(value: int, most: int) -> int:
    """A single event among thousands is still to be seen."""
    return max(1, round(BAR_MOST * value / most)) if value else 0


def _parts(figure: Figure) -> str:
    return ", ".join(f"{name} {_whole(value)}" for name, value in figure.values.items() if value)


def _whole(value: float) -> str:
    return f"{value:g}"
