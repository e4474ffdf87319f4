"""What a team needs to test its own game on the gateway, with neither network nor waiting.

`check_game` proves that a game keeps the contract; the fakes are for tests of its rules. All of it is public
API. docs/second-game.md shows its use.
"""

from gateway.testing.conformance import GameCase, check_game
from gateway.testing.fakes import FakeSockets, RecordingPort, SeededDraw, Sent, VirtualClock, VirtualTimer

__all__ = [
    "FakeSockets",
    "GameCase",
    "RecordingPort",
    "SeededDraw",
    "Sent",
    "VirtualClock",
    "VirtualTimer",
    "check_game",
]
