"""How a room goes on in a new process (spec 2.3): its members are waited for, its game's clock stands still.

What is saved and how it is read back is in ``rooms.core.snapshot``; how members come back, each on its own,
is in ``rooms.core.entering``.
"""

from rooms.core import hosting
from rooms.core.effects import LoadQuestions, Send
from rooms.core.entering import state_for
from rooms.core.phases import Phase
from rooms.core.roster import News
from rooms.core.rules import RESTART_HOLD_S, RESTART_PAUSE_S
from rooms.core.state import Effects, Pause, RoomData


def restored(room: RoomData, now: float) -> Effects:
    """All seats are held from now on, those in grace anew. What waited to be told is in every full state."""
    room.watchers, room.news = {}, News()
    room.seats.hold_all(now + RESTART_HOLD_S)
    _end_pause(room, now)
    if room.active and room.seats.here:
        room.pause = Pause(now, now + RESTART_PAUSE_S)
    game = room.game
    if game is not None and room.active and not game.questions:
        # Whoever was drawing them is gone.
        yield LoadQuestions(game.id, room.settings.question_source, room.settings.question_count, game.seed)


def go_on(room: RoomData, now: float) -> Effects:
    """Everybody is back, or was waited for long enough: the clock runs, and those who are here are told.

    Each had been told what was left when it came, and has counted down since.
    """
    _end_pause(room, now)
    if room.phase is Phase.QUESTION:
        room.news.add_progress(now)
    if room.until is None:
        return
    for conn_id in room.everyone:
        yield Send((conn_id,), state_for(room, room.seats.held_by(conn_id), now))
    yield from hosting.brief(room)


def _end_pause(room: RoomData, now: float) -> None:
    """The time that the clock stood still was no part of the game."""
    stood_s = now - room.clock(now)
    room.pause = None
    if room.until is not None:
        room.until += stood_s
    if room.game is not None:
        room.game.shift(stood_s)
