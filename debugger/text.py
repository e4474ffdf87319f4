"""A timeline as text for a terminal: one line a row, in the order of time."""

from collections.abc import Iterator

from debugger.timeline import Row, Timeline

SIGNS = {"in": "↑", "out": "↓", "close": "✕", "event": "·"}


def lines(timeline: Timeline) -> Iterator[str]:
    """The log, then how it ends."""
    everybody = len(timeline.snapshots[-1].players)
    for row in timeline.rows:
        yield line(row, everybody)
    last = timeline.snapshots[-1]
    seats = ", ".join(f"{player.name} {player.seat} {player.score}" for player in last.players)
    yield f"{_seconds(timeline.end)}   end: {last.phase or 'the room is over'}; {seats}"


def line(row: Row, everybody: int) -> str:
    """One row: time, sign, who, what, note, size."""
    who = "all" if len(row.players) == everybody > 1 else ", ".join(row.players)
    what = f"{row.count} × {row.type}" if row.count != 1 else row.type
    code = f"{row.code} " if row.code is not None else ""
    note = f"  ({row.note})" if row.note else ""
    size = f"  {row.bytes} B" if row.bytes else ""
    return f"{_seconds(row.at)} {SIGNS[row.kind]} {who:<10} {code}{what}{note}{size}"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:9.3f}"
