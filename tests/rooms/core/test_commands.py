"""Every command in every phase from everybody: what is allowed, and which error the rest gets.

The table below is the rule (spec 2.1, 2.2); how each allowed command works is told in the other modules.
"""

from collections.abc import Callable
from typing import Any

import pytest

from gateway.contract import ClientError
from rooms.core.rules import ErrorCode
from rooms.core.shapes import Avatar
from tests.rooms.core.kit import Player, Table, refused

PHASES = ("lobby", "starting", "question", "results", "finished")
GAME = PHASES[1:]


def at(phase: str) -> Table:
    """Ana (host), Ben and Cleo, and a game of one question that has reached ``phase``."""
    table = Table()
    table.asked = table.asked[:1] if phase == "finished" else table.asked
    table.ana = table.hosted_by("Ana")
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    if phase != "lobby":
        table.ana.starts()
        table.after({"starting": 1, "question": 4, "results": 3 + 16, "finished": 30}[phase])
    assert table.phase == phase
    return table


COMMANDS: dict[str, Callable[[Player], Any]] = {
    "START_GAME": lambda who: who.starts(),
    "STOP_GAME": lambda who: who.stops(),
    "RESTART_GAME": lambda who: who.restarts(),
    "NEXT_QUESTION": lambda who: who.goes_on(),
    "UPDATE_ROOM_SETTINGS": lambda who: who.sets(locked=True),
    "KICK_USER": lambda who: who.kicks(who.table.cleo),
    "UNBAN_USER": lambda who: who.unbans(who.table.cleo),
    "UPDATE_AVATAR": lambda who: who.wears(Avatar("fox", 2)),
    "SEND_REACTION": lambda who: who.reacts(),
    "SUBMIT_ANSWER": lambda who: who.answers("a", question_id="q1"),
    "LEAVE_ROOM": lambda who: who.leaves(),
}

ALLOWED: dict[str, tuple[str, ...]] = {
    "START_GAME": ("lobby",),
    "STOP_GAME": GAME,
    "RESTART_GAME": GAME,
    "NEXT_QUESTION": ("results",),
    "UPDATE_ROOM_SETTINGS": ("lobby",),
    "KICK_USER": PHASES,
    "UNBAN_USER": (),
    "UPDATE_AVATAR": PHASES,
    "SEND_REACTION": PHASES,
    "SUBMIT_ANSWER": ("question",),
    "LEAVE_ROOM": PHASES,
}
HOSTS_ONLY = {
    "START_GAME",
    "STOP_GAME",
    "RESTART_GAME",
    "NEXT_QUESTION",
    "UPDATE_ROOM_SETTINGS",
    "KICK_USER",
    "UNBAN_USER",
}
WATCHERS_TOO = {"START_GAME", "STOP_GAME", "RESTART_GAME", "NEXT_QUESTION", "LEAVE_ROOM"}


def error_in(command: str, phase: str) -> ErrorCode:
    """What the host gets for a command that the phase doesn't allow."""
    if command == "UNBAN_USER":
        return "NO_SUCH_MEMBER"
    if command == "SUBMIT_ANSWER" and phase in ("results", "finished"):
        return "QUESTION_CLOSED"
    return "INVALID_STATE"


def expected(command: str, phase: str, who: str) -> ErrorCode | None:
    if who == "stranger":
        return "NOT_IN_ROOM"
    if who == "screen" and command not in WATCHERS_TOO:
        return "NOT_HOST" if command in HOSTS_ONLY else "NOT_IN_ROOM"
    if who == "member" and command in HOSTS_ONLY:
        return "NOT_HOST"
    return None if phase in ALLOWED[command] else error_in(command, phase)


@pytest.mark.parametrize("who", ["host", "member", "screen", "stranger"])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_done_or_refused_with_its_code_and_no_change(command: str, phase: str, who: str) -> None:
    """All commands x all phases x all kinds of people."""
    table = at(phase)
    screen = table.player("screen", account=table.ana.account).watches()
    person = {"host": table.ana, "member": table.ben, "screen": screen}.get(who) or table.player("Stranger")
    code = expected(command, phase, who)
    if code is None:
        COMMANDS[command](person)
    else:
        with refused(table, code):
            COMMANDS[command](person)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (
            lambda table: table.player("Ben 2", account=table.ben.account).joins(resume=table.ben.seat_id),
            "ALREADY_IN_ROOM",
        ),
        (lambda table: table.ben.joins(), "ALREADY_IN_ROOM"),
        (lambda table: table.ben.watches(), "ALREADY_IN_ROOM"),
        (lambda table: table.player("Dia").watches(), "NOT_HOST"),
        (lambda table: table.player("\u202e").joins(), "NAME_INVALID"),
        (lambda table: table.ana.kicks(table.ana), "INVALID_STATE"),
        (lambda table: table.ana.kicks(table.player("Nobody")), "NO_SUCH_MEMBER"),
    ],
)
def test_other_errors_change_nothing_in_any_phase(
    phase: str, spoil: Callable[[Table], Any], code: ErrorCode
) -> None:
    """Joining, watching and kicking."""
    table = at(phase)
    with refused(table, code):
        spoil(table)


def test_an_error_is_no_sign_of_life() -> None:
    """A room is idle however often somebody asks for what is not allowed."""
    table = at("lobby")
    table.after(100)
    before = table.room.idle_at
    with pytest.raises(ClientError):
        table.ben.starts()
    assert table.room.idle_at == before
