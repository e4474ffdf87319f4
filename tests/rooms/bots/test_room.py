"""A room built of a snapshot and of what was told since equals a fresh snapshot, part by part (spec 3).

The frames are those of the real room: it plays, and a bot's view listens in.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from gateway.core.closing import USER_DISCONNECTED
from rooms.bots.room import Frame, RoomView
from rooms.core import view
from rooms.core.rules import SLOT_S
from rooms.core.shapes import Avatar
from tests.rooms.core.kit import Player, Table


def on_the_wire(event: msgspec.Struct) -> Frame:
    frame: Frame = msgspec.json.decode(msgspec.json.encode(event))
    return frame


class Listener:
    """What one player hears, as a bot believes it; it may be deaf for frames of one type."""

    def __init__(self, player: Player, deaf_for: str = "") -> None:
        self.player = player
        self._deaf_for = deaf_for
        self._heard = len(player.seen)
        self.room = self._fresh()

    def strays(self) -> list[str]:
        """Where it has left the room behind, once all news is told."""
        self.player.table.after(SLOT_S)
        for frame in map(on_the_wire, self.player.seen[self._heard :]):
            if frame["type"] != self._deaf_for:
                self.room.receive(frame)
        self._heard = len(self.player.seen)
        return self.room.differs_from(self._fresh())

    def _fresh(self) -> RoomView:
        table = self.player.table
        return RoomView.of(on_the_wire(view.snapshot(table.room, table.now)))


def a_table(**settings: Any) -> Table:
    """Ana hosts, Ben and Cleo play."""
    table = Table()
    table.ana = table.hosted_by("Ana", **settings)
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.after(SLOT_S)
    return table


def steps(table: Table) -> Iterator[str]:
    """A room's life, told after each thing that a snapshot shows."""
    yield "nothing"
    table.player("Dia").joins()
    yield "somebody new"
    table.ana.sets(scoring="order", question_count=3)
    yield "other settings"
    table.cleo.wears(Avatar("fox", 2))
    yield "another face"
    table.ana.starts()
    yield "the countdown"
    table.after(3)
    yield "a question"
    table.ben.answers("a")
    table.cleo.drops()
    yield "somebody in grace"
    table.after(15)
    yield "results, and one who is lost"
    table.after(5)
    yield "the second question"
    table.ana.drops(USER_DISCONNECTED)
    yield "another host"
    table.after(15 + 5 + 15 + 5)
    yield "the podium"
    table.ben.restarts()
    yield "a second game"
    table.after(3)
    table.ben.stops()
    yield "back in the lobby"


@pytest.mark.parametrize("auto_advance", [True, False])
def test_a_view_is_a_fresh_snapshot_after_all_that_it_was_told(auto_advance: bool) -> None:
    """Settings, phase, host, members, question, results and podium, with a clock or without."""
    table = a_table(auto_advance=auto_advance)
    bot = Listener(table.ben)
    assert {step: found for step in steps(table) if (found := bot.strays())} == {}


@pytest.mark.parametrize(
    ("deaf_for", "part"),
    [
        ("MEMBERS", "members"),
        ("HOST_CHANGED", "members"),
        ("ROOM_SETTINGS", "settings"),
        ("GAME_STARTING", "phase"),
        ("NEW_QUESTION", "question"),
        ("QUESTION_RESULTS", "results"),
        ("GAME_FINISHED", "finished"),
        ("GAME_STOPPED", "phase"),
    ],
)
def test_a_frame_that_is_missed_shows_in_the_comparison(deaf_for: str, part: str) -> None:
    """Else the comparison would prove nothing about it."""
    table = a_table()
    bot = Listener(table.ben, deaf_for)
    found = [stray for _ in steps(table) for stray in bot.strays()]
    assert any(stray.startswith(part) for stray in found), found


def test_of_members_it_is_said_who_differs() -> None:
    """A room of forty is not searched by eye."""
    bot = Listener(a_table().ben)
    (cleo,) = [member for member in bot.room.members.values() if member["name"] == "Cleo"]
    cleo["score"] = 5
    assert bot.strays() == [f"members {cleo['userId']}"]
