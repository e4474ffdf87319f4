"""Live rooms in the debugger: who may look, what is shown, what an export holds and what it does not."""

import json
from collections.abc import Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from debugger.expect import failures
from debugger.pseudonyms import exported
from debugger.recorded import RecordedRoom, parse_any
from debugger.replay import timeline_of
from debugger.scenario import ScenarioError
from debugger.timeline import Replayed, Timeline
from gateway import conf, live
from gateway.core import closing
from gateway.core.machine import to_state
from gateway.runtime import Runtime
from rooms.core.effects import IssueSeat, Send
from rooms.core.recording import Recorded, replay
from rooms.recorder import recorder
from rooms.service import QuizGame
from tests.rooms.test_service import Site, Tab, answer_heartbeats

pytestmark = pytest.mark.django_db
NAMES = ("Zenobia", "Quirin")


class Played(Site):
    """A site with one recorded room, in its second question of three; one dropped, the host has a screen."""

    def __init__(self) -> None:
        super().__init__()
        make_game = partial(QuizGame, recorder=recorder())
        self.runtime = Runtime(make_game, conf.build({"SESSION_CAP": 50}), self.clock)
        self.host = self.opens("secret-session", "clientId=hosts-own-tab")
        self.host.says("CREATE_ROOM", name=NAMES[0], settings={"questionCount": 3, "secondsPerQuestion": 10})
        self.joined = self.host.last("ROOM_JOINED")
        self.room_id, self.code = self.joined["room"]["roomId"], self.joined["room"]["roomCode"]
        self.guest = self.opens("other-session", "clientId=guests-tab")
        self.guest.says("JOIN_ROOM", roomCode=self.code, name=NAMES[1])
        # A second one of that name gets a number.
        self.twin = self.opens("third-session").says("JOIN_ROOM", roomCode=self.code, name=NAMES[1])
        self.opens("secret-session").says("WATCH_ROOM", roomCode=self.code)
        self.host.says("START_GAME")
        self.passes(3.1)
        self.answers(self.host, self.guest, self.twin)
        self.passes(6.0)
        self.guest.gone(closing.DROPPED)
        self.answers(self.host)
        self.passes(1.0)

    def passes(self, seconds: float) -> None:
        """Time, in which everybody answers pings."""
        for _ in range(int(seconds)):
            self.clock.advance(1)
            for tab in (self.host, self.twin):
                answer_heartbeats(tab)
        self.clock.advance(seconds % 1)

    def answers(self, *tabs: Tab) -> None:
        """Each takes another choice."""
        for number, tab in enumerate(tabs):
            question = tab.last("NEW_QUESTION")
            choice = question["choices"][number]["id"]
            tab.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[choice])

    @property
    def quiz(self) -> QuizGame:
        """The game."""
        assert isinstance(self.runtime.game, QuizGame)
        return self.runtime.game

    @property
    def recorded(self) -> Recorded:
        """What is on the tape."""
        assert self.quiz.recorder is not None
        recorded = self.quiz.recorder.take(self.room_id)
        assert recorded is not None
        return recorded

    @property
    def running(self) -> Any:
        """The question that is on."""
        game = self.quiz.lobby.rooms[self.room_id].game
        assert game is not None
        return game.question


@pytest.fixture
def played() -> Iterator[Played]:
    """The live state of this process."""
    site = Played()
    live.install(site.runtime)
    yield site
    live.install(None)


@pytest.fixture
def staff(client: Client) -> Client:
    """Somebody who may sign in to the admin."""
    client.force_login(User.objects.create_user("teacher", is_staff=True))
    return client


def shown(recorded: Recorded) -> Timeline:
    """As the page gets it."""
    return timeline_of(recorded.restore(), recorded.began, recorded.steps, Replayed("", 0))


# ---------- who may look


@override_settings(DEBUG=True)
@pytest.mark.parametrize("signed_in", [False, True])
def test_live_rooms_are_for_staff_even_on_a_developers_machine(
    client: Client, played: Played, signed_in: bool
) -> None:
    """The people in them are real, wherever the code runs."""
    if signed_in:
        client.force_login(User.objects.create_user("pupil"))
    room = f"/debugger/room/{played.room_id}"
    for path in ("/debugger/rooms/", room, f"{room}/export"):
        answer = client.get(path)
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/login/")
    refused = client.post(f"{room}/run")
    assert refused.status_code == 403
    assert NAMES[0] not in refused.content.decode()


def test_staff_see_all_live_rooms_and_open_one(staff: Client, played: Played) -> None:
    """The list leads to the page, the page asks for what happened."""
    listed = staff.get("/debugger/rooms/").content.decode()
    assert played.code in listed
    assert f'href="/debugger/room/{played.room_id}"' in listed
    page = staff.get(f"/debugger/room/{played.room_id}").content.decode()
    assert f'data-run="/debugger/room/{played.room_id}/run"' in page
    assert "data-act=" not in page
    run = staff.post(f"/debugger/room/{played.room_id}/run").json()
    assert [player["name"] for player in run["snapshots"][-1]["players"]] == [*NAMES, f"{NAMES[1]} 2"]


def test_a_room_that_is_not_there_is_a_404(staff: Client, played: Played) -> None:
    """It may have ended since the list was made."""
    assert staff.get("/debugger/room/nothing").status_code == 404
    assert staff.get("/debugger/room/nothing/export").status_code == 404
    assert "any more" in staff.post("/debugger/room/nothing/run").json()["error"]


def test_without_a_server_there_are_no_rooms(staff: Client) -> None:
    """The page says so instead of failing."""
    assert "no live room" in staff.get("/debugger/rooms/").content.decode()


# ---------- what is shown


def test_the_log_tells_what_really_happened(played: Played) -> None:
    """Commands, frames, ends of sockets, changes of seats and phases, each at its moment."""
    rows = shown(played.recorded).rows
    assert [row.players for row in rows if row.type == "SUBMIT_ANSWER"][:3] == [
        [NAMES[0]],
        [NAMES[1]],
        [f"{NAMES[1]} 2"],
    ]
    (asked, again) = [row for row in rows if row.type == "NEW_QUESTION"]
    assert len(asked.players) == 4
    assert "Watcher 1" in asked.players
    assert (asked.at, again.note) == (3000, "2 of 3, 10 s")
    (dropped,) = [row for row in rows if row.kind == "close"]
    assert (dropped.players, dropped.code) == ([NAMES[1]], 1006)
    assert [row.edge for row in rows if row.players == [NAMES[1]] and row.edge] == ["join", "drop"]
    phases = [row.type for row in rows if row.players == ["Room"] and "→" in row.type]
    assert phases[:2] == ["Lobby → Starting", "Starting → Question"]


def test_the_last_snapshot_is_the_live_room(played: Played) -> None:
    """And those between name who has changed: together they are everybody."""
    snapshots = shown(played.recorded).snapshots
    room = played.quiz.lobby.rooms[played.room_id]
    last = snapshots[-1]
    assert (last.phase, last.question, last.questions) == ("question", 2, 3)
    assert {player.name: player.score for player in last.players} == {
        seat.name: seat.score for seat in room.seats.all()
    }
    assert [player.seat for player in last.players] == ["connected", "grace", "connected"]
    known = {player.name: player for snapshot in snapshots[:-1] for player in snapshot.players}
    assert list(known.values()) == list(last.players)


def test_what_is_shown_does_not_tell_the_right_answer(played: Played) -> None:
    """Staff may be playing too."""
    (right,) = played.running.correct
    assert right.encode() not in msgspec.json.encode(shown(played.recorded))


def test_looking_changes_nothing(staff: Client, played: Played) -> None:
    """The live room is as it was, and nobody in it was told anything."""
    room = played.quiz.lobby.rooms[played.room_id]
    before, frames = to_state(room), len(played.host.port.sent)
    staff.get("/debugger/rooms/")
    staff.post(f"/debugger/room/{played.room_id}/run")
    staff.get(f"/debugger/room/{played.room_id}/export")
    assert (to_state(room), len(played.host.port.sent)) == (before, frames)


# ---------- what is exported


def test_an_export_names_nobody(staff: Client, played: Played) -> None:
    """No account, name, tab, code, id or token of anybody, nor what a seat could be claimed with."""
    answer = staff.get(f"/debugger/room/{played.room_id}/export")
    assert answer["Content-Disposition"] == 'attachment; filename="room.json"'
    text = answer.content.decode()
    room = played.quiz.lobby.rooms[played.room_id]
    seats = room.seats.all()
    private = [*NAMES, "session", "-tab", room.code, room.id, room.game and room.game.id]
    private += [part for seat in seats for part in (seat.id, seat.name_key, seat.token_hash, seat.conn_id)]
    private += [*room.watchers, str(room.game and room.game.seed)]
    assert [part for part in private if part and part in text] == []


def test_an_export_replays_to_the_same_frames(played: Played) -> None:
    """Row by row what the live room did, under other names."""
    told = _frames(played.recorded.restore(), played.recorded.steps)
    export = exported(played.recorded, "A room")
    masked = _frames(export.room, export.steps)
    assert len(told) == len(masked) > 15
    names = {NAMES[0]: "Player 1", NAMES[1]: "Player 2", f"{NAMES[1]} 2": "Player 3"}
    for live_frame, frame in zip(told, masked, strict=True):
        assert _shape(frame) == _shape(live_frame)
        assert _names(frame) == [names[name] for name in _names(live_frame)]


def test_an_export_hides_the_answers_that_are_still_to_come(played: Played) -> None:
    """Those of the questions that are over are needed, and known to all."""
    export = exported(played.recorded, "A room")
    (questions,) = [event.questions for _, event in export.steps if type(event).__name__ == "Loaded"]
    assert [len(question.correct) for question in questions] == [1, 0, 0]


def test_an_exported_room_is_a_test(played: Played, tmp_path: Path) -> None:
    """It expects of itself what happened, and `manage.py simulate` checks that."""
    file = tmp_path / "room.json"
    file.write_bytes(msgspec.json.encode(exported(played.recorded, "A room")))
    found = parse_any(file.read_bytes())
    assert isinstance(found, RecordedRoom)
    assert failures(found.play()) == []
    out = StringIO()
    call_command("simulate", str(file), stdout=out)
    assert "YOUR_RESULT" in out.getvalue()
    changed = json.loads(file.read_bytes())
    changed["expect"][0]["rows"] += 1
    file.write_text(json.dumps(changed))
    with pytest.raises(CommandError, match="expected"):
        call_command("simulate", str(file), stdout=out)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda room: room.update(steps=[[1e9, {"input": "Explodes"}]]), r"\$\.steps\[0\]\[1\]\.input"),
        (lambda room: room["steps"].insert(0, [-5.0, None]), r"before the moment ahead.*\$\.steps\[0\]"),
        (lambda room: room.update(steps=[[1e9, None]] * 10_001), r"\$\.steps"),
        (lambda room: room["room"].pop("code"), r"\$\.room"),
        (lambda room: room["room"]["seats"].update(here={}), "can't do what its steps say"),
        (lambda room: room.update(more=1), "more"),
    ],
)
def test_a_file_that_is_no_recorded_room_is_refused_with_a_reason(
    played: Played, change: Any, says: str
) -> None:
    """Whatever somebody made of it."""
    file = json.loads(msgspec.json.encode(exported(played.recorded, "A room")))
    change(file)
    with pytest.raises(ScenarioError, match=says):
        _play(json.dumps(file).encode())


def _play(data: bytes) -> None:
    """As `manage.py simulate` does."""
    found = parse_any(data)
    assert isinstance(found, RecordedRoom)
    found.play()


def _frames(room: Any, steps: Any) -> list[dict[str, Any]]:
    """All events that the room sends, decoded."""
    sent = [
        effect.event
        for _, _, effects in replay(room, steps)
        for effect in effects
        if isinstance(effect, Send | IssueSeat)
    ]
    return [msgspec.json.decode(msgspec.json.encode(event)) for event in sent]


PEOPLE = ("name", "userId", "seatId", "roomId", "roomCode")


def _shape(value: Any, key: str = "") -> Any:
    """A frame without what stands for people."""
    if isinstance(value, dict):
        return {name: _shape(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return None if key in PEOPLE else value


def _names(value: Any) -> list[str]:
    """All names in a frame, in order."""
    if isinstance(value, dict):
        own = [value["name"]] if "name" in value else []
        return own + [name for item in value.values() for name in _names(item)]
    return [name for item in value for name in _names(item)] if isinstance(value, list) else []
