"""Nothing that waits looks at the time of day: a step of it would end sockets, questions and blocks.

The engine has no clock at all (import-linter); what may ask for the time of day is listed, each with why.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.project import APPS, ROOT, modules

WALL = {"time", "now", "utcnow", "today", "localtime", "gmtime"}
OWNERS = {"time", "datetime", "date", "timezone"}
"""``time.time``, ``datetime.now``, ``timezone.now``: as the code of a Django project spells them."""

ALLOWED = {
    "gateway/admin/blocks.py": "a block's end is a date that a person chose",
    "gateway/admin/connections.py": "a block's end is a date that a person chose",
    "gateway/blocking.py": "dates in the database; the picture of a block counts on the monotonic clock",
    "gateway/management/commands/block_ip.py": "a block's end is a date that a person chose",
    "gateway/models.py": "dates in the database",
    "gateway/sessions.py": "Django keeps the end of a session as a date",
    "quizsite/logs.py": "the date in front of a line",
    "rooms/admin.py": "the name of a file",
    "rooms/archive.py": "when a game was over, for people; how long it took is from the monotonic clock",
    "rooms/exports.py": "the reader's own time zone",
    "rooms/management/commands/purge_games.py": "games that are a year old",
    "rooms/questions/uploading.py": "uploads of another day",
    "rooms/snapshots/keeper.py": "the age of a file of another process, whose clock is gone",
    "rooms/views.py": "the name of a file",
    "tunnel/admin.py": "a token's end is a date",
    "tunnel/client/inspector.py": "shown to a person",
    "tunnel/client/journal.py": "shown to a person",
    "tunnel/management/commands/tunnel_token.py": "a token's end is a date",
    "tunnel/models.py": "dates in the database",
    "tunnel/relay/endpoint.py": "a token's end is a date",
    "tunnel/relay/peer.py": "shown to a person",
    "tunnel/relay/router.py": "a token's end is a date",
    "tunnel/store.py": "dates in the database",
}


def looks(module: Path) -> Iterator[int]:
    """The lines that ask for the time of day."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in WALL:
            owner = (
                node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            )
            if owner in OWNERS:
                yield node.lineno


def test_only_dates_come_from_the_time_of_day() -> None:
    """A new use is a line in the table above, with its reason; a timer is none."""
    found = {str(path.relative_to(ROOT)) for path in modules(*APPS) if any(looks(path))}
    assert found == set(ALLOWED)


def test_a_look_at_the_wall_is_found_however_it_is_spelt(tmp_path: Path) -> None:
    """Else the test above would hold for ever."""
    module = tmp_path / "module.py"
    module.write_text("import time, datetime\ntime.time()\ndatetime.datetime.now()\ntime.monotonic()\n")
    assert list(looks(module)) == [2, 3]
