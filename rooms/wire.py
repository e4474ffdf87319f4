"""The game's two disjoint unions on the wire, and how often each command may come (spec 1.3, 3).

The types themselves are in ``rooms.core.messages``; codecs, documents and the gateway take them from here.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

from gateway.contract import Budget, Per
from rooms.core import messages as m

COMMANDS: Final[tuple[type[Struct], ...]] = (
    m.CreateRoom,
    m.JoinRoom,
    m.LeaveRoom,
    m.StartGame,
    m.StopGame,
    m.RestartGame,
    m.NextQuestion,
    m.UpdateRoomSettings,
    m.UpdateAvatar,
    m.KickUser,
    m.UnbanUser,
    m.WatchRoom,
    m.SubmitAnswer,
    m.SendReaction,
)

EVENTS: Final[tuple[type[Struct], ...]] = (
    m.RoomJoined,
    m.RoomState,
    m.Members,
    m.HostChanged,
    m.Lagging,
    m.Bans,
    m.RoomSettings,
    m.GameStarting,
    m.NewQuestion,
    m.AnswerAccepted,
    m.AnswerProgress,
    m.QuestionResults,
    m.YourResult,
    m.GameFinished,
    m.GameStopped,
    m.Reactions,
    m.Kicked,
    m.ServerRestarting,
    m.RoomClosed,
)

MISSES: Final = Budget(300, 60, Per.ADDRESS, charged_on="ROOM_NOT_FOUND", group="misses")
"""Codes of no room, by whatever command they were tried."""

LIMITS: Final = MappingProxyType(
    {
        "SUBMIT_ANSWER": (Budget(50, 10),),
        "SEND_REACTION": (Budget(60, 10),),
        "CREATE_ROOM": (Budget(5, 60), Budget(60, 60, Per.ADDRESS)),
        # A class types codes wrong too; what is limited behind one address is guessing (spec 1.3).
        "JOIN_ROOM": (Budget(20, 60), MISSES),
        "LEAVE_ROOM": (Budget(30, 60),),
        "NEXT_QUESTION": (Budget(30, 60),),
        "WATCH_ROOM": (Budget(20, 60), MISSES),
        "START_GAME": (Budget(10, 60),),
        "RESTART_GAME": (Budget(10, 60),),
        "STOP_GAME": (Budget(10, 60),),
        "UPDATE_ROOM_SETTINGS": (Budget(30, 60),),
        "UPDATE_AVATAR": (Budget(20, 60),),
        "KICK_USER": (Budget(20, 60, group="bans"),),
        "UNBAN_USER": (Budget(20, 60, group="bans"),),
    }
)
