"""Who is measured: for each server the command that starts it, how the generator talks to it, what it leaves
out.

Plain data; starting and stopping is in ``bench.servers``, what is asked of whom in ``bench.plan``.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PEERS: Final = ROOT / "bench" / "peers"
HOME: Final = Path(os.environ.get("BENCH_HOME") or ROOT / "var" / "bench")
"""What the bench installs and makes; tests have another."""
NPM: Final = HOME / "npm"
BUN: Final = NPM / "node_modules" / "bun" / "bin" / "bun.exe"
PYTHON: Final = HOME / "python" / "bin" / "python"

QUIZ_GATEWAY: Final = {"HEARTBEAT_INTERVAL_MS": 10**9}
"""A quiz is counted while nothing is under way, so no heartbeat may fall into that moment."""
REACTION: Final = '{"type":"SEND_REACTION","reaction":"heart","seq":1234567}'
SAYING: Final = '{"type":"SAY","text":"the quick brown fox jumps over the lazy dog"}'

Dialect = Mapping[str, str | bytes]
"""Options of the generator for one scenario."""


@dataclass(frozen=True)
class Contestant:
    """A server. ``command`` is started in ``folder`` with ``{port}`` filled in; ``dialects`` are by scenario,
    and one that is missing means that it does not take part.
    """

    name: str
    command: tuple[str, ...]
    leaves_out: str
    dialects: Mapping[str, Dialect]
    folder: Path = PEERS
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    versions: tuple[str, ...] = ()
    """Packages whose versions say what it is."""

    @property
    def ours(self) -> bool:
        """Whether it has metrics that are compared with what the generator counted."""
        return "BENCH_GAME" in self.environment


def halyard(game: str = "table", limits: str = "high", transport: str | None = None) -> Contestant:
    """This project, with the transport that `serve` chooses by itself unless one is named."""
    chosen = ("--transport", transport) if transport else ()
    return Contestant(
        "halyard" if transport is None else f"halyard on {transport}",
        (sys.executable, "manage.py", "serve", "--port", "{port}", *chosen),
        "nothing: the whole pipeline" if game == "table" else "nothing: the whole quiz",
        MappingProxyType(QUIZ if game == "quiz" else TABLE),
        ROOT,
        MappingProxyType(
            {
                "DJANGO_SETTINGS_MODULE": "bench.served.settings",
                "BENCH_GAME": game,
                "BENCH_LIMITS": limits,
                "BENCH_GATEWAY": json.dumps(QUIZ_GATEWAY if game == "quiz" else {}),
                "ENV_FILE": "/dev/null",
                "DATA_DIR": str(HOME / "data"),
            }
        ),
        ("Django", "channels", "uvicorn", "uvloop", "msgspec", "picows"),
    )


_TABLE_ECHO: Final = {"say": REACTION, "answer": '{"type":"REACTED"', "greetings": "1"}
_TABLE_ROOM: Final = {
    "say": SAYING,
    "answer": '{"type":"SAID"',
    "join": '{"type":"ENTER","table":"%d"}',
    "greetings": "2",
}
TABLE: Final[Mapping[str, Dialect]] = {
    "echo": _TABLE_ECHO,
    "flood": _TABLE_ECHO,
    "fanout": _TABLE_ROOM,
    "idle": {"greetings": "1"},
    "connects": {"greetings": "1"},
}
QUIZ: Final[Mapping[str, Dialect]] = {
    "game": {"greetings": "1", "quiz": "1"},
    "storm": {"greetings": "1", "quiz": "1"},
}
_ECHO: Final = {"path": "/echo", "say": REACTION}
_ROOM: Final = {"path": "/room/%d", "say": SAYING}
_QUIET: Final = {"path": "/echo"}
_PLAIN: Final[Mapping[str, Dialect]] = {"echo": _ECHO, "fanout": _ROOM, "idle": _QUIET, "connects": _QUIET}
_PLAYS: Final[Mapping[str, Dialect]] = {**_PLAIN, "game": {"path": "/game/%d"}}

_UVICORN: Final = ("-m", "uvicorn", "--port", "{port}", "--log-level", "warning")
_CHANNELS_LACK: Final = "budgets, schema, caps, heartbeats of its own, bounds for slow readers"
_BARE_LACK: Final = f"sessions, {_CHANNELS_LACK}"
_DATA: Final = MappingProxyType({"BENCH_DATA": str(HOME / "data")})


def channels_on_uvicorn(python: str = str(PYTHON)) -> Contestant:
    """The peer that everything is compared with; the smoke test runs it in its own environment."""
    return Contestant(
        "channels on uvicorn",
        (python, *_UVICORN, "--lifespan", "off", "channels_site:application"),
        _CHANNELS_LACK,
        _PLAYS,
        environment=_DATA,
        versions=("Django", "channels", "uvicorn", "uvloop", "websockets"),
    )


CHANNELS_ON_DAPHNE: Final = Contestant(
    "channels on daphne",
    (str(PYTHON), "-m", "daphne", "-v", "0", "-p", "{port}", "channels_site:application"),
    _CHANNELS_LACK,
    _PLAYS,
    environment=_DATA,
    versions=("Django", "channels", "daphne", "Twisted", "autobahn"),
)
STARLETTE: Final = Contestant(
    "starlette on uvicorn",
    (str(PYTHON), *_UVICORN, "starlette_app:application"),
    _BARE_LACK,
    _PLAYS,
    versions=("starlette", "uvicorn", "uvloop", "websockets"),
)
BUN_ECHO: Final = Contestant(
    "bun", (str(BUN), "bun.js", "{port}"), _BARE_LACK, _PLAYS, NPM, versions=("bun",)
)
BUN_PIPELINE: Final = Contestant(
    "bun with the same pipeline",
    (str(BUN), "bun_pipeline.js", "{port}"),
    "sessions, caps, heartbeats, metrics, bounds for slow readers",
    MappingProxyType(
        {
            **_PLAIN,
            "echo": {**_ECHO, "answer": '{"type":"REACTED"'},
            "fanout": {**_ROOM, "answer": '{"type":"SAID"'},
        }
    ),
    NPM,
    versions=("bun", "zod"),
)
NODE_WS: Final = Contestant(
    "node ws", ("node", "ws.js", "{port}"), _BARE_LACK, _PLAYS, NPM, versions=("node", "ws")
)

_SOCKETIO: Final = {"path": "/socket.io/?EIO=4&transport=websocket", "socketio": "1"}


def _socketio(name: str, command: tuple[str, ...], folder: Path, versions: tuple[str, ...]) -> Contestant:
    """Engine.IO greets, the client enters the namespace, then events are arrays in text frames."""
    reaction = {"say": f'42["echo",{REACTION}]', "answer": '42["echo"', "greetings": "2", "join": "40"}
    saying = SAYING.replace("{", '{"room":"%d",', 1)
    room = {"say": f'42["say",{saying}]', "answer": '42["said"', "greetings": "3", "join": "40"}
    dialects: dict[str, Dialect] = {
        "echo": {**_SOCKETIO, **reaction},
        "fanout": {**_SOCKETIO, **room, "enter": '42["join","%d"]'},
        "idle": {**_SOCKETIO, "greetings": "2", "join": "40"},
        "connects": {**_SOCKETIO, "greetings": "2", "join": "40"},
    }
    return Contestant(name, command, "sessions, budgets, schema, caps", dialects, folder, versions=versions)


PYTHON_SOCKETIO: Final = _socketio(
    "python-socketio on uvicorn",
    (str(PYTHON), *_UVICORN, "socketio_app:application"),
    PEERS,
    ("python-socketio", "python-engineio", "uvicorn", "uvloop"),
)
SOCKETIO: Final = _socketio("socket.io", ("node", "socketio.js", "{port}"), NPM, ("node", "socket.io"))

_JOINED: Final = {"colyseus": "1", "binary": "1", "greetings": "1"}
"""A seat is taken by HTTP first (`bench.servers.colyseus_seats`); the frame that opens it is answered."""
_PACKED: Final = b"\x82\xa8reaction\xa5heart\xa3seq\xce\x01\x12\xd6\x87"
_PACKED_SAYING: Final = b"\x81\xa4text\xd9\x2bthe quick brown fox jumps over the lazy dog"
COLYSEUS: Final = Contestant(
    "colyseus",
    ("node", "colyseus.js", "{port}"),
    "sessions, budgets, schema, JSON (its frames are MessagePack)",
    MappingProxyType(
        {
            "echo": {"say": b"\x0d\xa4echo" + _PACKED, "answer": b"\x0d\xa4echo", **_JOINED},
            "fanout": {"say": b"\x0d\xa3say" + _PACKED_SAYING, "answer": b"\x0d\xa4said", **_JOINED},
        }
    ),
    NPM,
    versions=("node", "@colyseus/core", "@colyseus/ws-transport"),
)
