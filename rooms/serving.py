"""The quiz as ``settings.ROOMS`` wants it: the factory that a project's ``asgi.py`` hands to the gateway."""

from gateway.alarm import Clock
from gateway.contract import Sockets
from rooms.archive import archive
from rooms.questions import sources
from rooms.recorder import recorder
from rooms.service import QuizGame
from rooms.snapshots.keeper import keeper


def quiz(sockets: Sockets, clock: Clock) -> QuizGame:
    """A quiz whose games are stored, whose rooms are recorded for the debugger and outlive a restart."""
    sources.preload()
    return QuizGame(sockets, clock, archive=archive, recorder=recorder(), keeper=keeper(clock))
