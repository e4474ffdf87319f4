"""Seats: places that outlive their sockets, their standing, and who holds them (spec 2.1, 2.3).

A seat compares connection ids: only the connection that holds it can free it. Nothing here sends anything;
what the others are told is decided in ``rooms.core.entering``.
"""

import hmac
from collections.abc import Iterable
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from gateway.contract import ConnId
from gateway.core.machine import earliest
from rooms.core.rules import BANS_MAX, DEPARTED_MAX, DEPARTED_PER_ACCOUNT, DEPARTED_S
from rooms.core.shapes import Avatar, Banned, Breakdown


class Standing(Enum):
    CONNECTED = "connected"
    """A live socket holds it."""
    GRACE = "grace"
    """Its socket is gone; it is held until ``until``."""
    DEPARTED = "departed"
    """Evicted, and remembered: `JOIN_ROOM` brings it back under a new id."""


MOVES: Final[dict[Standing, frozenset[Standing]]] = {
    # Connected again: another socket took the seat over.
    Standing.CONNECTED: frozenset({Standing.CONNECTED, Standing.GRACE, Standing.DEPARTED}),
    Standing.GRACE: frozenset({Standing.CONNECTED, Standing.DEPARTED}),
    Standing.DEPARTED: frozenset({Standing.CONNECTED}),
}


class Given(Struct, frozen=True):
    """An answer to the running question. ``place`` counts its answers from 0, as they arrived."""

    question_id: str
    choices: tuple[str, ...]
    place: int
    response_s: float
    lag_credit_s: float


class Graded(Struct, frozen=True):
    """An answer to a closed question and what it brought."""

    question_id: str
    question_index: int
    choices: tuple[str, ...]
    correct: bool
    points: int
    breakdown: Breakdown


class Ban(Struct, frozen=True):
    """An account that may not come back, and how its seat looked: the host must know whom to forgive."""

    account: str
    name: str
    avatar: Avatar


class Seat(Struct):
    """One place in a room. ``presents`` marks the creator's own, which plays only with ``hostPlays`` on.

    ``lags`` is whether its line was slow when it was measured last.
    """

    id: str
    account: str
    client_id: str | None
    token_hash: str
    name: str
    name_key: str
    avatar: Avatar
    join_order: int
    conn_id: ConnId | None
    presents: bool = False
    lags: bool = False
    standing: Standing = Standing.CONNECTED
    until: float | None = None
    first_question: int = 0
    score: int = 0
    streak: int = 0
    given: Given | None = None
    graded: list[Graded] = field(default_factory=list)

    def become(self, standing: Standing, conn_id: ConnId | None, until: float | None) -> None:
        if standing not in MOVES[self.standing]:
            raise ValueError(f"seat {self.id} can't be {standing.value}: it is {self.standing.value}")
        self.standing, self.conn_id, self.until = standing, conn_id, until

    def clear(self) -> None:
        """Nothing of the last game is left."""
        self.first_question = self.score = self.streak = 0
        self.given = None
        self.graded = []

    def has_answered(self, question_id: str) -> bool:
        running = self.given is not None and self.given.question_id == question_id
        return running or any(graded.question_id == question_id for graded in self.graded)

    @property
    def right_answers(self) -> int:
        return sum(graded.correct for graded in self.graded)


class Seats(Struct):
    """All seats of a room. ``here`` are its members in the order in which they joined.

    ``holders`` says which live connection holds which seat, ``bans`` who was banned by which seat's
    id; ``next_hold`` is when the first hold of a member runs out: it is asked for after each input.
    """

    here: dict[str, Seat] = field(default_factory=dict)
    departed: dict[str, Seat] = field(default_factory=dict)
    holders: dict[ConnId, str] = field(default_factory=dict)
    bans: dict[str, Ban] = field(default_factory=dict)
    joined: int = 0
    next_hold: float | None = None

    # ---------- looking

    def held_by(self, conn_id: ConnId) -> Seat | None:
        seat_id = self.holders.get(conn_id)
        return self.here[seat_id] if seat_id is not None else None

    def find(self, seat_id: str) -> Seat | None:
        return self.here.get(seat_id) or self.departed.get(seat_id)

    def all(self) -> tuple[Seat, ...]:
        return (*self.here.values(), *self.departed.values())

    def name_keys(self) -> frozenset[str]:
        """Departed names stay taken: their owners may return."""
        return frozenset(seat.name_key for seat in self.all())

    def waiting_for(self, account: str, client_id: str | None) -> Seat | None:
        """The seat of this account and tab without a live socket: held ones first, then the last departed."""
        if client_id is None:
            return None
        seats = (*self.here.values(), *reversed(self.departed.values()))
        mine = (seat for seat in seats if seat.account == account and seat.client_id == client_id)
        return next((seat for seat in mine if seat.standing is not Standing.CONNECTED), None)

    def opens(self, seat_id: str, token_hash: str, account: str) -> Seat | None:
        """The seat that this ticket opens. Takes as long for a wrong token as for the right one."""
        seat = self.here.get(seat_id)
        known = seat.token_hash if seat is not None else ""
        same = hmac.compare_digest(known.encode(), token_hash.encode())
        return seat if seat is not None and same and seat.account == account else None

    def forged(self, seat_id: str, token_hash: str) -> Seat | None:
        """The seat that a wrong token is shown for."""
        seat = self.here.get(seat_id)
        known = seat.token_hash if seat is not None else ""
        return None if hmac.compare_digest(known.encode(), token_hash.encode()) else seat

    def is_banned(self, account: str) -> bool:
        return any(ban.account == account for ban in self.bans.values())

    def banned(self) -> tuple[Banned, ...]:
        """Each banned account once, as its last seat looked."""
        last = {ban.account: Banned(seat_id, ban.name, ban.avatar) for seat_id, ban in self.bans.items()}
        return tuple(last.values())

    def due(self, remembering: bool) -> float | None:
        """When the first hold runs out; ``remembering`` keeps departed seats for as long as that is so."""
        first_gone = next(iter(self.departed.values()), None)
        if remembering or first_gone is None:
            return self.next_hold
        return earliest((self.next_hold, first_gone.until))

    def overdue(self, now: float) -> list[Seat]:
        """The members whose hold has run out."""
        return [seat for seat in self.here.values() if seat.until is not None and seat.until <= now]

    # ---------- changing

    def add(self, seat: Seat, conn_id: ConnId) -> None:
        """A new seat, held by a live connection."""
        self.here[seat.id] = seat
        self.holders[conn_id] = seat.id
        self.joined += 1

    def attach(self, seat: Seat, conn_id: ConnId, client_id: str | None) -> ConnId | None:
        """The connection holds the seat from now on. Returns the live one that held it until now."""
        old = seat.conn_id
        if old is not None:
            del self.holders[old]
        seat.become(Standing.CONNECTED, conn_id, None)
        seat.client_id = client_id or seat.client_id
        self.holders[conn_id] = seat.id
        self._find_next_hold()
        return old

    def hold(self, seat: Seat, until: float) -> None:
        """The seat's socket is gone; the seat waits."""
        self._let_go(seat)
        seat.become(Standing.GRACE, None, until)
        self._find_next_hold()

    def depart(self, seat: Seat, now: float) -> None:
        """The seat is no member any more, and remembered (spec 2.3)."""
        self._let_go(seat)
        del self.here[seat.id]
        seat.become(Standing.DEPARTED, None, now + DEPARTED_S)
        # Always at the end, so that the first of them is the first to be forgotten.
        self.departed[seat.id] = seat
        of_account = [other.id for other in self.departed.values() if other.account == seat.account]
        for seat_id in of_account[:-DEPARTED_PER_ACCOUNT] or list(self.departed)[:-DEPARTED_MAX]:
            del self.departed[seat_id]
        self._find_next_hold()

    def bring_back(self, seat: Seat, seat_id: str) -> None:
        """A departed seat is a member again, under a new id, in its old place of the order; now attach it."""
        del self.departed[seat.id]
        seat.id = seat_id
        members = sorted((*self.here.values(), seat), key=lambda member: member.join_order)
        self.here = {member.id: member for member in members}

    def remove(self, seat: Seat) -> None:
        """The seat is gone for good."""
        self._let_go(seat)
        self.here.pop(seat.id, None)
        self.departed.pop(seat.id, None)
        self._find_next_hold()

    def forget(self, now: float) -> None:
        """Departed seats whose time is over go."""
        over = [seat.id for seat in self.departed.values() if seat.until is not None and seat.until <= now]
        for seat_id in over:
            del self.departed[seat_id]

    def give_back(self, lost_s: float, at_least: float) -> None:
        """We stood still: holds run on by ``lost_s``, none ends before ``at_least``."""
        for seat in self.here.values():
            if seat.until is not None:
                seat.until = max(seat.until + lost_s, at_least)
        self._find_next_hold()

    def hold_all(self, until: float) -> None:
        """The sockets are those of a process that is no more: every member is waited for."""
        for seat in self.here.values():
            if seat.standing is Standing.CONNECTED:
                self._let_go(seat)
                seat.become(Standing.GRACE, None, until)
            else:
                seat.until = until
        self._find_next_hold()

    def ban(self, seats: Iterable[Seat]) -> None:
        """Their accounts may not come back."""
        self.bans |= {seat.id: Ban(seat.account, seat.name, seat.avatar) for seat in seats}
        for seat_id in list(self.bans)[:-BANS_MAX]:
            del self.bans[seat_id]

    def unban(self, account: str) -> None:
        self.bans = {seat_id: ban for seat_id, ban in self.bans.items() if ban.account != account}

    def move_account(self, old: str, new: str) -> None:
        for seat in self.all():
            if seat.account == old:
                seat.account = new
        self.bans = {
            seat_id: replace(ban, account=new) if ban.account == old else ban
            for seat_id, ban in self.bans.items()
        }

    def _let_go(self, seat: Seat) -> None:
        if seat.conn_id is not None:
            del self.holders[seat.conn_id]

    def _find_next_hold(self) -> None:
        self.next_hold = earliest(seat.until for seat in self.here.values())
