"""Where games wait to be stored: the live rooms hand them over without waiting, one thread stores them.

A store that fails or hangs holds up this thread and nothing else: a game is tried again after growing pauses
until it is stored, and what waits is bounded. `Backlog` decides, `Archive` has the thread and the clock. The
rows are made in ``rooms.records``.
"""

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import DataError, Error, IntegrityError, connections
from django.utils import timezone
from msgspec import Struct, field

from rooms.core.report import GameReport
from rooms.models import GameRecord
from rooms.records import store
from rooms.signals import game_finished

log = logging.getLogger("rooms.archive")

FIRST_PAUSE_S: Final = 0.5
"""After a first failure: a writer that held SQLite's lock for too long is gone by then."""
LONGEST_PAUSE_S: Final = 60.0
"""Pauses double up to this: a database that is back is found within a minute."""
MAX_WAITING_ANSWERS: Final = 200_000
"""About 110 MB (an answer with its share of the game is 570 bytes): 870 games of 20 players and 10 questions,
nearly all rooms of a full server.
"""
TRIES_OF_A_BAD_GAME: Final = 3
"""A game that the store refuses for what it holds is not worth more, and the rest is waiting."""
STOP_S: Final = 3.0
"""What a stopping process gives the games that wait; the whole stop has 10 s (spec 4.4)."""

Store = Callable[[GameReport, datetime], GameRecord | None]


class Waiting(Struct):
    """A game that is to be stored. ``tries`` are those that failed."""

    report: GameReport
    ended_at: datetime
    tries: int = 0


class Counts(Struct):
    """What became of the games of this process. ``failures`` counts tries, the others games."""

    stored: int = 0
    failures: int = 0
    lost: int = 0


class Backlog(Struct):
    """The games that wait, in order, and until when they all wait after a failure. Plain data, no lock."""

    max_answers: int = MAX_WAITING_ANSWERS
    closed: bool = False
    games: deque[Waiting] = field(default_factory=deque)
    answers: int = 0
    failures_in_a_row: int = 0
    resume_at: float = 0.0
    counts: Counts = field(default_factory=Counts)

    def put(self, waiting: Waiting) -> bool:
        """Take one more game, unless it would be too much: those that wait already were promised."""
        weight = _weight(waiting)
        if self.closed or (self.games and self.answers + weight > self.max_answers):
            self.counts.lost += 1
            return False
        self.games.append(waiting)
        self.answers += weight
        return True

    def due(self, now: float) -> Waiting | None:
        """The game to try now; it stays in the backlog until `stored` or `failed` says what became of it."""
        return self.games[0] if self.games and self.resume_at <= now else None

    def stored(self) -> None:
        """The first game is safe."""
        self._take()
        self.failures_in_a_row = 0
        self.counts.stored += 1

    def failed(self, hopeless: bool, now: float) -> bool:
        """The first game could not be stored; False if it never will be.

        It goes to the end, so that a game which is at fault itself does not hold up the others.
        """
        waiting = self._take()
        waiting.tries += 1
        self.counts.failures += 1
        pause = min(FIRST_PAUSE_S * 2**self.failures_in_a_row, LONGEST_PAUSE_S)
        self.failures_in_a_row += 1
        self.resume_at = now + pause
        if hopeless and waiting.tries >= TRIES_OF_A_BAD_GAME:
            self.counts.lost += 1
            return False
        self.games.append(waiting)
        self.answers += _weight(waiting)
        return True

    def hurry(self) -> None:
        """Try again at once, and start over with the shortest pause."""
        self.failures_in_a_row = 0
        self.resume_at = 0.0

    def _take(self) -> Waiting:
        waiting = self.games.popleft()
        self.answers -= _weight(waiting)
        return waiting


class Archive:
    """The one queue of a process and its one thread, which starts with the first game."""

    def __init__(self, store: Store = store, backlog: Backlog | None = None) -> None:
        self._store = store
        self._backlog = backlog or Backlog()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False

    # ---------- on the loop: nothing here waits or raises

    def keep(self, report: GameReport) -> None:
        """Store this game, soon. A game that can't even wait is lost, counted and logged."""
        waiting = Waiting(report, timezone.now())
        with self._changed:
            if not self._backlog.put(waiting):
                facts = {"game": report.game_id, "waiting": len(self._backlog.games)}
                log.error("game lost: no more can wait to be stored", extra=facts)
                return
            self._start()
            self._changed.notify_all()

    def hurry(self) -> None:
        """The process is about to stop: no more pauses."""
        with self._changed:
            self._backlog.hurry()
            self._changed.notify_all()

    # ---------- from any thread

    @property
    def counts(self) -> Counts:
        """What became of the games so far."""
        return self._backlog.counts

    def waiting(self) -> tuple[GameReport, ...]:
        """The games that are not stored yet."""
        with self._changed:
            return tuple(waiting.report for waiting in self._backlog.games)

    def flush(self, timeout_s: float) -> bool:
        """Wait until every game is stored and told of, at most this long; false if some still wait."""
        self.hurry()
        with self._changed:
            self._changed.wait_for(self._is_done, timeout_s)
            return not self._backlog.games

    def close(self, timeout_s: float = STOP_S) -> None:
        """Store what can be stored in this time, and end the thread; what is left is lost, and named."""
        if self._backlog.closed:
            return
        deadline = time.monotonic() + timeout_s
        self.flush(timeout_s)
        with self._changed:
            self._backlog.closed = True
            self._changed.notify_all()
        for report in self.waiting():
            self.counts.lost += 1
            log.error("game lost: it could not be stored in time", extra={"game": report.game_id})
        if self._thread is not None:
            # One that hangs in the store is a daemon: it ends with the process.
            self._thread.join(max(0.0, deadline - time.monotonic()))
        atexit.unregister(self.close)

    # ---------- the thread

    def _is_done(self) -> bool:
        return not self._busy and (self._backlog.closed or not self._backlog.games)

    def _start(self) -> None:
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._work, name="rooms-archive", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            log.exception("games wait: the thread that stores them can't start")  # the next game tries again
            return
        self._thread = thread
        # After the loop has ended, whichever server ran it.
        atexit.register(self.close)

    def _work(self) -> None:
        while (waiting := self._next()) is not None:
            self._try(waiting)
            try:
                # None is kept through the hours between two games: it would be stale by then.
                connections.close_all()
            except Exception:
                log.exception("a connection to the database did not close")  # Django has forgotten it

    def _next(self) -> Waiting | None:
        """Wait for a game that may be tried; None when there will be none."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            while not self._backlog.closed:
                now = time.monotonic()
                if (waiting := self._backlog.due(now)) is not None:
                    self._busy = True
                    return waiting
                self._changed.wait(self._backlog.resume_at - now if self._backlog.games else None)
        return None

    def _try(self, waiting: Waiting) -> None:
        try:
            record = self._store(waiting.report, waiting.ended_at)
        except Exception as error:
            self._failed(waiting, error)
            return
        with self._changed:
            self._backlog.stored()
        log.info("game stored", extra={"game": waiting.report.game_id, "again": record is None})
        if record is not None:
            game_finished.send_robust(GameRecord, game=record)

    def _failed(self, waiting: Waiting, error: Exception) -> None:
        with self._changed:
            kept = self._backlog.failed(_is_hopeless(error), time.monotonic())
        facts = {"game": waiting.report.game_id, "tries": waiting.tries, "waiting": len(self._backlog.games)}
        if kept:
            log.warning("game not stored yet: %s", type(error).__name__, extra=facts)
        else:
            log.error("game lost: the store refuses it", extra=facts, exc_info=error)


def _weight(waiting: Waiting) -> int:
    """A game without answers still holds its questions and players."""
    return len(waiting.report.answers) + len(waiting.report.players) + len(waiting.report.questions)


def _is_hopeless(error: Exception) -> bool:
    """It is the game's own fault, not that of a store which is away for a while."""
    return isinstance(error, IntegrityError | DataError) or not isinstance(error, Error | OSError)


archive: Final = Archive()
"""The archive of this process; it has no thread before the first game is over."""
