"""quizsite.logs: an event is one line, its fields survive, and no URL's query gets into it.

The servers' lines are the ones that the servers themselves write: uvicorn runs here, and Daphne's
development server is asked for the lines of its connections.
"""

import asyncio
import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
import websockets
from daphne.management.commands.runserver import Command as DaphneRunserver
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, RequestFactory
from django.urls import path
from pytest_django.fixtures import Settings

from quizsite import logs

SECRET = "seat-token-of-anna"


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(f"cannot read {request.get_full_path()}")


urlpatterns = [path("broken", broken)]

Configured = Callable[..., Callable[[], list[str]]]


@pytest.fixture
def configured(capsys: pytest.CaptureFixture[str]) -> Iterator[Configured]:
    """Puts the site's logging in force for one test; the answer reads the lines written since."""
    names = [None, *logs.THEIR_LOGGERS, *logs.OUR_LOGGERS]
    loggers = [logging.getLogger(name) for name in names]
    before = [(logger, logger.handlers[:], logger.level, logger.propagate) for logger in loggers]

    def configure(form: str = "text", level: str = "INFO") -> Callable[[], list[str]]:
        logging.config.dictConfig(logs.config(form, level))
        return lambda: capsys.readouterr().err.splitlines()

    yield configure
    for logger, handlers, level, propagate in before:
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


# The form of a line -----------------------------------------------------------------------------------------


def test_a_text_line_has_time_level_logger_message_and_fields(configured: Configured) -> None:
    """An operator reads it and greps for a field."""
    written = configured()
    logging.getLogger("rooms.service").warning("room %s closed", "AB3XYZ", extra={"conn": 7, "code": 4000})
    (line,) = written()
    time, rest = line.split(" ", 1)
    assert time.endswith("Z")
    assert time[10] == "T"
    assert rest == "WARNING rooms.service: room AB3XYZ closed conn=7 code=4000"


def test_a_json_line_has_the_same_as_members(configured: Configured) -> None:
    """LOG_FORMAT=json is for collectors, which parse each line alone."""
    written = configured("json")
    logging.getLogger("rooms.service").warning("room %s closed", "AB3XYZ", extra={"conn": 7})
    (line,) = written()
    event = json.loads(line)
    assert event.pop("time").endswith("Z")
    assert event == {
        "level": "WARNING",
        "logger": "rooms.service",
        "message": "room AB3XYZ closed",
        "conn": 7,
    }


@pytest.mark.parametrize("form", logs.FORMS)
def test_nothing_that_a_player_sends_starts_a_line_of_its_own(configured: Configured, form: str) -> None:
    """Control characters are escaped in the message and in the fields: a name can't forge an event."""
    written = configured(form)
    forged = "Anna\n2026-01-01T00:00:00.000Z ERROR \x1b[2J\x85\u2028\u202ebad"
    logging.getLogger("rooms").info("named %s", forged, extra={"player": forged})
    (line,) = written()
    assert not set(line) & set("\n\x1b\x85\u2028\u202e")
    assert line.count("\\u001b[2J\\u0085\\u2028\\u202ebad") == 2


def test_a_traceback_stays_with_its_event(configured: Configured) -> None:
    """In text its lines are marked, so that none can be taken for an event; in JSON it is a member."""

    def fail() -> None:
        try:
            raise ValueError("first\nsecond")
        except ValueError:
            logging.getLogger("gateway").exception("frame lost")

    written = configured("text")
    fail()
    event, *traceback = written()
    assert event.endswith("ERROR   gateway: frame lost")
    assert traceback[-2:] == ["    | ValueError: first", "    | second"]
    assert all(line.startswith("    | ") for line in traceback)
    written = configured("json")
    fail()
    (line,) = written()
    assert json.loads(line)["traceback"].endswith("ValueError: first\nsecond")


def test_a_message_whose_arguments_do_not_fit_is_still_logged(configured: Configured) -> None:
    """A slip in a log call must neither raise into the game nor print the arguments unseen."""
    written = configured()
    logging.getLogger("gateway").info("%d sockets", f"/ws?seat={SECRET}")
    (line,) = written()
    assert line.endswith("gateway: %d sockets (arguments do not fit: 1)")


def test_an_object_among_the_fields_is_left_out(configured: Configured) -> None:
    """Django hands the request along, whose text is the whole URL."""
    written = configured()
    logging.getLogger("gateway").info("seen", extra={"request": RequestFactory().get(f"/x?seat={SECRET}")})
    (line,) = written()
    assert line.endswith("gateway: seen")


def test_an_unknown_form_is_refused_with_its_name() -> None:
    """A misspelt LOG_FORMAT stops the start, it does not become silence."""
    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT must be one of text, json, not 'xml'"):
        logs.config("xml", "INFO")


def test_an_unknown_level_is_refused_with_its_name() -> None:
    """So does a misspelt LOG_LEVEL; small letters are no slip."""
    with pytest.raises(ImproperlyConfigured, match=r"LOG_LEVEL must be one of DEBUG, .*, not 'loud'"):
        logs.config("text", "loud")
    assert logs.config("text", "info")["loggers"]["rooms"] == {"level": "INFO"}


def test_our_level_is_not_other_peoples_level(configured: Configured) -> None:
    """Below INFO the WebSocket library prints cookies, so LOG_LEVEL=DEBUG is for our own loggers only."""
    written = configured(level="debug")
    logging.getLogger("gateway.hub").debug("ours")
    for name in ("websockets.server", "uvicorn.error", "django.db.backends", "daphne.ws_protocol"):
        logging.getLogger(name).debug("Cookie: sessionid=%s", SECRET)
    (line,) = written()
    assert line.endswith("gateway.hub: ours")


@pytest.mark.urls(__name__)
async def test_a_refused_request_is_one_line(configured: Configured, settings: Settings) -> None:
    """Whoever knocks with foreign Host headers fills no disk with tracebacks."""
    settings.ALLOWED_HOSTS = ["quiz.example"]
    written = configured()
    assert (await AsyncClient().get("/")).status_code == 400
    (line,) = written()
    assert "django.security.DisallowedHost: Invalid HTTP_HOST header: 'testserver'" in line


# Queries ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('"WebSocket /ws?seat=abc" [accepted]', '"WebSocket /ws" [accepted]'),
        ("GET /ws?seat=abc HTTP/1.1", "GET /ws HTTP/1.1"),
        ("at wss://quiz.example/ws?seat=a'b\"c, again", "at wss://quiz.example/ws, again"),
        ("<ASGIRequest: GET '/ws?seat=abc'>", "<ASGIRequest: GET '/ws'>"),
        ("/a?x=1 and /b?y=2", "/a and /b"),
        ("who/what?", "who/what"),
        ("is it up? yes", "is it up? yes"),
    ],
)
def test_a_query_ends_with_its_url(text: str, clean: str) -> None:
    """What is cut is the query alone: the quote that closes around it and the text after it stay."""
    assert logs.without_query(text) == clean


async def echo(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
    else:
        refused = scope["path"] == "/refused"
        await send({"type": "websocket.close" if refused else "websocket.accept"})


async def ask(port: int, path: str) -> None:
    """One raw request, so that the query may have what no browser would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    await reader.read()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("http", ["h11", "httptools"])
async def test_uvicorn_writes_no_query(configured: Configured, http: Any) -> None:
    """Its access line and its three WebSocket lines (accepted, refused, and by status) lose the query."""
    written = configured()
    config = uvicorn.Config(echo, port=0, log_config=None, ws="websockets-sansio", http=http, lifespan="off")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        await ask(port, f"/page?seat={SECRET}\"'{SECRET}")
        async with websockets.connect(f"ws://127.0.0.1:{port}/ws?seat={SECRET}"):
            pass
        with pytest.raises(websockets.InvalidStatus):
            await websockets.connect(f"ws://127.0.0.1:{port}/refused?seat={SECRET}")
    finally:
        await server.shutdown()
    text = "\n".join(written())
    assert '"GET /page HTTP/1.1" 200' in text
    assert '"WebSocket /ws" [accepted]' in text
    assert '"WebSocket /refused" 403' in text
    assert SECRET not in text


def test_the_development_server_writes_no_query(configured: Configured) -> None:
    """Daphne hands runserver the request's whole target, for HTTP and for sockets; colours go as well."""
    written = configured()
    target, client = f"/ws?seat={SECRET}", "127.0.0.1:50000"
    runserver = DaphneRunserver(force_color=True)
    for status in (200, 304, 404, 500):
        details = {"path": target, "client": client, "method": "GET", "status": status, "time_taken": 0.5}
        runserver.log_action("http", "complete", details)
    for action in ("connecting", "connected", "rejected", "disconnected"):
        runserver.log_action("websocket", action, {"path": target, "client": client})
    lines = written()
    assert lines[0].endswith("django.channels.server: HTTP GET /ws 200 [0.50, 127.0.0.1:50000]")
    assert lines[5].endswith("django.channels.server: WebSocket CONNECT /ws [127.0.0.1:50000]")
    assert len(lines) == 8
    assert SECRET not in "".join(lines)


@pytest.mark.urls(__name__)
async def test_django_writes_no_query(configured: Configured) -> None:
    """Neither for a page that is not there nor for one that failed, whose traceback quotes the URL."""
    written = configured()
    client = AsyncClient(raise_request_exception=False)
    assert (await client.get("/no-such-page", {"seat": SECRET})).status_code == 404
    assert (await client.get("/broken", {"seat": SECRET})).status_code == 500
    lines = written()
    assert lines[0].endswith("django.request: Not Found: /no-such-page status_code=404")
    assert lines[1].endswith("django.request: Internal Server Error: /broken status_code=500")
    assert lines[-1] == "    | RuntimeError: cannot read /broken"
    assert SECRET not in "".join(lines)
