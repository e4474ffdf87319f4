"""What a scenario says of its own timeline: rows that must be there, so that a scenario file is a test."""

from debugger.scenario import Expected
from debugger.timeline import Row, Timeline

SHORTENED_TO = 8
"""Rows that a failure shows: the ones that came closest."""


def failures(timeline: Timeline) -> list[str]:
    """One text for each expectation that does not hold."""
    return [text for expected in timeline.scenario.expect if (text := _failure(expected, timeline.rows))]


def _failure(expected: Expected, rows: list[Row]) -> str | None:
    alike = [row for row in rows if _matches(expected, row)]
    within = [row for row in alike if expected.after <= row.at < expected.before]
    if len(within) == expected.rows:
        return None
    wanted = {
        name: value
        for name in ("kind", "player", "type", "note", "code", "edge", "count")
        if (value := getattr(expected, name)) is not None
    }
    seen = ", ".join(str(row.at) for row in alike[:SHORTENED_TO]) or "never"
    return (
        f"expected {expected.rows} rows with {wanted} from {expected.after} ms before {expected.before} ms, "
        f"found {len(within)}; such rows at: {seen}"
    )


def _matches(expected: Expected, row: Row) -> bool:
    given = {
        "kind": row.kind,
        "type": row.type,
        "note": row.note,
        "code": row.code,
        "edge": row.edge,
        "count": row.count,
    }
    named = all(getattr(expected, name) in (None, value) for name, value in given.items())
    return named and (expected.player is None or expected.player in row.players)
