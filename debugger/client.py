"""When the web client asks, opens, waits and gives up: policy.js once more, for simulated players.

A simulation needs the client's reconnect machine and there is no JavaScript in it, so this is the one rule
that stands twice. ``tests/debugger/test_client.py`` runs both on the same events and compares every step.
What is only for a page's eyes (states, texts) is left out; what an ending means to a client is read from the
server's own table, ``gateway.core.closing``. Its words and numbers are in ``debugger.phases``.
"""

from typing import assert_never

from debugger.phases import (
    BACKOFF_MS,
    IN_SERIES,
    JOINS_AGAIN,
    NEWS,
    PENALTY_MEMORY_MS,
    PENALTY_MS,
    RESTART_SPAN_MS,
    RESTART_TRIES,
    RESTING,
    SILENCE_MS,
    STALE_TRY_MS,
    STOPS,
    TRIES,
    TRY_LIMIT_MS,
    TRYING,
    Ask,
    Close,
    Closed,
    Connect,
    Connected,
    DropTicket,
    Effect,
    Event,
    Forget,
    Frame,
    Leave,
    Nudge,
    Online,
    Open,
    Opened,
    Phase,
    Place,
    Preflight,
    Restarting,
)
from gateway.core.closing import KICKED, REPLACING_SOCKET, By, Ending, Retry, ending_of


class Policy:
    """The machine; times in milliseconds. Its fields are named as in policy.js and mean the same."""

    def __init__(self) -> None:
        self.phase = Phase.IDLE
        self.id = 0
        self.attempt = 1
        self.limit = TRIES
        self.until: float | None = None
        self.started_at = self.failed_at = self.retry_at = self.connected_at = self.last_frame_at = 0.0
        self.silence_ms: float = SILENCE_MS
        self.restart_at: float | None = None
        self.penalty_at: float | None = None
        self.asks_first = False
        self.room = self.ticket = self.claimed = False
        self._effects: list[Effect] = []

    # ---------- the three verbs

    def apply(self, event: Event, now: float) -> list[Effect]:
        """Something happened; late news of a try that was given up changes nothing."""
        phases = NEWS.get(type(event))
        if phases is None or (getattr(event, "id", None) == self.id and self.phase in phases):
            self._on(event, now)
        return self._flush()

    def wake(self, now: float) -> list[Effect]:
        """Time passed."""
        due = self.deadline()
        if due is not None and now >= due:
            self._due(now)
        return self._flush()

    def deadline(self) -> float | None:
        """The first moment at which `wake` would do something."""
        match self.phase:
            case Phase.WAITING:
                return self.retry_at
            case Phase.OPEN:
                return self.last_frame_at + self.silence_ms
            case Phase.EXPLAINING:
                return self.failed_at + TRY_LIMIT_MS
            case _:
                return self.started_at + TRY_LIMIT_MS if self.phase in TRYING else None

    # ---------- what happens

    def _on(self, event: Event, now: float) -> None:
        match event:
            case Connect():
                self._start(now, by_person=True)
            case Nudge():
                self._nudge(now)
            case Online(online):
                if online:
                    self._nudge(now)
            case Leave(reason):
                self._leave(reason)
            case Place(room, ticket):
                self.room, self.ticket = room, ticket
            case Preflight():
                self._answered(event, now)
            case Opened():
                self.phase = Phase.GREETING
            case Connected(_, silence_ms):
                self._connected(silence_ms, now)
            case Frame():
                self.last_frame_at = now
            case Restarting(_, retry_after_ms):
                self.restart_at = now + retry_after_ms
            case Closed():
                self._closed(event, now)
            case _ as unreachable:
                assert_never(unreachable)

    def _due(self, now: float) -> None:
        if self.phase is Phase.WAITING:
            self._try(now)
            return
        self._abandon(REPLACING_SOCKET)
        if self.phase is Phase.OPEN:
            self._after(REPLACING_SOCKET, 0.0, now)
        else:
            self._failed(self.failed_at if self.phase is Phase.EXPLAINING else now, now)

    def _nudge(self, now: float) -> None:
        if self.phase not in (Phase.IDLE, Phase.ENDED):
            self._start(now, by_person=False)

    def _start(self, now: float, by_person: bool) -> None:
        if self.phase is Phase.OPEN and now - self.last_frame_at < self.silence_ms:
            return
        if self.phase in RESTING:
            self.asks_first = self.asks_first or by_person
        restarting = self.until is not None and self.phase in IN_SERIES
        self._series(now + RESTART_SPAN_MS if restarting else None)
        if self.phase in TRYING and now - self.started_at <= STALE_TRY_MS:
            return
        self._abandon(REPLACING_SOCKET)
        self._try(now)

    def _series(self, until: float | None) -> None:
        self.attempt = 1
        self.until = until
        self.limit = TRIES if until is None else RESTART_TRIES

    def _try(self, now: float) -> None:
        self.id += 1
        self.started_at = now
        self.claimed = self.ticket
        if self.asks_first:
            self._ask(Phase.ASKING)
        else:
            self._open()

    def _ask(self, phase: Phase) -> None:
        self.phase = phase
        self._effects.append(Ask(self.id))

    def _open(self) -> None:
        self.phase = Phase.OPENING
        self._effects.append(Open(self.id))

    def _abandon(self, ending: Ending) -> None:
        if self.phase not in RESTING and self.phase is not Phase.WAITING:
            self._effects.append(Close(ending.code, ending.reason))

    def _leave(self, reason: str) -> None:
        if self.phase is not Phase.IDLE:
            self._abandon(ending_of(1000, reason, By.CLIENT))
            self.phase = Phase.ENDED

    def _answered(self, answer: Preflight, now: float) -> None:
        if answer.outcome == "refused":
            self._refused(answer, now)
        elif self.phase is Phase.EXPLAINING:
            self._failed(self.failed_at, now)
        elif answer.outcome == "unreachable":
            self._failed(now, now)
        else:
            self._open()

    def _refused(self, answer: Preflight, now: float) -> None:
        if answer.code in JOINS_AGAIN and (self.claimed or self.ticket):
            self._join_again(now)
            return
        self.asks_first = True
        if answer.code in STOPS | JOINS_AGAIN:
            self.phase = Phase.STOPPED
        else:
            failed_at = self.failed_at if self.phase is Phase.EXPLAINING else now
            self._failed(failed_at, now + answer.retry_after_ms)

    def _join_again(self, now: float) -> None:
        self.ticket = self.asks_first = False
        self._effects.append(DropTicket())
        self._series(None)
        self._try(now)

    def _connected(self, silence_ms: float, now: float) -> None:
        self.phase = Phase.OPEN
        self.connected_at = self.last_frame_at = now
        self.silence_ms = silence_ms
        self.asks_first = False
        self.restart_at = None

    def _closed(self, closed: Closed, now: float) -> None:
        if self.phase is Phase.OPENING:
            self._upgrade_failed(now)
        else:
            self._after(ending_of(closed.code, closed.reason, By.SERVER), closed.jitter, now)

    def _upgrade_failed(self, now: float) -> None:
        if self.asks_first:
            self._failed(now, now)
        else:
            self.failed_at = now
            self._ask(Phase.EXPLAINING)

    def _after(self, ending: Ending, jitter: float, now: float) -> None:
        if ending.code == KICKED.code:
            self._effects.append(Forget())
        if ending.retry is Retry.STOP:
            self.phase = Phase.ENDED
        elif ending.retry is Retry.JOIN_AGAIN and (self.claimed or self.ticket):
            self._join_again(now)
        elif self.phase is Phase.OPEN and not self.room:
            self.phase = Phase.STOPPED
        elif ending.retry is Retry.ONCE_LATER:
            self._penalty(now)
        elif ending.retry is Retry.AFTER_RESTART or self.restart_at is not None:
            self._restart(jitter, now)
        else:
            self._lost(now)

    # ---------- the schedule

    def _is_settled(self, now: float) -> bool:
        return self.phase is Phase.OPEN and now - self.connected_at >= BACKOFF_MS

    def _lost(self, now: float) -> None:
        if not self._is_settled(now):
            self._failed(now, now)
            return
        self._series(None)
        self._wait(now + BACKOFF_MS)

    def _restart(self, jitter: float, now: float) -> None:
        told = now if self.restart_at is None else self.restart_at
        at = told if told > now else now + jitter * BACKOFF_MS
        if self.until is not None and not self._is_settled(now):
            self._failed(now, at)
            return
        self._series(now + RESTART_SPAN_MS)
        self._wait(at)

    def _penalty(self, now: float) -> None:
        again = self.penalty_at is not None and now - self.penalty_at < PENALTY_MEMORY_MS
        self.penalty_at = now
        if again:
            self.phase = Phase.STOPPED
            return
        self._series(None)
        self.limit = 1
        self._wait(now + PENALTY_MS)

    def _failed(self, failed_at: float, not_before: float) -> None:
        at = max(failed_at + BACKOFF_MS, not_before)
        if self.attempt >= self.limit or (self.until is not None and at > self.until):
            self.phase = Phase.STOPPED
            return
        self.attempt += 1
        self._wait(at)

    def _wait(self, retry_at: float) -> None:
        self.phase = Phase.WAITING
        self.retry_at = retry_at

    def _flush(self) -> list[Effect]:
        effects, self._effects = self._effects, []
        return effects
