"""The one thread that writes snapshots: the loop hands a round over and never waits for a disk or a network.

A store that fails costs a line in the log when that begins and one when it ends, and no game anything.
"""

import logging
import threading
from collections.abc import Mapping

from msgspec import Struct

from rooms.snapshots import Store

log = logging.getLogger("rooms.snapshots")


class Counts(Struct):
    """Rounds of this process: those that are safe, and those that failed."""

    written: int = 0
    failures: int = 0


class Writer:
    """One round at a time: ask `busy` first."""

    def __init__(self, store: Store) -> None:
        self.counts = Counts()
        self.failing = False
        self._store = store
        self._round: tuple[bytes, Mapping[str, bytes]] | None = None
        self._handed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a round is on its way."""
        return self._round is not None

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        """Write this soon; ``rooms`` is not to be changed any more."""
        self._round = head, rooms
        if self._thread is None:
            # A daemon: a disk that hangs must not keep the process.
            self._thread = threading.Thread(target=self._work, name="rooms-snapshots", daemon=True)
            self._thread.start()
        self._handed.set()

    def _work(self) -> None:
        while True:
            self._handed.wait()
            self._handed.clear()
            if self._round is not None:
                self._write(*self._round)
                self._round = None

    def _write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        try:
            self._store.write(head, rooms)
        except Exception as error:
            self.counts.failures += 1
            if not self.failing:
                log.error("live rooms can't be saved to %s: %s", self._store.name, error)
            self.failing = True
        else:
            self.counts.written += 1
            if self.failing:
                log.warning("live rooms are saved again to %s", self._store.name)
            self.failing = False
