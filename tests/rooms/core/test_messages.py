"""The wire types: tags, names of fields, what is refused by shape (spec 3)."""

from typing import Any

import msgspec
import pytest

from rooms.core import messages as m
from rooms.core.questions import Choice, FlagSource, Image, Svg
from rooms.core.shapes import Avatar, Departure, Member, MemberPatch, Settings, SettingsPatch, You

COMMANDS = {
    "CREATE_ROOM": m.CreateRoom,
    "JOIN_ROOM": m.JoinRoom,
    "LEAVE_ROOM": m.LeaveRoom,
    "START_GAME": m.StartGame,
    "STOP_GAME": m.StopGame,
    "RESTART_GAME": m.RestartGame,
    "NEXT_QUESTION": m.NextQuestion,
    "UPDATE_ROOM_SETTINGS": m.UpdateRoomSettings,
    "UPDATE_AVATAR": m.UpdateAvatar,
    "KICK_USER": m.KickUser,
    "UNBAN_USER": m.UnbanUser,
    "WATCH_ROOM": m.WatchRoom,
    "SUBMIT_ANSWER": m.SubmitAnswer,
    "SEND_REACTION": m.SendReaction,
}
EVENTS = {
    "ROOM_JOINED": m.RoomJoined,
    "ROOM_STATE": m.RoomState,
    "MEMBERS": m.Members,
    "HOST_CHANGED": m.HostChanged,
    "LAGGING": m.Lagging,
    "BANS": m.Bans,
    "ROOM_SETTINGS": m.RoomSettings,
    "GAME_STARTING": m.GameStarting,
    "NEW_QUESTION": m.NewQuestion,
    "ANSWER_ACCEPTED": m.AnswerAccepted,
    "ANSWER_PROGRESS": m.AnswerProgress,
    "QUESTION_RESULTS": m.QuestionResults,
    "YOUR_RESULT": m.YourResult,
    "GAME_FINISHED": m.GameFinished,
    "GAME_STOPPED": m.GameStopped,
    "REACTIONS": m.Reactions,
    "KICKED": m.Kicked,
    "SERVER_RESTARTING": m.ServerRestarting,
    "ROOM_CLOSED": m.RoomClosed,
}


def wire(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.mark.parametrize(("tag", "kind"), [*COMMANDS.items(), *EVENTS.items()])
def test_a_message_is_tagged_with_its_name_and_can_not_be_changed(
    tag: str, kind: type[msgspec.Struct]
) -> None:
    """Two disjoint closed vocabularies of frozen values."""
    config = kind.__struct_config__
    assert (config.tag_field, config.tag, config.frozen) == ("type", tag, True)
    assert issubclass(kind, m.Command if tag in COMMANDS else m.Event)


def test_there_are_no_other_messages() -> None:
    """The list above is the protocol."""
    assert set(m.Command.__subclasses__()) == set(COMMANDS.values())
    assert set(m.Event.__subclasses__()) == set(EVENTS.values())


def test_a_command_is_read_with_its_defaults() -> None:
    """What may be left out, may be left out."""
    assert read(m.JoinRoom, roomCode="ABC", name="Ana") == m.JoinRoom("ABC", "Ana", None, None, False)
    assert read(m.KickUser, userId="s") == m.KickUser("s", True)
    assert read(m.CreateRoom, name="Ana") == m.CreateRoom("Ana", None, None)


def read(kind: type[msgspec.Struct], **fields: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode({"type": kind.__struct_config__.tag, **fields}), type=kind)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (m.LeaveRoom, {"extra": 1}),
        (m.CreateRoom, {"name": "A", "settings": {"unknown": 1}}),
        (m.CreateRoom, {"name": "A" * 513}),
        (m.JoinRoom, {"roomCode": "A" * 33, "name": "A"}),
        (m.JoinRoom, {"roomCode": "A", "name": "A", "resume": "s" * 65}),
        (m.UpdateAvatar, {"avatar": {"id": "dragon", "colour": 1}}),
        (m.UpdateAvatar, {"avatar": {"id": "owl", "colour": 0}}),
        (m.UpdateAvatar, {"avatar": {"id": "owl", "colour": 7}}),
        (m.UpdateAvatar, {"avatar": {"id": "owl", "extra": 7}}),
        (m.UpdateRoomSettings, {"settings": {"questionSource": {"kind": "flags", "region": "atlantis"}}}),
        (m.UpdateRoomSettings, {"settings": {"scoring": "luck"}}),
        (m.SubmitAnswer, {"questionId": "q", "choices": []}),
        (m.SubmitAnswer, {"questionId": "q", "choices": ["c"] * 17}),
        (m.SubmitAnswer, {"questionId": "q", "choices": ["c" * 65]}),
        (m.SendReaction, {"reaction": "boo"}),
    ],
)
def test_what_has_not_the_shape_is_refused(kind: type[msgspec.Struct], fields: dict[str, Any]) -> None:
    """Unknown fields too; ranges of settings are rules and not shapes."""
    with pytest.raises(msgspec.ValidationError):
        read(kind, **fields)


def test_shapes_have_the_names_of_the_protocol() -> None:
    """camelCase on the wire; what is absent is left out of patches and of `you`."""
    assert set(wire(Settings())) == {
        "secondsPerQuestion",
        "questionCount",
        "questionSource",
        "maxPlayers",
        "allowLateJoin",
        "locked",
        "scoring",
        "streakBonus",
        "hostPlays",
        "showLeaderboard",
        "autoAdvance",
    }
    assert wire(SettingsPatch(locked=False)) == {"locked": False}
    assert wire(MemberPatch("s", score=0)) == {"userId": "s", "score": 0}
    assert wire(You("s", True, 0, 1)) == {"userId": "s", "isHost": True, "score": 0, "rank": 1}
    assert wire(You("s", True, 0, 1, waits=True))["waits"] is True
    assert wire(Departure("s", "lost")) == {"userId": "s", "reason": "lost"}
    member = Member("s", "Ana", Avatar(), "grace", 1, 2, False, True)
    assert wire(m.Members((member,))) == {
        "type": "MEMBERS",
        "joined": [
            {
                "userId": "s",
                "name": "Ana",
                "avatar": {"id": "owl", "colour": 1},
                "status": "grace",
                "score": 1,
                "joinOrder": 2,
                "isHost": False,
                "plays": True,
            }
        ],
        "updated": [],
        "left": [],
    }


def test_a_question_on_the_wire_has_media_of_its_kind() -> None:
    """Flags are drawn inside the question; a choice names its country if it is one."""
    assert wire(Svg("<svg/>")) == {"kind": "svg", "data": "<svg/>"}
    assert wire(Image("/m/1.png", "A bridge")) == {"kind": "image", "url": "/m/1.png", "alt": "A bridge"}
    assert wire(Choice("c", "Chad", "TD")) == {"id": "c", "text": "Chad", "country": "TD"}
    assert wire(Choice("c", "Yes")) == {"id": "c", "text": "Yes"}
    assert wire(FlagSource()) == {"kind": "flags", "region": "world", "difficulty": "medium"}


def test_results_say_so_when_only_the_host_moves_on() -> None:
    """nextInMs is null then, and not left out."""
    assert wire(m.QuestionResults("q", (), {}, (), None))["nextInMs"] is None
