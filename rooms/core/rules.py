"""The numbers of the game, the error codes, and the guard of settings.

Guards raise `ClientError` and change nothing. Rules of scoring, names and codes are in modules of their own;
which phase allows what is in ``rooms.core.phases``.
"""

from typing import Any, Final, Literal

import msgspec

from gateway.contract import ClientError
from rooms.core.shapes import Settings, SettingsPatch

# ---------- rooms

ROOM_MAX_PLAYERS: Final = 50
"""Members of one room, unless the site says otherwise: a class of 40 and headroom."""
ROOM_MIN_PLAYERS: Final = 2
"""The smallest ``maxPlayers`` that a host may set."""
MAX_ROOMS: Final = 1000
"""Live rooms of one process, unless the site says otherwise: bounds memory."""
EMPTY_S: Final = 120.0
"""Seconds that a room which emptied by accident waits for its people."""
IDLE_S: Final = 7200.0
"""Seconds without any command after which a room is closed: it was forgotten."""

# ---------- the clock of a game

COUNTDOWN_S: Final = 3.0
"""Seconds from START_GAME to the first question: time to look up."""
RESULTS_S: Final = 5.0
"""Seconds that results are shown before the game moves on by itself."""
SLOT_S: Final = 0.25
"""Seconds in which roster changes, reactions and progress are collected: at most 4 frames a second."""

# ---------- seats

GRACE_S: Final = 10.0
"""Seconds that a seat is held after a disconnect in a game; six quick tries of the web client take 7.2."""
SUCCESSOR_S: Final = 10.0
"""Seconds that a seat is held, in any phase, for the socket that replaces the one that just closed."""
RESTART_HOLD_S: Final = 30.0
"""Seconds that a seat is held over a restart of the process."""
RESTART_PAUSE_S: Final = 10.0
"""Seconds that a restored room's clock stands still at most, until everybody is back."""
DEPARTED_S: Final = 120.0
"""Seconds that an evicted seat is remembered at least; phones sleep for longer than the grace."""
DEPARTED_PER_ACCOUNT: Final = 3
"""Evicted seats that are remembered for one account: as many as a session may have open sockets."""
DEPARTED_MAX: Final = 200
"""Evicted seats that a room remembers, four times its members: people who come and go in a game that never
ends must not fill the memory. The one that went first is forgotten first."""
BANS_MAX: Final = 200
"""Banned seats of a room; the oldest ban ends when there are more."""
STALL_S: Final = 1.0
"""A wake later than this many seconds means that we stood still: held seats get the time back (spec 1.4)."""
STALL_HOLD_S: Final = 5.2
"""Seconds that held seats have at least after we stood still: the client's delay of 1.2, a try of up to 4."""

# ---------- settings and results

QUESTION_SECONDS: Final = (10, 15, 20, 30)
"""What ``secondsPerQuestion`` may be."""
QUESTION_COUNT_MAX: Final = 50
"""Questions of one game: half an hour of play at the slowest."""
TOP_OF_RESULTS: Final = 10
"""Leaderboard entries after each question: what fits on a projector."""
TOP_OF_PODIUM: Final = 50
"""Leaderboard entries at the end: everybody, in a room of the default size."""

# ---------- what a client is told

ErrorCode = Literal[
    "VALIDATION_ERROR",
    "NAME_INVALID",
    "SETTINGS_INVALID",
    "QUESTION_SET_EMPTY",
    "NOT_IN_ROOM",
    "NOT_HOST",
    "BANNED",
    "ROOM_NOT_FOUND",
    "NO_SUCH_MEMBER",
    "ALREADY_ANSWERED",
    "QUESTION_CLOSED",
    "INVALID_STATE",
    "ALREADY_IN_ROOM",
    "ROOM_LOCKED",
    "ROOM_FULL",
    "SERVER_FULL",
]

STATUS: Final[dict[ErrorCode, int]] = {
    "VALIDATION_ERROR": 400,
    "NAME_INVALID": 400,
    "SETTINGS_INVALID": 400,
    "QUESTION_SET_EMPTY": 400,
    "NOT_IN_ROOM": 403,
    "NOT_HOST": 403,
    "BANNED": 403,
    "ROOM_NOT_FOUND": 404,
    "NO_SUCH_MEMBER": 404,
    "ALREADY_ANSWERED": 409,
    "QUESTION_CLOSED": 409,
    "INVALID_STATE": 409,
    "ALREADY_IN_ROOM": 409,
    "ROOM_LOCKED": 423,
    "ROOM_FULL": 503,
    "SERVER_FULL": 503,
}
"""The HTTP status that goes with each of the game's codes (spec 3)."""


def refusal(code: ErrorCode, text: str, **details: Any) -> ClientError:
    """The error to raise; ``details`` is for programs."""
    return ClientError(code, text, STATUS[code], details)


def changed_settings(settings: Settings, patch: SettingsPatch, max_players: int) -> Settings:
    """``settings`` with what ``patch`` names; a value out of range is ``SETTINGS_INVALID`` (spec 2.1).

    ``max_players`` is the site's own limit. Whether the caller may use a question set is not known here.
    """
    given = {name: value for name in patch.__struct_fields__ if (value := getattr(patch, name)) is not None}
    new = msgspec.structs.replace(settings, **given)
    if new.seconds_per_question not in QUESTION_SECONDS:
        raise _out_of_range("secondsPerQuestion", new.seconds_per_question, "10, 15, 20 or 30")
    if not 1 <= new.question_count <= QUESTION_COUNT_MAX:
        raise _out_of_range("questionCount", new.question_count, f"1 to {QUESTION_COUNT_MAX}")
    if not ROOM_MIN_PLAYERS <= new.max_players <= max_players:
        raise _out_of_range("maxPlayers", new.max_players, f"{ROOM_MIN_PLAYERS} to {max_players}")
    return new


def _out_of_range(path: str, value: int, allowed: str) -> ClientError:
    return refusal("SETTINGS_INVALID", f"The setting {path} must be {allowed}, not {value}.", path=path)
