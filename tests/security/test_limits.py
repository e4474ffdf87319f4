"""docs/limits.md says what the code does: each number of its table is compared, and none is missing."""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import msgspec
import pytest

from tests.house.project import ROOT, modules, name

TABLE = "## Everything that a client can hold open"
NAMED = re.compile(r"`([a-z_.]+):([A-Za-z_.]+)`")
NUMBER = re.compile(r"\d[\d,]*")

MUST_BE_THERE = (
    *("connections", "sockets", "handshakes in progress", "rooms", "members", "timers", "queue", "names"),
    *(
        "limiter keys",
        "recorder rings",
        "snapshots",
        "tunnel streams",
        "strike tables",
        "remembered sessions",
    ),
    *("last closes", "HTTP request body"),
)

BOUND = re.compile(r"^(MAX_\w+|\w+_MAX|\w*REMEMBERED|\w*SAMPLES_KEPT)\b[^=\n]*=", re.MULTILINE)
"""How a constant that bounds something is called here."""
WHERE = (
    "gateway",
    "rooms/core",
    "rooms/archive.py",
    "rooms/exports.py",
    "rooms/aside.py",
    "tunnel",
    "quizsite",
)
NO_CLIENT_HOLDS = {
    "gateway/admin/lists.py:REPR_MAX": "a text in the admin's log",
    "gateway/core/origin.py:MAX_PORT": "the highest port that there is",
    "gateway/trust.py:MAX_AGE_S": "how long a signature is believed",
    "rooms/core/names.py:MAX_MARKS": "within one character of a name",
    "rooms/core/names.py:MAX_NATIVE_MARKS": "within one character of a name",
    "rooms/core/scoring.py:MAX_LAG_CREDIT_S": "points",
    "rooms/core/scoring.py:MAX_STREAK_BONUS": "points",
    "tunnel/client/inspector.py:MAX_FORM_BYTES": "the client's own page",
    "tunnel/client/target.py:MAX_HEAD_BYTES": "the client's own site",
    "tunnel/core/frames.py:MAX_STREAM": "the highest number that the wire can say",
    "tunnel/core/frames.py:MAX_WINDOW_BYTES": "the highest number that the wire can say",
}


class Row(NamedTuple):
    """One line of the table."""

    what: str
    bound: str
    where: str


def rows() -> list[Row]:
    """The table, without its head."""
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    table = text.partition(TABLE)[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return [Row(*line[:3]) for line in lines[1:]]


def in_code(module: str, path: str) -> Any:
    """The constant, or the default of a field."""
    owner, _, field = path.rpartition(".")
    if not owner:
        return getattr(import_module(module), field)
    fields = msgspec.structs.fields(getattr(import_module(module), owner))
    return next(known.default for known in fields if known.name == field)


@pytest.mark.parametrize("row", [row for row in rows() if ":" in row.where], ids=lambda row: row.what)
def test_a_number_of_the_table_is_the_codes(row: Row) -> None:
    """Who changes one of the two is told here."""
    named, number = NAMED.search(row.where), NUMBER.search(row.bound)
    assert named is not None
    assert number is not None
    value = in_code(*named.groups())
    assert f"{value:,}".removesuffix(".0") == number[0]


def test_everything_that_can_be_held_is_in_the_table() -> None:
    """In the words of whoever asks for it."""
    said = " ".join(row.what for row in rows())
    assert [word for word in MUST_BE_THERE if word not in said] == []


def bounds() -> Iterator[str]:
    """The constants of the code that bound something, as ``file:NAME``."""
    for where in WHERE:
        path = ROOT / where
        for module in modules(path) if path.is_dir() else [path]:
            for found in BOUND.findall(module.read_text(encoding="utf-8")):
                yield f"{name(module)}:{found}"


def test_every_bound_of_the_code_is_in_the_table_or_holds_nobody() -> None:
    """A new one comes with its line, or with the reason why it needs none."""
    listed = {
        f"{module.replace('.', '/')}.py:{path}" for row in rows() for module, path in NAMED.findall(row.where)
    }
    listed.add("gateway/core/inbound.py:TRANSPORT_MAX_BYTES")  # by its other name, in the transports
    listed.add("rooms/core/rules.py:MAX_ROOMS")  # as the settings' default
    missing = {bound for bound in bounds() if bound not in listed and bound not in NO_CLIENT_HOLDS}
    assert missing == set()
    assert set(NO_CLIENT_HOLDS) <= set(bounds()), "a reason without its bound"
