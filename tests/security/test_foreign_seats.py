"""Whoever has a seat has that seat, in that room: nothing can be said for another one (spec 1.9).

Commands name no seat of the speaker's own: it is the connection's. What they name of others is looked for in
the speaker's room.
"""

from typing import Any

import pytest

from gateway.core import closing
from tests.rooms.test_service import Site, Tab


class Two:
    """Two rooms, each with its host and a guest."""

    def __init__(self) -> None:
        self.site = Site()
        self.here, self.here_room = self._room("here")
        self.there, self.there_room = self._room("there")
        self.guest = self._guest("guest", self.here_room)
        self.foreign = self._guest("foreign", self.there_room)

    def _room(self, session: str) -> tuple[Tab, dict[str, Any]]:
        tab = self.site.opens(session)
        return tab, tab.creates(questionCount=1)

    def _guest(self, session: str, room: dict[str, Any]) -> Tab:
        tab = self.site.opens(session)
        return tab.says("JOIN_ROOM", roomCode=room["room"]["roomCode"], name=session)

    def members(self, tab: Tab) -> list[str]:
        """Who is in the tab's room, by the server's own word."""
        room = self.site.runtime.game.lobby.room_of(tab.admission.peer.conn_id)  # type: ignore[attr-defined]
        return list(room.seats.here)


@pytest.fixture
def two() -> Two:
    """Both in their lobbies."""
    return Two()


HOSTS: dict[str, dict[str, Any]] = {
    "START_GAME": {},
    "STOP_GAME": {},
    "RESTART_GAME": {},
    "NEXT_QUESTION": {},
    "UPDATE_ROOM_SETTINGS": {"settings": {"locked": True}},
    "KICK_USER": {"userId": "their host's"},
    "UNBAN_USER": {"userId": "their host's"},
}


@pytest.mark.parametrize("type_", HOSTS)
def test_a_guest_runs_nothing(two: Two, type_: str) -> None:
    """Every command of a host, said by somebody who has a seat, but not that one."""
    before = two.members(two.guest)
    fields = {
        name: two.here_room["seatId"] if name == "userId" else value for name, value in HOSTS[type_].items()
    }
    error = two.guest.says(type_, **fields).last("ERROR")
    assert (error["code"], error["details"]["action"]) == ("NOT_HOST", type_)
    assert two.members(two.guest) == before


@pytest.mark.parametrize("type_", ["KICK_USER", "UNBAN_USER"])
def test_a_host_reaches_nobody_in_another_room(two: Two, type_: str) -> None:
    """With the true id of a seat there: it is no member here."""
    seat = two.foreign.last("ROOM_JOINED")["seatId"]
    error = two.here.says(type_, userId=seat).last("ERROR")
    assert error["code"] == "NO_SUCH_MEMBER"
    assert seat in two.members(two.foreign)


def test_an_answer_counts_for_the_speakers_own_room_and_question(two: Two) -> None:
    """The other room's question, asked by its true id with its true choice, is closed here."""
    for tab in (two.here, two.there):
        tab.says("START_GAME")
    two.site.clock.advance(4)
    there = two.foreign.last("NEW_QUESTION")
    error = two.guest.says(
        "SUBMIT_ANSWER", questionId=there["questionId"], choices=[there["choices"][0]["id"]]
    ).last("ERROR")
    assert error["code"] == "QUESTION_CLOSED"
    two.foreign.says("SUBMIT_ANSWER", questionId=there["questionId"], choices=[there["choices"][0]["id"]])
    assert two.foreign.last("ANSWER_ACCEPTED")


@pytest.mark.parametrize(
    ("room", "seat", "token"),
    [
        ("here", "guest", "foreign"),
        ("there", "guest", "guest"),
        ("here", "foreign", "foreign"),
        ("here", "here", "guest"),
    ],
)
def test_a_ticket_is_good_as_a_whole_or_not_at_all(two: Two, room: str, seat: str, token: str) -> None:
    """Its room, its seat and its token belong together: any mixture of true ones is forbidden, to their own
    account too.
    """
    joined = {name: getattr(two, name).last("ROOM_JOINED") for name in ("here", "there", "guest", "foreign")}
    query = (
        f"roomId={joined[room]['room']['roomId']}&playerSeatId={joined[seat]['seatId']}"
        f"&reconnectToken={joined[token]['reconnectToken']}"
    )
    with pytest.raises(AssertionError, match="forbidden"):
        two.site.opens("guest", query)
    assert two.guest.port.closed is None


def test_a_stolen_ticket_is_worth_nothing_in_another_session(two: Two) -> None:
    """Seat, room and token are right; the account is not."""
    joined = two.guest.last("ROOM_JOINED")
    query = (
        f"roomId={joined['room']['roomId']}&playerSeatId={joined['seatId']}"
        f"&reconnectToken={joined['reconnectToken']}"
    )
    two.guest.gone(closing.DROPPED)
    with pytest.raises(AssertionError, match="forbidden"):
        two.site.opens("thief", query)


def test_nobody_returns_to_a_seat_of_another_account(two: Two) -> None:
    """``resume`` and ``takeOver`` are for one's own: a public id in a stranger's mouth makes a new seat."""
    seat, code = two.guest.last("ROOM_JOINED")["seatId"], two.here_room["room"]["roomCode"]
    thief = two.site.opens("thief").says("JOIN_ROOM", roomCode=code, name="x", resume=seat, takeOver=True)
    assert thief.last("ROOM_JOINED")["seatId"] != seat
    assert two.guest.port.closed is None


def test_a_stranger_watches_nothing(two: Two) -> None:
    """The big screen is the creator's and the host's."""
    watcher = two.site.opens("stranger").says("WATCH_ROOM", roomCode=two.here_room["room"]["roomCode"])
    assert watcher.last("ERROR")["code"] == "NOT_HOST"
