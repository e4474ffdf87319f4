"""What of live rooms outlives the moment: recordings for the debugger, snapshots for the next process, games
for the archive. Each may be missing, and then it is not kept.

A front for ``rooms.recorder``, ``rooms.snapshots`` and ``rooms.archive``, so that the game's shell needs to
know none of them.
"""

from collections.abc import Callable, Iterator, Mapping

from rooms.archive import Archive
from rooms.core.effects import Input
from rooms.core.recording import Recorder
from rooms.core.report import GameReport
from rooms.core.room import Room
from rooms.snapshots.keeper import Keeper


class Keeping:
    """All three of one process."""

    def __init__(self, archive: Archive | None, recorder: Recorder | None, keeper: Keeper | None) -> None:
        self.archive = archive
        self.recorder = recorder
        self.keeper = keeper

    def restored(self, now: float) -> Iterator[Room]:
        """The rooms of the process before, as it left them; their recordings go on."""
        for saved in self.keeper.restore(now) if self.keeper is not None else ():
            if self.recorder is not None and saved.tape is not None:
                self.recorder.go_on(saved.room, saved.tape)
            yield saved.room

    def start(self, rooms: Mapping[str, Room]) -> None:
        """Save these rooms from now on, whichever they are by then."""
        if self.keeper is not None:
            self.keeper.start(rooms)

    def note(self, room: Room, event: Input | None, now: float) -> None:
        """This has just happened to the room; None is a wake."""
        if self.recorder is not None:
            self.recorder.note(room, event, now)
        if self.keeper is not None:
            self.keeper.note(room.id)

    def store(self, report: GameReport) -> None:
        """A game is over."""
        if self.archive is not None:
            self.archive.keep(report)

    def forget(self, room_id: str) -> None:
        """The room is over."""
        if self.recorder is not None:
            self.recorder.forget(room_id)
        if self.keeper is not None:
            self.keeper.forget(room_id)

    def hurry(self) -> None:
        """The process is about to stop."""
        if self.archive is not None:
            self.archive.hurry()

    def stop(self, done: Callable[[], None]) -> None:
        """Save all rooms a last time, then call ``done``."""
        if self.keeper is None:
            done()
        else:
            self.keeper.stop(self.recorder, done)
