"""Sign-ins and ended sessions on the wire: the site itself, uvicorn, a database, a browser's cookies."""

import json
import sqlite3
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.rooms.test_service import ticket
from tests.serving import Served, manage, serving

SITE = "quizsite.settings"
AGENT = "Mozilla/5.0 (tests)"
NEW_PASSWORD = "a long one, 9 of 10"
NOTICED_S = 10.0
"""How long an ended session may go unnoticed (spec 1.7, 4001)."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site's data, with staff called ana, ben and cleo."""
    data = tmp_path_factory.mktemp("site")
    assert manage(SITE, data, "migrate", "--no-input", "--verbosity", "0").returncode == 0
    password = PBKDF2PasswordHasher().encode("x", "salt")
    for name in ("ana", "ben", "cleo"):
        write(
            data,
            "INSERT INTO auth_user (username, password, is_superuser, is_staff, is_active, first_name, "
            "last_name, email, date_joined) VALUES (?, ?, 1, 1, 1, '', '', '', '2026-01-01')",
            name,
            password,
        )
    return data


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Served]:
    with serving(SITE, data) as served:
        yield served


def write(data: Path, statement: str, *values: str) -> None:
    """Change the site's database from outside, as another process would."""
    database = sqlite3.connect(data / "halyard.sqlite3", timeout=5)
    with database:
        database.execute(statement, values)
    database.close()


class Page:
    """A browser: its cookies, its forms, its sockets."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.jar = CookieJar()
        self.opener: OpenerDirector = build_opener(HTTPCookieProcessor(self.jar))
        self.opener.open(f"{server.http}/host").close()

    def cookie(self, name: str) -> str:
        return str(next(cookie.value for cookie in self.jar if cookie.name == name))

    def posts(self, path: str, **fields: str) -> None:
        """Fill in a form of the admin."""
        self.opener.open(f"{self.server.http}/admin/login/").close()
        body = urlencode({**fields, "csrfmiddlewaretoken": self.cookie("csrftoken")}).encode()
        self.opener.open(f"{self.server.http}{path}", body).close()

    def signs_in(self, name: str) -> None:
        before = self.cookie("sessionid")
        self.posts("/admin/login/?next=/", username=name, password="x")
        assert self.cookie("sessionid") != before

    def changes_password(self) -> None:
        before = self.cookie("sessionid")
        new = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
        self.posts("/admin/password_change/", old_password="x", **new)
        assert self.cookie("sessionid") != before

    def socket(self, query: str = "") -> ClientConnection:
        headers = {"Cookie": f"sessionid={self.cookie('sessionid')}", "Origin": self.server.http}
        return connect(
            f"{self.server.ws}?{query}",
            additional_headers=headers,
            user_agent_header=AGENT,
            compression=None,
        )


def says(socket: ClientConnection, type_: str, **fields: Any) -> None:
    socket.send(json.dumps({"type": type_, **fields}))


def hears(socket: ClientConnection, type_: str) -> dict[str, Any]:
    """The next frame of a type."""
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(NOTICED_S))
        if frame["type"] == type_:
            return frame


def closed(socket: ClientConnection) -> int:
    """The code with which the server ends the socket, within the time that it has; pings are answered."""
    until = time.monotonic() + NOTICED_S
    try:
        while True:
            frame = json.loads(socket.recv(until - time.monotonic()))
            if frame["type"] == "HEARTBEAT":
                says(socket, "HEARTBEAT_RESPONSE", timestamp=frame["timestamp"])
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd is not None else 1006


def test_a_player_signs_in_goes_on_and_is_out_when_his_user_is_deactivated(
    server: Served, data: Path
) -> None:
    """The socket of before the sign-in stays; the next one takes the seat; the deactivation ends it 4001."""
    page = Page(server)
    with page.socket() as before:
        says(before, "CREATE_ROOM", name="Ana")
        joined = hears(before, "ROOM_JOINED")
        page.signs_in("ana")
        says(before, "CREATE_ROOM", name="Ana")
        assert hears(before, "ERROR")["code"] == "ALREADY_IN_ROOM"
        with page.socket(ticket(joined)) as after:
            assert hears(after, "CONNECTED")["userId"] == joined["seatId"]
            assert closed(before) == 1000
            write(data, "UPDATE auth_user SET is_active = 0 WHERE username = ?", "ana")
            assert closed(after) == 4001
    assert page.cookie("sessionid") not in server.log


def test_a_logout_ends_that_browsers_sockets_and_no_others(server: Served) -> None:
    """At once, for the page tells the gateway; the same user's other browser plays on."""
    here, there = Page(server), Page(server)
    for page in (here, there):
        page.signs_in("ben")
    with here.socket() as out, there.socket() as stays:
        here.posts("/admin/logout/")
        assert closed(out) == 4001
        says(stays, "LEAVE_ROOM")
        assert hears(stays, "ERROR")["code"] == "NOT_IN_ROOM"


def test_who_changes_the_password_plays_on_and_the_account_s_other_sessions_are_out(server: Served) -> None:
    """The socket stays, though its session has another key; the browser's next one takes the seat."""
    here, there = Page(server), Page(server)
    for page in (here, there):
        page.signs_in("cleo")
    with here.socket() as plays, there.socket() as out:
        says(plays, "CREATE_ROOM", name="Cleo")
        joined = hears(plays, "ROOM_JOINED")
        here.changes_password()
        assert closed(out) == 4001  # the watch has looked
        says(plays, "CREATE_ROOM", name="Cleo")
        assert hears(plays, "ERROR")["code"] == "ALREADY_IN_ROOM"
        with here.socket(ticket(joined)) as after:
            assert hears(after, "CONNECTED")["userId"] == joined["seatId"]
            assert closed(plays) == 1000


def test_a_session_that_is_deleted_in_the_database_ends_its_sockets(server: Served, data: Path) -> None:
    """As ``clearsessions`` does, or an administrator by hand: the watch finds out within its 10 s."""
    page = Page(server)
    with page.socket() as socket:
        write(data, "DELETE FROM django_session WHERE session_key = ?", page.cookie("sessionid"))
        assert closed(socket) == 4001
