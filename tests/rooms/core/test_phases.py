"""The phases, their legal moves, and when a command makes sense."""

from itertools import pairwise

import pytest

from rooms.core.messages import NextQuestion, RestartGame, StartGame, StopGame, UpdateRoomSettings
from rooms.core.phases import ACTIVE, MOVES, PHASES_OF, Phase, move

LEGAL = [(old, new) for old, targets in MOVES.items() for new in targets]


@pytest.mark.parametrize(("old", "new"), [(old, new) for old in Phase for new in Phase])
def test_only_moves_of_the_table_are_made(old: Phase, new: Phase) -> None:
    """An illegal move is our own fault: it raises, and names both phases."""
    if (old, new) in LEGAL:
        assert move(old, new) is new
    else:
        with pytest.raises(ValueError, match=f"from {old.value} to {new.value}"):
            move(old, new)


def test_a_game_runs_from_the_lobby_to_the_podium() -> None:
    """Spec 2.2: lobby, starting, question, results, question ..., finished."""
    way = [
        Phase.LOBBY,
        Phase.STARTING,
        Phase.QUESTION,
        Phase.RESULTS,
        Phase.QUESTION,
        Phase.RESULTS,
        Phase.FINISHED,
    ]
    assert all(step in LEGAL for step in pairwise(way))


def test_every_phase_of_a_game_can_be_stopped_and_restarted() -> None:
    """STOP_GAME leads to the lobby, RESTART_GAME to a new countdown; neither makes sense in the lobby."""
    games = {Phase.STARTING, Phase.QUESTION, Phase.RESULTS, Phase.FINISHED}
    assert PHASES_OF[StopGame] == PHASES_OF[RestartGame] == games
    assert all({Phase.LOBBY, Phase.STARTING} <= MOVES[phase] for phase in games)


def test_other_commands_have_one_phase() -> None:
    """Start and settings: the lobby. Next: results."""
    assert PHASES_OF[StartGame] == PHASES_OF[UpdateRoomSettings] == {Phase.LOBBY}
    assert PHASES_OF[NextQuestion] == {Phase.RESULTS}


def test_a_game_is_active_between_lobby_and_podium() -> None:
    """Spec 2.2."""
    assert {Phase.STARTING, Phase.QUESTION, Phase.RESULTS} == ACTIVE
