"""The game's closed vocabulary on the wire: what a client may ask (commands) and what it is told (events).

These are the wire types themselves (spec 3): field names are camelCase on the wire, tagged by ``type``,
unknown fields of commands are refused. A second set for the engine would only be copies. What the shell tells
a room and what a room wishes of the shell is in ``rooms.core.effects``; unions, codecs and schema documents
are made of these in ``rooms.wire``.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from rooms.core.questions import Choice, Media
from rooms.core.shapes import (
    Avatar,
    Banned,
    Breakdown,
    CloseReason,
    Code,
    Departure,
    Id,
    LeaderboardEntry,
    Member,
    MemberPatch,
    Name,
    PhaseName,
    ReactionId,
    ReactionSeen,
    Settings,
    SettingsPatch,
    You,
)

# ---------- commands: client -> server


class Command(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """Base of all that a client may send to the game."""


class CreateRoom(Command, tag="CREATE_ROOM", frozen=True):
    name: Name
    avatar: Avatar | None = None
    settings: SettingsPatch | None = None


class JoinRoom(Command, tag="JOIN_ROOM", frozen=True):
    room_code: Code
    name: Name
    avatar: Avatar | None = None
    resume: Id | None = None
    take_over: bool = False


class LeaveRoom(Command, tag="LEAVE_ROOM", frozen=True):
    pass


class StartGame(Command, tag="START_GAME", frozen=True):
    pass


class StopGame(Command, tag="STOP_GAME", frozen=True):
    pass


class RestartGame(Command, tag="RESTART_GAME", frozen=True):
    pass


class NextQuestion(Command, tag="NEXT_QUESTION", frozen=True):
    pass


class UpdateRoomSettings(Command, tag="UPDATE_ROOM_SETTINGS", frozen=True):
    settings: SettingsPatch


class UpdateAvatar(Command, tag="UPDATE_AVATAR", frozen=True):
    avatar: Avatar


class KickUser(Command, tag="KICK_USER", frozen=True):
    user_id: Id
    ban: bool = True


class UnbanUser(Command, tag="UNBAN_USER", frozen=True):
    user_id: Id


class WatchRoom(Command, tag="WATCH_ROOM", frozen=True):
    room_code: Code


class SubmitAnswer(Command, tag="SUBMIT_ANSWER", frozen=True):
    question_id: Id
    choices: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=16)]


class SendReaction(Command, tag="SEND_REACTION", frozen=True):
    reaction: ReactionId


# ---------- events: server -> client


class Event(Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type"):
    """Base of all that the game sends."""


class NewQuestion(Event, tag="NEW_QUESTION", frozen=True):
    question_id: str
    index: int
    total: int
    prompt: str
    choices: tuple[Choice, ...]
    multiple: bool
    duration_ms: int
    remaining_ms: int
    media: Media | None = None


class QuestionResults(Event, tag="QUESTION_RESULTS", frozen=True):
    """``next_in_ms`` is null when only the host moves on."""

    question_id: str
    correct: tuple[str, ...]
    counts: dict[str, int]
    leaderboard: tuple[LeaderboardEntry, ...]
    next_in_ms: int | None
    explanation: str | None = None


class GameFinished(Event, tag="GAME_FINISHED", frozen=True):
    leaderboard: tuple[LeaderboardEntry, ...]
    game_id: str


class RoomSnapshot(Struct, frozen=True, rename="camel", omit_defaults=True):
    """``next_in_ms`` is what is left of the phase that has a clock and is not a question (starting, results).

    ``question``, ``results`` and ``finished`` are the events that the phase's members have seen: a reload
    shows the same screen.
    """

    room_id: str
    room_code: str
    phase: PhaseName
    settings: Settings
    members: tuple[Member, ...]
    next_in_ms: int | None = None
    question: NewQuestion | None = None
    results: QuestionResults | None = None
    finished: GameFinished | None = None


class RoomJoined(Event, tag="ROOM_JOINED", frozen=True):
    seat_id: str
    room: RoomSnapshot
    you: You
    reconnect_token: str | None = None


class RoomState(Event, tag="ROOM_STATE", frozen=True):
    room: RoomSnapshot
    you: You | None = None


class Members(Event, tag="MEMBERS", omit_defaults=False, frozen=True):
    """Changes of the roster since the last such frame; the three lists are always there."""

    joined: tuple[Member, ...] = ()
    updated: tuple[MemberPatch, ...] = ()
    left: tuple[Departure, ...] = ()


class HostChanged(Event, tag="HOST_CHANGED", frozen=True):
    user_id: str


class Lagging(Event, tag="LAGGING", frozen=True):
    """For the host alone: all whose answers take longer to arrive than lag credit makes up for.

    Nobody after ``ROOM_JOINED``, ``ROOM_STATE`` and ``HOST_CHANGED``, until it comes.
    """

    user_ids: tuple[str, ...]


class Bans(Event, tag="BANS", frozen=True):
    """For the host alone: all who may not come back, each account once.

    Nobody after ``ROOM_JOINED``, ``ROOM_STATE`` and ``HOST_CHANGED``, until it comes.
    """

    banned: tuple[Banned, ...]


class RoomSettings(Event, tag="ROOM_SETTINGS", frozen=True):
    settings: Settings


class GameStarting(Event, tag="GAME_STARTING", frozen=True):
    countdown_ms: int


class AnswerAccepted(Event, tag="ANSWER_ACCEPTED", frozen=True):
    question_id: str


class AnswerProgress(Event, tag="ANSWER_PROGRESS", frozen=True):
    answered: int
    expected: int


class YourResult(Event, tag="YOUR_RESULT", frozen=True):
    question_id: str
    correct: bool
    points: int
    breakdown: Breakdown
    total: int
    rank: int
    streak: int


class GameStopped(Event, tag="GAME_STOPPED", frozen=True):
    pass


class Reactions(Event, tag="REACTIONS", frozen=True):
    batch: tuple[ReactionSeen, ...]


class Kicked(Event, tag="KICKED", frozen=True):
    reason: Literal["removed", "banned"]


class ServerRestarting(Event, tag="SERVER_RESTARTING", frozen=True):
    retry_after_ms: int


class RoomClosed(Event, tag="ROOM_CLOSED", frozen=True):
    reason: CloseReason
