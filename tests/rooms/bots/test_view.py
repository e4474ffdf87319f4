"""What a bot believes, and when it finds that it was told two different things."""

import copy

import pytest

from rooms.bots.view import BotView, disagreements

LEADERBOARD = [
    {"userId": "ana", "score": 1900, "rank": 1},
    {"userId": "ben", "score": 900, "rank": 2},
]


def ana() -> BotView:
    """Ana after a game of two questions."""
    view = BotView()
    for frame in (
        {
            "type": "ROOM_JOINED",
            "you": {"userId": "ana"},
            "room": {"roomCode": "K7QX2M", "phase": "lobby", "members": [{"userId": "ana", "score": 0}]},
        },
        {"type": "MEMBERS", "joined": [{"userId": "ben", "score": 0}], "updated": [], "left": []},
        {"type": "YOUR_RESULT", "points": 1000, "total": 1000, "rank": 1},
        {"type": "YOUR_RESULT", "points": 900, "total": 1900, "rank": 1},
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
        ("points", [1000, 899], "from questions worth 1899"),
        ("rank", 2, "by the board"),
        ("members", {"ana": 1899, "ben": 900}, "other scores in the roster"),
        ("errors", ["NOT_HOST: no"], "was told NOT_HOST"),
    ],
)
def test_each_kind_of_contradiction_is_found(change: str, value: object, named: str) -> None:
    """One wrong number in one of two views is enough."""
    wrong = copy.deepcopy(ana())
    setattr(wrong, change, value)
    found = disagreements([ana(), wrong], {"ana": 1900, "ben": 900})
    assert any(named in line for line in found), found


def test_a_game_without_a_record_or_with_another_one_is_found() -> None:
    """What the players saw is what the server must have stored."""
    assert any("no record" in line for line in disagreements([ana()], None))
    assert any("other scores" in line for line in disagreements([ana()], {"ana": 1900, "ben": 901}))


def test_a_member_that_left_is_forgotten() -> None:
    """The roster follows the deltas."""
    view = ana()
    view.receive({"type": "MEMBERS", "joined": [], "updated": [], "left": [{"userId": "ben"}]})
    assert view.members == {"ana": 1900}
