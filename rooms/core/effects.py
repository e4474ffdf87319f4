"""What the shell tells a room (inputs) and what a room wishes of the shell (effects).

Both are closed vocabularies of frozen values. Everything random or secret travels in the inputs as the shell
drew it: ids, codes, seeds, SHA-256 of tokens (never a token). What clients say and hear is in
``rooms.core.messages``.
"""

from msgspec import Struct

from gateway.contract import ConnId, FrameClass
from gateway.core.closing import Ending
from rooms.core.messages import (
    CreateRoom,
    Event,
    JoinRoom,
    KickUser,
    LeaveRoom,
    NextQuestion,
    RestartGame,
    RoomJoined,
    SendReaction,
    StartGame,
    StopGame,
    SubmitAnswer,
    UnbanUser,
    UpdateAvatar,
    UpdateRoomSettings,
)
from rooms.core.questions import Question, QuestionSource
from rooms.core.report import GameReport
from rooms.core.shapes import CloseReason

# ---------- inputs: shell -> room


class _Input(Struct, frozen=True, tag_field="input"):
    """Base of all that can happen to a room; tagged by its class name: a recording can be read back."""


class Create(_Input, frozen=True):
    """A room is made; not an input of a room that exists, see ``Room.create``."""

    conn_id: ConnId
    account: str
    client_id: str | None
    room_id: str
    room_code: str
    seat_id: str
    token_hash: str
    command: CreateRoom


class Join(_Input, frozen=True):
    """``JOIN_ROOM``. ``seat_id`` is fresh and used only if one is due; ``token_hash`` is always used."""

    conn_id: ConnId
    account: str
    client_id: str | None
    seat_id: str
    token_hash: str
    command: JoinRoom


class Reattach(_Input, frozen=True):
    """A socket opened with a ticket that `check_claim` found good."""

    conn_id: ConnId
    account: str
    client_id: str | None
    seat_id: str


class Watch(_Input, frozen=True):
    """``WATCH_ROOM``: follow the room without a seat."""

    conn_id: ConnId
    account: str


AskedCommand = (
    LeaveRoom
    | StopGame
    | NextQuestion
    | UpdateRoomSettings
    | UpdateAvatar
    | KickUser
    | UnbanUser
    | SendReaction
)


class Asked(_Input, frozen=True):
    """A command that needs nothing drawn or measured by the shell."""

    conn_id: ConnId
    command: AskedCommand


class Begin(_Input, frozen=True):
    """``START_GAME`` or ``RESTART_GAME``, with the new game's id and the seed that draws its questions."""

    conn_id: ConnId
    command: StartGame | RestartGame
    game_id: str
    seed: int


class Answer(_Input, frozen=True):
    """``SUBMIT_ANSWER``. ``rtt_s`` is the median round trip by the server's clock, None without one."""

    conn_id: ConnId
    command: SubmitAnswer
    rtt_s: float | None


class Left(_Input, frozen=True):
    """A socket is gone. One that holds nothing (any more) frees nothing."""

    conn_id: ConnId
    ending: Ending


class Loaded(_Input, frozen=True):
    """The answer to `LoadQuestions`: questions and their choices in the order in which they are asked."""

    request_id: str
    questions: tuple[Question, ...]


class Resync(_Input, frozen=True):
    """A slow socket lost coalescable frames and has drained."""

    conn_id: ConnId


class Lagged(_Input, frozen=True):
    """The line of the seat that the connection holds became slow (``lagging``), or quick again."""

    conn_id: ConnId
    lagging: bool


class MoveAccount(_Input, frozen=True):
    """A player signed in: what ``old`` had in the room belongs to ``new`` (spec 1.7, 4001)."""

    old: str
    new: str


class Close(_Input, frozen=True):
    """The site's staff closed the room."""


class Restored(_Input, frozen=True):
    """The process is another one: the room is as it was saved, and no socket of it is left."""


Input = (
    Join
    | Reattach
    | Watch
    | Asked
    | Begin
    | Answer
    | Left
    | Loaded
    | Resync
    | Lagged
    | MoveAccount
    | Close
    | Restored
)


# ---------- effects: room -> shell


class Send(Struct, frozen=True):
    """One event for all of ``to`` (never empty, live connections only): encode it once."""

    to: tuple[ConnId, ...]
    event: Event
    frame_class: FrameClass = FrameClass.CRITICAL
    key: str | None = None


class IssueSeat(Struct, frozen=True):
    """Send ``event`` to ``conn_id`` with the raw token of the `token_hash` that the input carried."""

    conn_id: ConnId
    event: RoomJoined


class Bind(Struct, frozen=True):
    """The connection is in this room from now on: with a ``seat_id`` it speaks for that seat, with None it
    watches.
    """

    conn_id: ConnId
    seat_id: str | None


class Unbind(Struct, frozen=True):
    """The (live) connection is in no room any more."""

    conn_id: ConnId


class End(Struct, frozen=True):
    """Close the socket, in the loop's next turn."""

    conn_id: ConnId
    ending: Ending


class Refuse(Struct, frozen=True):
    """An ``ERROR`` frame for a command that was accepted when it came and failed later."""

    conn_id: ConnId
    code: str
    message: str
    status: int
    action: str


class LoadQuestions(Struct, frozen=True):
    """Draw ``count`` questions with ``seed`` and come back with `Loaded`, empty if there are none."""

    request_id: str
    source: QuestionSource
    count: int
    seed: int


class GameOver(Struct, frozen=True):
    """A game ended that is worth keeping: finished, or stopped after at least one question."""

    report: GameReport


class RoomOver(Struct, frozen=True):
    """The room is no more: forget it, its code is free."""

    reason: CloseReason


Effect = Send | IssueSeat | Bind | Unbind | End | Refuse | LoadQuestions | GameOver | RoomOver
