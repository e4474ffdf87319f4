"""Who misbehaves so often as to be shut out: 20 strikes in 10 minutes bring 15 minutes (spec 4.3).

Counts and judges, shuts out nobody itself: that is ``gateway.core.guard``. An account is judged first and
alone. An address is judged only when nobody innocent shares it, and every doubt is in its favour: what was
forgotten, what is crowded and what can't be known counts as innocence. All tables are bounded.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final

from msgspec import Struct, field

from gateway.contract import ConnId

LIMIT: Final = 20
WINDOW_S: Final = 600.0
SENTENCE_S: Final = 900.0
"""The three of spec 4.3."""
SETTLED_S: Final = 60.0
"""Whose socket lived so long is somebody who plays: sustained abuse ends one within 30 s (spec 1.6). A broken
page that strikes in a whole classroom does so to players who are settled."""
CROWD: Final = 10
"""So many accounts at one address at once are a house full of people, whatever they all do."""
WITNESSES: Final = 16
"""Innocent accounts that are remembered after they left an address; more of them are a crowd, too."""
MAX_ACCOUNTS: Final = 10_000
MAX_ADDRESSES: Final = 10_000
"""Records kept beyond those of open sockets: about 10 MB when an attacker fills both tables."""
LOOKS: Final = 2
"""Old records looked at when a new one may come: dead ones don't pile up, and nothing is ever scanned."""


class What(Enum):
    """What was done."""

    WRONG_TOKEN = "wrong token"
    CLOSED_1008 = "close 1008"


class Strike(Struct, frozen=True):
    """``address`` is where it came from; ``place`` the address (IPv6: /64) that it counts against, if any."""

    at: float
    what: What
    account: str
    address: str
    place: str | None


class Sentence(Struct, frozen=True):
    """``value`` (an account, an address or a /64) is to be shut out until then, for these strikes."""

    value: str
    until: float
    strikes: tuple[Strike, ...]


class Record(Struct):
    """The last strikes of one account or address; those up to the last sentence have been paid for."""

    strikes: list[Strike] = []
    paid: float | None = None

    def add(self, strike: Strike) -> None:
        """One more; beyond the limit older ones change nothing."""
        self.strikes = [*self.recent(strike.at), strike][-LIMIT:]

    def recent(self, now: float) -> list[Strike]:
        """Those that still count."""
        return [strike for strike in self.strikes if now - strike.at < WINDOW_S]

    def unpaid(self, now: float) -> list[Strike]:
        """Those that count and that no sentence was passed for."""
        return [strike for strike in self.recent(now) if self.paid is None or strike.at > self.paid]

    def sentence(self, value: str, now: float) -> Sentence:
        """Pay for all of them."""
        strikes = tuple(self.unpaid(now))
        self.paid = now
        return Sentence(value, now + SENTENCE_S, strikes)


class Presence(Struct, frozen=True):
    """An open socket at an address."""

    account: str
    since: float


class Absence(Struct, frozen=True):
    """An account that was at an address and left it innocent."""

    at: float
    settled: bool


class Place(Struct):
    """One address: its strikes, who is there, and who was."""

    record: Record = field(default_factory=Record)
    present: dict[ConnId, Presence] = {}
    left: dict[str, Absence] = {}
    """In order of leaving."""
    crowded: float | None = None
    """When it was last a crowd."""
    touched: float = 0.0

    def is_crowd(self, now: float) -> bool:
        """Whether so many people share the address that nobody may be held liable for it."""
        if len({presence.account for presence in self.present.values()}) >= CROWD:
            self.crowded = now
        return self.crowded is not None and now - self.crowded < WINDOW_S

    def accounts(self, now: float) -> Iterator[tuple[str, bool]]:
        """Accounts that had a socket here within the window, and whether one of theirs was a settled one."""
        for presence in self.present.values():
            yield presence.account, now - presence.since >= SETTLED_S
        for account, absence in self.left.items():
            if now - absence.at < WINDOW_S:
                yield account, absence.settled

    def idle(self, now: float) -> bool:
        """Whether there is nothing left to know."""
        return not self.present and now - self.touched >= WINDOW_S


class Strikes(Struct):
    """All strikes of a process. ``place`` is None where an address is never judged (see `Strike`)."""

    accounts: dict[str, Record] = {}
    """In order of the last strike."""
    places: dict[str, Place] = {}
    """In order of the last touch."""

    def came(self, conn_id: ConnId, account: str, address: str | None, now: float) -> None:
        """A socket opened."""
        if address is not None:
            place = self._place(address, now)
            place.present[conn_id] = Presence(account, now)
            place.is_crowd(now)

    def went(self, conn_id: ConnId, address: str | None, now: float) -> None:
        """A socket that came is gone; its strike, if that was its end, has been counted."""
        if address is None:
            return
        place = self._place(address, now)
        place.is_crowd(now)
        presence = place.present.pop(conn_id)
        settled = now - presence.since >= SETTLED_S
        if self._is_innocent(presence.account, settled, now):
            known = place.left.pop(presence.account, None)
            place.left[presence.account] = Absence(now, settled or (known is not None and known.settled))
        if len(place.left) > WITNESSES:
            del place.left[next(iter(place.left))]
            place.crowded = now

    def strike(self, strike: Strike) -> Sentence | None:
        """Count one. The account pays first; the address only for what no account was sentenced for."""
        now = strike.at
        record = self._record(strike.account, now)
        record.add(strike)
        place = None if strike.place is None else self._place(strike.place, now)
        if place is not None:
            place.record.add(strike)
        if len(record.unpaid(now)) >= LIMIT:
            return record.sentence(strike.account, now)
        if strike.place is not None and place is not None and self._is_liable(place, now):
            return place.record.sentence(strike.place, now)
        return None

    # ---------- judging

    def _is_liable(self, place: Place, now: float) -> bool:
        if len(place.record.unpaid(now)) < LIMIT or place.is_crowd(now):
            return False
        return not any(self._is_innocent(*who, now) for who in place.accounts(now))

    def _is_innocent(self, account: str, settled: bool, now: float) -> bool:
        """Without a strike; or a player who is settled and has some, as happens to good ones."""
        record = self.accounts.get(account)
        strikes = 0 if record is None else len(record.recent(now))
        return strikes == 0 or (settled and strikes < LIMIT)

    # ---------- tables

    def _record(self, account: str, now: float) -> Record:
        record = self.accounts.pop(account, None) or Record()
        for _ in range(LOOKS):
            oldest = next(iter(self.accounts), None)
            if oldest is None:
                break
            if len(self.accounts) < MAX_ACCOUNTS and self.accounts[oldest].recent(now):
                break
            del self.accounts[oldest]
        self.accounts[account] = record
        return record

    def _place(self, address: str, now: float) -> Place:
        place = self.places.pop(address, None) or Place()
        for _ in range(LOOKS):
            oldest = next(iter(self.places), None)
            if oldest is None or not self._look_at(oldest, now):
                break
        place.touched = now
        self.places[address] = place
        return place

    def _look_at(self, address: str, now: float) -> bool:
        """Forget the place if it may be forgotten; whether the next one is worth a look."""
        place = self.places[address]
        if place.idle(now) or (len(self.places) >= MAX_ADDRESSES and not place.present):
            del self.places[address]
            return True
        if place.present:
            # Somebody is there: it is no old one, and must not hide those behind it.
            self.places[address] = self.places.pop(address)
            return True
        return False
