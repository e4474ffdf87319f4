"""The list of live rooms in the admin: what it shows of them, and closing one, on the real quiz."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client, override_settings
from django.urls import path, reverse

from gateway import census, live
from rooms.core.recording import Bounds, Recorder
from tests.gateway.admin.hosted import hosted, staff, text
from tests.gateway.house import House
from tests.rooms.test_service import Site, Tab

pytestmark = pytest.mark.django_db

VIEW, CLOSE = "view_liveroom", "close_liveroom"


@pytest.fixture
def site() -> Iterator[Site]:
    """The quiz, served beside the test, with a recorder."""
    made = Site()
    made.runtime.game._keeping.recorder = Recorder(Bounds(200, 300, 1_048_576, 67_108_864))
    with hosted(made.runtime):
        yield made


def opens(site: Site, name: str) -> Tab:
    return live.call(lambda runtime: site.opens(name))


def creates(site: Site, name: str = "ana") -> tuple[Tab, dict[str, Any]]:
    """A host with a room; the ROOM_JOINED that answered."""
    tab = opens(site, name)
    return tab, live.call(lambda runtime: tab.creates())["room"]


def url(query: str = "") -> str:
    return reverse("admin:rooms_liveroom_changelist") + query


def does(client: Client, action: str, *rooms: dict[str, Any], **answers: str) -> Any:
    return client.post(url(), {"action": action, "chosen": [room["roomId"] for room in rooms], **answers})


def cells(page: str) -> list[str]:
    """The texts of the list's cells."""
    return [cell.partition("</span>")[0] for cell in page.split('<td><span dir="auto">')[1:]]


def test_the_list_shows_each_room_with_its_people_and_its_recording(site: Site) -> None:
    """Code, phase, question, members, connected, watching, age; the debugger shows what happened."""
    host, room = creates(site)
    ben, screen = opens(site, "ben"), opens(site, "ana")

    def come(runtime: Any) -> None:
        ben.says("JOIN_ROOM", roomCode=room["roomCode"], name="Ben")
        screen.says("WATCH_ROOM", roomCode=room["roomCode"])
        host.says("START_GAME")
        site.clock.advance(5.0)
        ben.gone()

    live.call(come)
    page = text(staff(VIEW).get(url()))
    assert cells(page) == [room["roomCode"], "question", "1/10", "2", "1", "1", "5 s"]
    assert f'href="{reverse("debugger:room", args=[room["roomId"]])}"' in page
    assert 'name="action"' not in page


def test_a_lobby_has_no_question_and_an_unrecorded_room_no_link(site: Site) -> None:
    """When all the memory for recordings is in use, new rooms have none."""
    site.runtime.game.recorder.bounds = Bounds(200, 300, 1_048_576, 0)
    _, room = creates(site)
    page = text(staff(VIEW).get(url()))
    assert cells(page)[:3] == [room["roomCode"], "lobby", "–"]
    assert "not recorded" in page
    assert reverse("debugger:room", args=[room["roomId"]]) not in page


def test_a_site_without_the_debugger_has_no_link(site: Site) -> None:
    """The list only knows the name of its address."""
    from django.contrib import admin

    _, room = creates(site)
    urls = type("urls", (), {"urlpatterns": [path("admin/", admin.site.urls)]})
    with override_settings(ROOT_URLCONF=urls):
        page = text(staff(VIEW).get(url()))
    assert room["roomCode"] in page
    assert "debugger" not in page


def test_the_list_is_searched_by_code_sorted_and_paged(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand rooms come a page at a time; the code may be typed in small letters."""
    monkeypatch.setattr(census, "PER_PAGE", 3)
    made = [creates(site, f"host{number}")[1] for number in range(4)]
    client = staff(VIEW)
    assert "Page 1 of 2" in text(client.get(url()))
    assert "4 in all" in text(client.get(url("?p=2&o=members")))
    found = text(client.get(url(f"?q={made[3]['roomCode'].lower()}")))
    assert cells(found)[0] == made[3]["roomCode"]
    assert "1 in all" in found


def test_without_the_permission_the_list_is_refused(site: Site) -> None:
    """Seeing connections is another permission."""
    assert staff("view_liveconnection").get(url()).status_code == 403


def test_closing_asks_first_and_then_tells_the_players(site: Site) -> None:
    """They hear ROOM_CLOSED, their sockets stay; the room's code is free, and the log says who did it."""
    (host, room), (other, _) = creates(site), creates(site, "ben")
    client = staff(VIEW, CLOSE)
    assert room["roomCode"] in text(does(client, "close", room))
    assert host.port.types()[-1] != "ROOM_CLOSED"
    assert does(client, "close", room, sure="yes").status_code == 302
    assert host.last("ROOM_CLOSED")["reason"] == "closed"
    assert host.port.closed is None
    assert "ROOM_CLOSED" not in other.port.types()
    assert live.call(lambda runtime: list(runtime.game.lobby.codes)) != [room["roomCode"]]
    entry = LogEntry.objects.get()
    assert (entry.object_id, entry.object_repr) == (room["roomId"], room["roomCode"])
    assert room["roomCode"] not in cells(text(client.get(url())))


def test_a_room_that_is_over_is_neither_closed_nor_logged(site: Site) -> None:
    """It ended while the question was on the screen."""
    host, room = creates(site)
    live.call(lambda runtime: host.says("LEAVE_ROOM"))
    does(staff(VIEW, CLOSE), "close", room, sure="yes")
    assert not LogEntry.objects.exists()


def test_a_server_that_has_stopped_its_rooms_closes_none(site: Site) -> None:
    """They stand still for the next process, which will have them."""
    _, room = creates(site)
    live.call(lambda runtime: runtime.game.stop(lambda: None))
    does(staff(VIEW, CLOSE), "close", room, sure="yes")
    assert live.call(lambda runtime: room["roomId"] in runtime.game.lobby.rooms)
    assert not LogEntry.objects.exists()


def test_closing_without_its_permission_is_refused(site: Site) -> None:
    """Seeing is not closing."""
    _, room = creates(site)
    assert does(staff(VIEW), "close", room, sure="yes").status_code == 403
    assert live.call(lambda runtime: len(runtime.game.lobby.rooms)) == 1


def test_a_process_without_the_quiz_says_so() -> None:
    """No gateway at all, or one with another game."""
    client = staff(VIEW)
    assert "no gateway runs" in text(client.get(url()))
    with hosted(House().runtime):
        assert "another game" in text(client.get(url()))


def test_ages_are_forgotten_with_their_rooms(site: Site) -> None:
    """The table of a process that runs for months does not grow."""
    host, _ = creates(site)
    live.call(lambda runtime: host.says("LEAVE_ROOM"))
    assert live.call(lambda runtime: dict(runtime.game.since)) == {}


def test_no_list_shows_a_token(site: Site) -> None:
    """Nor anything else that opens a seat."""
    host, _ = creates(site)
    token = host.last("ROOM_JOINED")["reconnectToken"]
    assert token not in text(staff(VIEW).get(url()))
    assert token not in json.dumps(live.call(lambda runtime: list(runtime.game.since)))
