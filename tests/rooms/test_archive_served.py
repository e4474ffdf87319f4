"""The archive in a real server: SQLite is locked when a game ends and the server stops; the game is kept."""

import http.client
import json
import sqlite3
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.serving import STOP_S, Served, manage, serving, session_cookie

SITE = "quizsite.settings"
AGENT = "Mozilla/5.0 (tests)"
FRAME_S = 20.0
"""No frame of a game takes so long."""


def player(server: Served) -> ClientConnection:
    """A socket of a browser that has looked at the host's page."""
    page = http.client.HTTPConnection("127.0.0.1", server.port, timeout=FRAME_S)
    page.request("GET", "/host")
    response = page.getresponse()
    response.read()
    page.close()
    cookie = session_cookie(response.headers.get_all("Set-Cookie", []))
    headers = {"Cookie": cookie, "Origin": server.http}
    return connect(server.ws, additional_headers=headers, user_agent_header=AGENT, compression=None)


def says(socket: ClientConnection, type_: str, **fields: Any) -> None:
    socket.send(json.dumps({"type": type_, **fields}))


def hears(socket: ClientConnection, type_: str) -> dict[str, Any]:
    """The next frame of a type; pings are answered on the way."""
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(FRAME_S))
        if frame["type"] == "HEARTBEAT":
            says(socket, "HEARTBEAT_RESPONSE", timestamp=frame["timestamp"])
        if frame["type"] == type_:
            return frame


def plays(socket: ClientConnection) -> str:
    """One question from start to podium; the game's id."""
    says(socket, "START_GAME")
    question = hears(socket, "NEW_QUESTION")
    choice = question["choices"][0]["id"]
    says(socket, "SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])
    game_id: str = hears(socket, "GAME_FINISHED")["gameId"]
    return game_id


def test_a_game_that_ended_on_a_locked_database_is_stored_before_the_process_ends(tmp_path: Path) -> None:
    """The lock goes when the server has closed everything else; the stop is a clean one, and not for ever."""
    assert manage(SITE, tmp_path, "migrate", "--no-input", "--verbosity", "0").returncode == 0
    database = sqlite3.connect(tmp_path / "halyard.sqlite3", isolation_level=None)
    with serving(SITE, tmp_path) as server, player(server) as socket:
        says(socket, "CREATE_ROOM", name="Ana", settings={"questionCount": 1})
        hears(socket, "ROOM_JOINED")
        database.execute("BEGIN IMMEDIATE")
        game_id = plays(socket)
        server.process.terminate()
        hears(socket, "SERVER_RESTARTING")
        assert server.logged("Finished server process")
        database.execute("ROLLBACK")
        assert server.process.wait(STOP_S) == 0
        assert server.logged("game stored")
    assert database.execute("SELECT game_id FROM rooms_gamerecord").fetchall() == [(game_id,)]
    assert database.execute("SELECT count(*) FROM rooms_answerrecord").fetchone() == (1,)
    database.close()
