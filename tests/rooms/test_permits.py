"""Question sets in rooms, on a virtual clock: who may choose one, in which order, and what is asked."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from gateway import conf
from gateway.admission import Attempt, parse_query
from gateway.core import closing
from gateway.runtime import Admission, Runtime
from gateway.testing import RecordingPort, VirtualClock
from rooms.core.messages import StartGame, UpdateRoomSettings
from rooms.core.questions import SetSource
from rooms.core.shapes import SettingsPatch
from rooms.permits import Permits
from rooms.questions import models, pictures, storing
from rooms.questions.drafts import Draft, Option
from rooms.questions.importers import Imported, Report
from rooms.questions.models import QuestionSet
from rooms.service import QuizGame
from tests.rooms.questions.kit import picture_file

pytestmark = pytest.mark.django_db

LOOKUP_S = 0.5
"""How long the database takes here."""


class Site:
    """The real runtime and quiz; what is done aside is done half a second later."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.fails = False
        self.runtime = Runtime(
            lambda sockets, clock: QuizGame(sockets, clock, aside=self.aside),
            conf.build({"SESSION_CAP": 50}),
            self.clock,
        )

    def aside(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """See `rooms.aside.Aside`."""
        self.clock.call_later(LOOKUP_S, lambda: then(None if self.fails else work()))

    def opens(self, account: str) -> "Tab":
        """Somebody's tab."""
        return Tab(self, account)


class Tab:
    """One socket."""

    def __init__(self, site: Site, account: str) -> None:
        self.site = site
        self.port = RecordingPort()
        attempt = Attempt(account, account, "203.0.113.9", "Firefox", parse_query(""))
        admission = site.runtime.admit(attempt)
        assert isinstance(admission, Admission), admission
        self.socket = site.runtime.accept(admission, self.port)
        site.runtime.open(admission, self.socket)
        self.admission = admission

    def says(self, type_: str, **fields: Any) -> "Tab":
        """Send one command."""
        self.socket.received(json.dumps({"type": type_, **fields}).encode())
        return self

    def heard(self, type_: str) -> list[dict[str, Any]]:
        """The frames of a type so far."""
        return [frame for frame in self.port.sent if frame["type"] == type_]

    def errors(self) -> list[tuple[str, str]]:
        """Codes and the actions that they answer."""
        return [(frame["code"], frame["details"]["action"]) for frame in self.heard("ERROR")]

    def source(self) -> dict[str, Any]:
        """What the room asks now, as this tab was told last."""
        told = [frame["settings"] for frame in self.heard("ROOM_SETTINGS")]
        return dict((told or [self.heard("ROOM_JOINED")[-1]["room"]["settings"]])[-1]["questionSource"])


@pytest.fixture
def site() -> Site:
    return Site()


def made(owner: Any = None, public: bool = True, count: int = 3, **more: Any) -> QuestionSet:
    """A set of questions whose right answer is "yes"."""
    options = (Option("yes", True), Option("no"))
    found = tuple(Draft(f"Question {n}?", options, key=f"k{n}", **more) for n in range(count))
    imported = Imported(found, Report("halyard", "question"))
    question_set, _changes = storing.save(imported, storing.Target(owner, "Set"))
    QuestionSet.objects.filter(pk=question_set.pk).update(public=public)
    return question_set


def from_set(question_set: QuestionSet | str) -> dict[str, Any]:
    """The settings that choose it."""
    set_id = question_set if isinstance(question_set, str) else question_set.public_id
    return {"questionSource": {"kind": "set", "id": set_id}}


def test_a_host_chooses_its_own_set_and_a_public_one(site: Site) -> None:
    user = get_user_model().objects.create_user("teacher")
    ana = site.opens(f"user:{user.pk}").says("CREATE_ROOM", name="Ana")
    for question_set in (made(user, public=False), made()):
        ana.says("UPDATE_ROOM_SETTINGS", settings=from_set(question_set))
        site.clock.advance(1)
        assert ana.source() == {"kind": "set", "id": question_set.public_id}
    assert ana.errors() == []


def test_another_accounts_private_set_is_as_good_as_none(site: Site) -> None:
    """The same words for a set that is private and one that does not exist."""
    private = made(get_user_model().objects.create_user("teacher"), public=False)
    ben = site.opens("session:ben").says("CREATE_ROOM", name="Ben")
    for set_id in (private.public_id, "gone"):
        ben.says("UPDATE_ROOM_SETTINGS", settings=from_set(set_id))
    site.clock.advance(2)
    assert ben.errors() == [("SETTINGS_INVALID", "UPDATE_ROOM_SETTINGS")] * 2
    texts = [frame["message"] for frame in ben.heard("ERROR")]
    assert texts[0].replace(private.public_id, "gone") == texts[1]
    assert ben.source()["kind"] == "flags"


def test_a_room_is_created_on_a_set_or_not_at_all(site: Site) -> None:
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set(made()))
    ben = site.opens("session:b").says("CREATE_ROOM", name="Ben", settings=from_set("gone"))
    assert ana.heard("ROOM_JOINED") == []
    site.clock.advance(1)
    assert ana.source()["kind"] == "set"
    assert ben.heard("ROOM_JOINED") == []
    assert ben.errors() == [("SETTINGS_INVALID", "CREATE_ROOM")]


def test_a_game_asks_the_set_and_shows_no_answer(site: Site) -> None:
    """With its picture's address, its own time limit and its explanation once it is over."""
    picture = pictures.encoded(picture_file(), "a square")
    question_set = made(count=1, time_limit_s=7, explanation="Because.", picture=picture)
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set(question_set))
    site.clock.advance(1)
    ana.says("START_GAME")
    site.clock.advance(3.1)
    (question,) = ana.heard("NEW_QUESTION")
    assert question["prompt"] == "Question 0?"
    assert question["durationMs"] == 7000
    address = models.Picture.objects.get().get_absolute_url()
    assert question["media"] == {"kind": "image", "url": address, "alt": "a square"}
    assert {choice["text"] for choice in question["choices"]} == {"yes", "no"}
    assert "correct" not in json.dumps(question)
    assert "Because" not in json.dumps(ana.port.sent)
    (yes,) = [choice["id"] for choice in question["choices"] if choice["text"] == "yes"]
    ana.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[yes])
    (results,) = ana.heard("QUESTION_RESULTS")
    assert (results["correct"], results["explanation"]) == ([yes], "Because.")


def test_whoever_chooses_and_starts_at_once_plays_what_was_chosen(site: Site) -> None:
    """Commands of one connection keep their order, whatever the database takes."""
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana")
    ana.says("UPDATE_ROOM_SETTINGS", settings=from_set(made()))
    ana.says("UPDATE_ROOM_SETTINGS", settings={"questionCount": 1})
    ana.says("UPDATE_ROOM_SETTINGS", settings=from_set("gone"))
    ana.says("START_GAME")
    assert ana.heard("GAME_STARTING") == []
    site.clock.advance(4.2)
    (question,) = ana.heard("NEW_QUESTION")
    assert (question["prompt"][:8], question["total"]) == ("Question", 1)
    assert ana.errors() == [("SETTINGS_INVALID", "UPDATE_ROOM_SETTINGS")]


def test_the_rest_of_the_room_goes_on_meanwhile(site: Site) -> None:
    """A look-up holds its own connection, nobody else."""
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana")
    code = ana.heard("ROOM_JOINED")[0]["room"]["roomCode"]
    ana.says("UPDATE_ROOM_SETTINGS", settings=from_set(made()))
    ben = site.opens("session:b").says("JOIN_ROOM", roomCode=code, name="Ben")
    assert ben.heard("ROOM_JOINED")


def test_failed_joins_are_counted_also_during_a_look_up(site: Site) -> None:
    """They are never held: codes can't be tried behind one."""
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set("gone"))
    ana.says("JOIN_ROOM", roomCode="ZZZZZZ", name="Ana")
    assert ana.errors() == [("ROOM_NOT_FOUND", "JOIN_ROOM")]


def test_only_the_host_chooses(site: Site) -> None:
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana")
    code = ana.heard("ROOM_JOINED")[0]["room"]["roomCode"]
    ben = site.opens("session:b").says("JOIN_ROOM", roomCode=code, name="Ben")
    ben.says("UPDATE_ROOM_SETTINGS", settings=from_set(made()))
    site.clock.advance(1)
    assert ben.errors() == [("NOT_HOST", "UPDATE_ROOM_SETTINGS")]


def test_a_socket_that_is_gone_gets_no_room(site: Site) -> None:
    """What it asked for is forgotten with it."""
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set(made()))
    site.runtime.close(ana.admission, ana.socket, closing.DROPPED)
    site.runtime.release(ana.admission)
    site.clock.advance(1)
    game = site.runtime.game
    assert isinstance(game, QuizGame)
    assert game.lobby.rooms == {}


def test_a_database_that_fails_is_no_reason_to_play_what_one_may_not(site: Site) -> None:
    site.fails = True
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set(made()))
    site.clock.advance(1)
    assert ana.errors() == [("SETTINGS_INVALID", "CREATE_ROOM")]
    assert "try again" in ana.heard("ERROR")[0]["message"]


@pytest.mark.parametrize("what", ["deleted", "emptied", "unreachable"])
def test_a_set_without_questions_stops_the_start(site: Site, what: str) -> None:
    """Whatever became of it since it was chosen: the host is told, and is back in the lobby."""
    question_set = made()
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set(question_set))
    site.clock.advance(1)
    if what == "deleted":
        question_set.delete()
    elif what == "emptied":
        question_set.questions.all().delete()
    site.fails = what == "unreachable"
    ana.says("START_GAME")
    site.clock.advance(1)
    assert ana.errors() == [("QUESTION_SET_EMPTY", "START_GAME")]
    assert ana.heard("GAME_STOPPED")


def test_a_room_that_is_gone_gets_no_questions(site: Site) -> None:
    ana = site.opens("session:a").says("CREATE_ROOM", name="Ana", settings=from_set(made()))
    site.clock.advance(1)
    ana.says("START_GAME").says("LEAVE_ROOM")
    site.clock.advance(1)
    assert ana.errors() == []


def test_our_own_fault_in_a_held_command_is_answered_and_the_next_one_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As for a command that was not held (spec 1.3, step 7): nothing that waits behind it is lost."""
    told: list[str] = []
    done: list[object] = []
    answers: list[Callable[[Any], None]] = []

    def obey(conn_id: str, command: object) -> None:
        if isinstance(command, UpdateRoomSettings):
            raise RuntimeError("broken on purpose")
        done.append(command)

    permits = Permits(
        lambda work, then: answers.append(then), obey, lambda conn_id, command, error: told.append(error.code)
    )
    choice = UpdateRoomSettings(SettingsPatch(question_source=SetSource("rivers")))
    assert permits.holds("conn", "user:1", choice)
    assert permits.holds("conn", "user:1", StartGame())
    answers[0](True)
    assert told == ["INTERNAL_ERROR"]
    assert done == [StartGame()]
    assert "a held command failed" in caplog.text
