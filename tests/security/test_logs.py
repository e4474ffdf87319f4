"""What a stranger writes into a request or a frame is one line of the log, and no part of it is ours.

Every place that is logged: path, Origin, User-Agent, Host, the name of a player, the text of a command.
"""

import json
import re
from collections.abc import Iterator

import pytest

from tests.faults.site import Awake
from tests.security.stranger import AGENT, get, session, upgrade
from tests.serving import Served

FORGED = "2026-01-01T00:00:00.000Z INFO    gateway: socket closed"
HOSTILE = ("\x1b[2J", "\x1b]0;title\x07", "\u0085", "\x9b31m", "\x07", "\x08" * 20)
"""Without line breaks, which end a header: the servers refuse those themselves."""
ESCAPED = ("%0d%0a", "%0a", "%c2%85", "%e2%80%a8", "%1b%5b31m", "%00", "%e2%80%ae")
EVENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [A-Z]+ +[\w.]+: ")
OURS = re.compile(r"    \| |Serving on ")
"""A traceback's lines, and the greeting of the command."""
UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")


@pytest.fixture(autouse=True)
def all_lines_are_ours(server: Served) -> Iterator[None]:
    """After each test: each line is an event of ours, and none has anything in it that a terminal obeys."""
    before = len(server.lines)
    yield
    assert get(server, f"/end-of-{before}").status == 404
    assert server.logged(f"/end-of-{before}")
    for line in server.lines[before:]:
        text = line.removesuffix("\n")
        assert EVENT.match(text) or OURS.match(text), ascii(line)
        assert not UNPRINTABLE.search(text), ascii(line)
        assert not text.startswith(FORGED), "a stranger's words begin a line"


@pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)
@pytest.mark.parametrize("name", ["Origin", "User-Agent", "Referer", "Host", "X-Forwarded-For"])
def test_a_header_with_control_characters_is_one_line(server: Served, name: str, hostile: str) -> None:
    """Refused by the server, or logged in a form that shows what came."""
    value = f"https://evil.example{hostile} {FORGED}".encode("utf-8", "replace").decode("latin-1")
    upgrade(server, "/ws", f"{name}: {value}")
    get(server, "/nothing-here", f"{name}: {value}")


@pytest.mark.parametrize("escaped", ESCAPED)
def test_a_path_with_control_characters_is_one_line(server: Served, escaped: str) -> None:
    """Decoded or not: of pages, of sockets, and of those that are not there."""
    tail = f"{escaped}{FORGED.replace(' ', '%20')}"
    for path in (f"/nothing{tail}", f"/play/{tail}", f"/results/{tail}"):
        assert get(server, path, f"User-Agent: {AGENT}").status in (200, 302, 400, 404)
    upgrade(server, f"/ws{tail}", f"Origin: http://127.0.0.1:{server.port}", f"Cookie: {session(server)}")


def test_names_and_commands_are_in_no_line(server: Served) -> None:
    """Whatever a player calls himself, and whatever type he invents."""
    player = Awake(server, "Ana").opens()
    for text in ("x\nINFO forged", "x\u2028forged", "\x1b[31mforged", "x\r\nforged"):
        player.says("CREATE_ROOM", name=text)
        assert player.hears("ERROR")["code"] == "NAME_INVALID"
        player.socket.send(json.dumps({"type": f"forged{text}"}))
        assert player.hears("ERROR")["code"] == "VALIDATION_ERROR"
        player.says("JOIN_ROOM", roomCode=f"ab{text}"[:32], name="Ana")
        assert player.hears("ERROR")["code"] == "ROOM_NOT_FOUND"
    player.socket.close()
    assert "forged" not in server.log
