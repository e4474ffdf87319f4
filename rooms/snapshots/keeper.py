"""Keeps live rooms for the next process: a round every moment, one for all when this process stops.

On the loop, on the game's clock: rooms become bytes here, a few a turn, and the writer's thread does what
waits. Which rooms are due is decided in ``rooms.core.saving``, what is in the bytes in
``rooms.core.snapshot``.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

from gateway.alarm import Clock
from gateway.lock import database_digest
from rooms import conf
from rooms.core import snapshot
from rooms.core.recording import Recorded, Recorder
from rooms.core.room import Room
from rooms.core.saving import ROUND_S, Saving
from rooms.snapshots import Store, store_at
from rooms.snapshots.writer import Counts, Writer

log = logging.getLogger("rooms.snapshots")

ROOMS_A_TURN: Final = 10
"""Packing a full room takes a third of a millisecond: frames wait for no more than a few of those."""
LAST_ROOMS_A_TURN: Final = 2
"""Of the last round: a room's recording takes longer than the room."""
LAST_ROUND_S: Final = 3.0
"""Seconds that the last round may take; a stop has 10 (spec 4.4), sockets and records need some of them."""
TAPES_S: Final = 1.0
"""Seconds of the last round that recordings may cost: rooms go first."""
LOOK_S: Final = 0.02
"""Seconds between two looks whether the last round is written."""


def keeper(clock: Clock) -> "Keeper | None":
    """A keeper as the settings want it; None if they want none."""
    keys = conf.config()
    if keys.snapshot_store is None:
        return None
    store = store_at(keys.snapshot_store, database_digest(), keys.snapshot_max_age_s)
    return Keeper(store, clock, keys.snapshot_max_age_s)


class Writes(Protocol):
    """What the keeper needs of its writer (`rooms.snapshots.writer.Writer`)."""

    counts: Counts
    failing: bool

    @property
    def busy(self) -> bool: ...

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None: ...


class Keeper:
    """Of one process; nothing is written before `start`. ``wall`` is the time of day, for the age alone."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        max_age_s: float,
        writer: Writes | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._clock = clock
        self._max_age_s = max_age_s
        self._writer = writer or Writer(store)
        self._wall = wall
        self._saving = Saving()
        self._packers: dict[str, snapshot.Packer] = {}
        self._packed: dict[str, bytes] = {}
        self._news = False
        self._rooms: Mapping[str, Room] = {}
        self._stopped = True

    @property
    def counts(self) -> Counts:
        """What became of the rounds so far."""
        return self._writer.counts

    # ---------- what the process before left

    def restore(self, now: float) -> list[snapshot.Saved]:
        """Its rooms, as if no time had passed since; a snapshot that is of no use is named in the log."""
        try:
            found = self._store.read()
            return [] if found is None else self._unpack(snapshot.unpack_head(found[0]), found[1], now)
        except (snapshot.UnknownVersionError, snapshot.UnreadableError) as error:
            self._refuse(error)
        except Exception:
            log.exception("saved rooms can't be read from %s", self._store.name)
        return []

    def _refuse(self, error: Exception) -> None:
        """Whoever goes back to the other version will want it: the next round must not take its place."""
        try:
            aside = self._store.set_aside()
        except Exception as trouble:
            aside = f"nothing ({trouble})"
        log.error("saved rooms are refused: %s: %s; kept as %s", self._store.name, error, aside)

    def _unpack(self, head: snapshot.Head, rooms: Mapping[str, bytes], now: float) -> list[snapshot.Saved]:
        age_s = self._wall() - head.wall
        if age_s > self._max_age_s:
            log.warning("saved rooms are too old: %s is of %.0f s ago", self._store.name, age_s)
            self._store.write(b"", {})
            return []
        return list(self._readable(head, rooms, now))

    def _readable(
        self, head: snapshot.Head, rooms: Mapping[str, bytes], now: float
    ) -> Iterator[snapshot.Saved]:
        for room_id, data in rooms.items():
            try:
                yield snapshot.unpack(data, head, now)
            except snapshot.UnreadableError as error:
                log.error("a saved room is lost: %s", error, extra={"room": room_id})

    # ---------- rounds

    def start(self, rooms: Mapping[str, Room]) -> None:
        """Save these rooms, whichever they are by then, from now on."""
        self._rooms = rooms
        self._stopped = False
        self._clock.call_later(ROUND_S, self._round)

    def note(self, room_id: str) -> None:
        """Something happened to the room."""
        self._saving.changed.add(room_id)

    def forget(self, room_id: str) -> None:
        """The room is over."""
        self._saving.forget(room_id)
        self._packers.pop(room_id, None)
        self._news |= self._packed.pop(room_id, None) is not None

    def _round(self) -> None:
        if self._stopped:
            return
        self._clock.call_later(ROUND_S, self._round)
        if not self._writer.busy:
            self._pack([room.id for room in self._saving.due(self._rooms, self._clock.now())])

    def _pack(self, room_ids: list[str]) -> None:
        if self._stopped:
            return
        now = self._clock.now()
        for room_id in room_ids[:ROOMS_A_TURN]:
            if room_id in self._rooms:
                self._save(self._rooms[room_id], now)
        if rest := room_ids[ROOMS_A_TURN:]:
            self._clock.call_later(0.0, lambda: self._pack(rest))
        elif not self._writer.busy and (self._news or self._writer.failing or self._saving.is_stale(now)):
            self._write(now)

    def _save(self, room: Room, now: float, tape: Recorded | None = None) -> None:
        packer = self._packers.setdefault(room.id, snapshot.Packer())
        self._packed[room.id] = packer.pack(room, now, tape)
        self._saving.save(room, now)
        self._news = True

    def _write(self, now: float) -> None:
        self._writer.write(snapshot.pack_head(now, self._wall()), dict(self._packed))
        self._saving.written_at = now
        self._news = False

    # ---------- the last round

    def stop(self, recorder: Recorder | None, done: Callable[[], None]) -> None:
        """All rooms as they are now, with their recordings; then ``done``, whether it worked or not."""
        if self._stopped:
            done()
            return
        self._stopped = True
        self._pack_last(list(self._rooms.values()), recorder, self._clock.now(), done)

    def _pack_last(
        self, rooms: list[Room], recorder: Recorder | None, began: float, done: Callable[[], None]
    ) -> None:
        """All stand still as they were when it began; with its recording, a room or two are a turn's work."""
        for room in rooms[:LAST_ROOMS_A_TURN]:
            late = self._clock.now() - began > TAPES_S
            self._save(room, began, None if recorder is None or late else recorder.take(room.id))
        if rest := rooms[LAST_ROOMS_A_TURN:]:
            self._clock.call_later(0.0, lambda: self._pack_last(rest, recorder, began, done))
        else:
            self._finish(done, began + LAST_ROUND_S)

    def _finish(self, done: Callable[[], None], until: float) -> None:
        now = self._clock.now()
        if now >= until:
            log.error("live rooms were not saved in time to %s", self._store.name)
            done()
        elif self._writer.busy:
            self._clock.call_later(LOOK_S, lambda: self._finish(done, until))
        elif self._news:
            self._write(now)
            self._clock.call_later(LOOK_S, lambda: self._finish(done, until))
        else:
            if not self._writer.failing:
                log.info("live rooms saved", extra={"rooms": len(self._packed)})
            done()
