"""What a bot believes, and when it finds that it was told two different things."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from rooms.bots.room import RoomView
from rooms.bots.view import BotView, disagreements

LEADERBOARD = [
    {"userId": "ana", "score": 1900, "rank": 1},
    {"userId": "ben", "score": 900, "rank": 2},
]
ROOM = {
    "roomId": "r1",
    "roomCode": "K7QX2M",
    "phase": "lobby",
    "settings": {},
    "members": [{"userId": "ana", "score": 0}],
}
JOINED = {
    "type": "ROOM_JOINED",
    "seatId": "ana",
    "reconnectToken": "secret",
    "you": {"userId": "ana"},
    "room": ROOM,
}


def ana() -> BotView:
    """Ana after a game of two questions."""
    view = BotView()
    for frame in (
        JOINED,
        {"type": "MEMBERS", "joined": [{"userId": "ben", "score": 0}], "updated": [], "left": []},
        {"type": "YOUR_RESULT", "questionId": "q1", "points": 1000, "total": 1000, "rank": 1},
        {"type": "YOUR_RESULT", "questionId": "q2", "points": 900, "total": 1900, "rank": 1},
        {
            "type": "MEMBERS",
            "joined": [],
            "updated": [{"userId": "ana", "score": 1900}, {"userId": "ben", "score": 900}],
            "left": [],
        },
        {"type": "GAME_FINISHED", "gameId": "g", "leaderboard": LEADERBOARD},
    ):
        view.receive(frame)
    return view


def test_views_that_fit_together_and_fit_the_record_are_in_order() -> None:
    """Nothing to say."""
    assert disagreements([ana(), ana()], {"ana": 1900, "ben": 900}) == []


@pytest.mark.parametrize(
    ("change", "value", "named"),
    [
        ("board", [("ana", 1900, 1)], "different final boards"),
        ("points", {"q1": 1000, "q2": 899}, "from questions worth 1899"),
        ("rank", 2, "by the board"),
        ("errors", ["NOT_HOST: no"], "was told NOT_HOST"),
        ("strays", ["ana sees another settings in lobby"], "another settings"),
    ],
)
def test_each_kind_of_contradiction_is_found(change: str, value: object, named: str) -> None:
    """One wrong number in one of two views is enough."""
    wrong = copy.deepcopy(ana())
    setattr(wrong, change, value)
    found = disagreements([ana(), wrong], {"ana": 1900, "ben": 900})
    assert any(named in line for line in found), found


def test_a_roster_with_other_scores_than_the_board_is_found() -> None:
    """The deltas and the podium must tell of one game."""
    wrong = ana()
    wrong.receive(
        {"type": "MEMBERS", "joined": [], "updated": [{"userId": "ana", "score": 1899}], "left": []}
    )
    found = disagreements([ana(), wrong], {"ana": 1900, "ben": 900})
    assert found == ["ana sees other scores in the roster than on the board: {'ana': 1899}"]


def test_a_game_without_a_record_or_with_another_one_is_found() -> None:
    """What the players saw is what the server must have stored."""
    assert any("no record" in line for line in disagreements([ana()], None))
    assert any("other scores" in line for line in disagreements([ana()], {"ana": 1900, "ben": 901}))


def test_a_result_that_is_told_again_counts_once() -> None:
    """Who comes back while results are shown hears its own a second time."""
    view = ana()
    view.receive({"type": "YOUR_RESULT", "questionId": "q2", "points": 900, "total": 1900, "rank": 1})
    assert view.has_results(2)
    assert sum(view.points.values()) == view.total


def test_its_ticket_is_the_last_that_it_was_issued() -> None:
    """A re-attach issues none (spec 3)."""
    view = BotView()
    view.receive(JOINED)
    view.receive({"type": "ROOM_STATE", "you": {"userId": "ana"}, "room": ROOM})
    assert view.ticket == {"roomId": "r1", "playerSeatId": "ana", "reconnectToken": "secret"}


@pytest.mark.parametrize(
    ("change", "strays"),
    [
        (lambda room: None, []),
        (lambda room: room.update(settings={"locked": True}), ["ana sees another settings in lobby"]),
        (lambda room: room.update(phase="starting"), ["ana sees another phase in starting"]),
    ],
)
def test_a_view_that_left_the_room_behind_says_where(
    change: Callable[[dict[str, Any]], None], strays: list[str]
) -> None:
    """Compared with a fresh snapshot."""
    view, room = BotView(), copy.deepcopy(ROOM)
    view.receive(JOINED)
    change(room)
    assert view.strays_from(RoomView.of(room)) == strays


def test_a_bot_without_a_room_agrees_with_nothing() -> None:
    """It was never let in."""
    assert BotView(user_id="ana").strays_from(RoomView.of(ROOM)) == ["ana sees another room in lobby"]
