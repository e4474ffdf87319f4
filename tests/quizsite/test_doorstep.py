"""quizsite.doorstep: a page says whose room it leads to, as fast as a socket would let anybody guess."""

import asyncio
import json
from collections.abc import Iterator

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory

from gateway import conf, live
from gateway.admission import Attempt, parse_query
from gateway.core.limits import KeyedWindows
from gateway.runtime import Admission, Runtime
from gateway.testing import RecordingPort, SeededDraw, VirtualClock
from quizsite import doorstep
from quizsite.doorstep import MISSES, Room, room_behind
from rooms.service import QuizGame


class Site:
    """A served site, as far as its rooms go: every player is a socket."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.runtime = Runtime(QuizGame, conf.config(), self.clock, SeededDraw(1))

    def sits(self, name: str, code: str | None = None) -> str:
        """Open a room or join one; its code."""
        port = RecordingPort()
        attempt = Attempt(name, f"session:{name}", "203.0.113.9", "Firefox", parse_query(""))
        admission = self.runtime.admit(attempt)
        assert isinstance(admission, Admission), admission
        socket = self.runtime.accept(admission, port)
        self.runtime.open(admission, socket)
        entry = {"type": "JOIN_ROOM", "roomCode": code} if code else {"type": "CREATE_ROOM"}
        socket.received(json.dumps({**entry, "name": name}).encode())
        joined = next(frame for frame in port.sent if frame["type"] == "ROOM_JOINED")
        return str(joined["room"]["roomCode"])


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Installed, with nobody's misses counted yet."""
    made = Site()
    monkeypatch.setattr(doorstep, "_misses", KeyedWindows())
    live.install(made.runtime)
    yield made
    live.install(None)


def visit(address: str = "198.51.100.7") -> HttpRequest:
    """A request from somewhere."""
    return RequestFactory().get("/play/K7QX2M", REMOTE_ADDR=address)


async def test_it_is_the_hosts_room_and_so_many_are_in_it(site: Site) -> None:
    """Asked from a thread, as pages are; read on the loop."""
    live.start()
    code = site.sits("Ana")
    site.sits("Ben", code)
    assert await asyncio.to_thread(room_behind, visit(), code) == Room("Ana", 2)


async def test_a_code_that_leads_nowhere_has_no_room(site: Site) -> None:
    """The page then only asks for a name, and the socket tells."""
    live.start()
    assert await asyncio.to_thread(room_behind, visit(), "K7QX2M") is None


async def test_whoever_guesses_codes_learns_nothing_after_the_socket_would_have_stopped_them(
    site: Site,
) -> None:
    """As many misses from one address as JOIN_ROOM allows; another network is not asked to pay for it, and
    after a while all is forgiven.
    """
    live.start()
    code = site.sits("Ana")
    for _ in range(MISSES.limit):
        room_behind(visit(), "K7QX2M")
    assert room_behind(visit(), code) is None
    assert room_behind(visit("198.51.100.8"), code) == Room("Ana", 1)
    site.clock.advance(2 * MISSES.window_s)
    assert room_behind(visit(), code) == Room("Ana", 1)


async def test_asking_for_rooms_that_exist_costs_nothing(site: Site) -> None:
    """A class behind one address opens the same link forty times, and reloads."""
    live.start()
    code = site.sits("Ana")
    for _ in range(MISSES.limit + 1):
        assert room_behind(visit(), code) is not None


def test_a_process_that_serves_no_rooms_says_nothing() -> None:
    """The form works without that line."""
    assert room_behind(visit(), "K7QX2M") is None


@pytest.mark.django_db
def test_the_join_page_carries_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """For its script, beside texts and addresses; nothing for a room that is not known."""
    known = {"AAAAAA": Room("Ana", 3)}
    monkeypatch.setattr("quizsite.views.room_behind", lambda _, code: known.get(code))
    assert Client().get("/play/AAAAAA").context["page"]["room"] == {"host": "Ana", "people": 3}
    assert Client().get("/play/BBBBBB").context["page"]["room"] == {}
