"""Inputs can be recorded: each is written as JSON and read back as what it was (spec 5, flight recorder)."""

import msgspec
import pytest

from gateway.core.closing import DROPPED
from rooms.core import effects as fx
from rooms.core.messages import (
    JoinRoom,
    KickUser,
    LeaveRoom,
    NextQuestion,
    RestartGame,
    SendReaction,
    StartGame,
    StopGame,
    SubmitAnswer,
    UnbanUser,
    UpdateAvatar,
    UpdateRoomSettings,
)
from rooms.core.shapes import Avatar, SettingsPatch
from tests.rooms.core.kit import question

ASKED = (
    LeaveRoom(),
    StopGame(),
    NextQuestion(),
    UpdateRoomSettings(SettingsPatch(locked=False)),
    UpdateAvatar(Avatar("fox", 2)),
    KickUser("s", ban=False),
    UnbanUser("s"),
    SendReaction("star"),
)
INPUTS: tuple[fx.Input, ...] = (
    fx.Join("c", "a", None, "s", "hash", JoinRoom("CODE", "Ana", Avatar(), resume="s0", take_over=True)),
    fx.Reattach("c", "a", "tab", "s"),
    fx.Watch("c", "a"),
    *(fx.Asked("c", command) for command in ASKED),
    fx.Begin("c", StartGame(), "g", 2**62),
    fx.Begin("c", RestartGame(), "g", 1),
    fx.Answer("c", SubmitAnswer("q1", ("1a",)), 0.05),
    fx.Answer("c", SubmitAnswer("q1", ("1a",)), None),
    fx.Left("c", DROPPED),
    fx.Loaded("g", (question(1), question(2, multiple=True, correct=frozenset({"2a", "2b"})))),
    fx.Resync("c"),
    fx.Lagged("c", lagging=True),
    fx.MoveAccount("a", "user:1"),
    fx.Close(),
    fx.Restored(),
)


@pytest.mark.parametrize("event", INPUTS, ids=lambda event: type(event).__name__)
def test_an_input_can_be_written_down_and_read_back(event: fx.Input) -> None:
    """Its class is in its tag."""
    written = msgspec.json.encode(event)
    assert msgspec.json.decode(written, type=fx.Input) == event


def test_every_input_and_every_plain_command_is_among_them() -> None:
    """The list above is complete."""
    assert {type(event) for event in INPUTS} == set(fx.Input.__args__)
    assert {type(command) for command in ASKED} == set(fx.AskedCommand.__args__)
