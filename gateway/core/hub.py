"""All connections of a process: who is counted where, who replaces whom, who speaks for which seat.

A subset of a machine: it keeps no timers, so it has `apply` and no `wake`. Slots (``gateway.core.slots``) are
reserved at admission and given back exactly once; what is remembered beyond them is in
``gateway.core.memory``. The invariant (spec 1.2): counters == open sockets that are neither replaced nor
being replaced + admitted handshakes in progress.
"""

from typing import assert_never

from msgspec import Struct, field

from gateway.contract import ConnId
from gateway.core import closing
from gateway.core.actions import Keys
from gateway.core.closing import Ending
from gateway.core.memory import Conduct, LastCloses
from gateway.core.messages import LastClose
from gateway.core.slots import Slot, Stage

# ---------- what happens


class Admit(Struct, frozen=True):
    """An attempt passed all checks. ``holder`` is the socket that has its seat now, if it claims one."""

    conn_id: ConnId
    session: str
    address: str
    account: str
    client_id: str | None
    holder: ConnId | None = None


class Open(Struct, frozen=True):
    """The handshake is complete and the game has taken the socket."""

    conn_id: ConnId


class Gone(Struct, frozen=True):
    """The attempt failed or the socket ended. ``ending`` is None if it was never accepted."""

    conn_id: ConnId
    ending: Ending | None


class Violated(Struct, frozen=True):
    """A frame of an open socket was dropped over the budget."""

    conn_id: ConnId


class SignedIn(Struct, frozen=True):
    """A session signed in: what it has stays, and is the new session's and the new account's (spec 1.7).

    Of ``session`` only the sockets of ``account`` pass over, and an account that changes has no other
    session: it is that of a session which nobody had signed in.
    """

    session: str
    account: str
    new_session: str
    new_account: str


Event = Admit | Open | Gone | Violated | SignedIn


class EndSocket(Struct, frozen=True):
    """The one wish of a hub: end this socket."""

    conn_id: ConnId
    ending: Ending


class Hub(Struct):
    """The machine."""

    slots: dict[ConnId, Slot] = {}
    by_session: dict[str, int] = {}
    by_address: dict[str, int] = {}
    by_client: dict[str, ConnId] = {}
    """The newest open socket of each tab of a session."""
    conduct: Conduct = field(default_factory=Conduct)
    last_closes: LastCloses = field(default_factory=LastCloses)

    def apply(self, event: Event, now: float) -> tuple[EndSocket, ...]:
        """Something happened at ``now``. Unknown connections raise `KeyError`: that is our own fault."""
        match event:
            case Admit():
                self._admit(event)
                return ()
            case Open(conn_id):
                return self._open(self.slots[conn_id], now)
            case Gone(conn_id, ending):
                self._gone(self.slots[conn_id], ending, now)
                return ()
            case Violated(conn_id):
                return self._violated(self.slots[conn_id], now)
            case SignedIn():
                self._signed_in(event, now)
                return ()
            case _ as unreachable:
                assert_never(unreachable)

    # ---------- questions

    def predecessor_of(self, session: str, client_id: str | None, holder: ConnId | None) -> Slot | None:
        """The open socket that a new one would replace: the seat's holder, else the same tab's (spec 1.2)."""
        seat = self.slots.get(holder or "")
        if seat is not None and seat.stage is Stage.OPEN:
            return seat
        return None if client_id is None else self._tab(session, client_id)

    def sockets_of(self, session: str, address: str, predecessor: Slot | None) -> tuple[int, int]:
        """Counted sockets of a session and of an address, less the one about to be replaced."""
        by_session, by_address = self.by_session.get(session, 0), self.by_address.get(address, 0)
        pending = None if predecessor is None else self._pending(predecessor)
        for freed in (predecessor, pending):
            if freed is not None and freed.counted:
                by_session -= freed.session == session
                by_address -= freed.address == address
        return by_session, by_address

    def last_close(self, account: str, client_id: str | None, now: float) -> LastClose | None:
        """Why the client's previous socket ended, if it was less than a minute ago."""
        return None if client_id is None else self.last_closes.of(_client_key(account, client_id), now)

    def user_id(self, conn_id: ConnId) -> str:
        """On the wire: the seat once one is held, else the connection."""
        return self.slots[conn_id].user_id or conn_id

    def keys(self, conn_id: ConnId) -> Keys:
        """What its budgets count by: per user that is the seat once one is held, else the account."""
        slot = self.slots[conn_id]
        if slot.keys is None:
            slot.keys = Keys(slot.user_id or slot.account, conn_id, slot.address)
        return slot.keys

    def bind(self, conn_id: ConnId, user_id: str | None) -> None:
        """The connection speaks for a seat from now on, or (None) for nobody."""
        slot = self.slots[conn_id]
        slot.user_id, slot.keys = user_id, None

    def forget(self, now: float) -> None:
        """Drop what has outlived its socket for long enough (`gateway.core.memory`)."""
        self.conduct.forget(now)
        self.last_closes.forget(now)

    # ---------- the life of a slot

    def _admit(self, event: Admit) -> None:
        predecessor = self.predecessor_of(event.session, event.client_id, event.holder)
        slot = Slot(event.conn_id, event.session, event.address, event.account, event.client_id)
        if predecessor is not None:
            slot.predecessor = predecessor.conn_id
            slot.by_seat = predecessor.conn_id == event.holder
            self._cancel_pending(predecessor)
            self._await_successor(predecessor, slot.conn_id)
        self.slots[slot.conn_id] = slot
        self._count(slot, +1)

    def _open(self, slot: Slot, now: float) -> tuple[EndSocket, ...]:
        if slot.stage is Stage.CANCELLED:
            return (EndSocket(slot.conn_id, closing.NEW_SESSION_OPENED),)
        self._move(slot, Stage.OPEN)
        self.conduct.forget(now)
        self.conduct.came(slot.account, now)
        displaced = self._displaced_by(slot)
        for old in displaced:
            self._move(old, Stage.REPLACED)
            self._forget_tab(old)
        if slot.client_id is not None:
            self.by_client[_client_key(slot.session, slot.client_id)] = slot.conn_id
        ending = closing.SEAT_ATTACHED_ELSEWHERE if slot.by_seat else closing.NEW_SESSION_OPENED
        return tuple(EndSocket(old.conn_id, ending) for old in displaced)

    def _displaced_by(self, slot: Slot) -> list[Slot]:
        """The sockets whose place an opening one takes.

        The tab is asked again: two handshakes of one tab may both have found no open socket when they were
        admitted. If its socket is waiting for another successor, that one will see to it.
        """
        predecessor = self.slots.get(slot.predecessor or "")
        displaced = [] if predecessor is None else [predecessor]
        if slot.client_id is not None and not slot.by_seat:
            twin = self._tab(slot.session, slot.client_id)
            if twin is not None and twin.successor is None:
                displaced.append(twin)
        return displaced

    def _gone(self, slot: Slot, ending: Ending | None, now: float) -> None:
        del self.slots[slot.conn_id]
        if slot.counted:
            self._count(slot, -1)
        predecessor = self.slots.get(slot.predecessor or "")
        if predecessor is not None and predecessor.successor == slot.conn_id:
            self._await_successor(predecessor, None)
        if slot.stage in (Stage.OPEN, Stage.REPLACED):
            self.conduct.went(slot.account, now)
        self._forget_tab(slot)
        if ending is not None:
            self._remember(slot, ending, now)

    def _cancel_pending(self, predecessor: Slot) -> None:
        """At most one replacement is pending per socket; a newer one cancels it (spec 1.2)."""
        pending = self._pending(predecessor)
        if pending is not None:
            self._move(pending, Stage.CANCELLED)

    def _pending(self, predecessor: Slot) -> Slot | None:
        return self.slots.get(predecessor.successor or "")

    def _tab(self, session: str, client_id: str) -> Slot | None:
        return self.slots.get(self.by_client.get(_client_key(session, client_id), ""))

    def _forget_tab(self, slot: Slot) -> None:
        """A newer socket of the same tab may be the one that is known: then it stays."""
        if slot.client_id is not None:
            key = _client_key(slot.session, slot.client_id)
            if self.by_client.get(key) == slot.conn_id:
                del self.by_client[key]

    def _remember(self, slot: Slot, ending: Ending, now: float) -> None:
        """Unless the client is back already: then its last socket is the one it has, not this one."""
        self.last_closes.forget(now)
        if slot.client_id is not None and self._tab(slot.session, slot.client_id) is None:
            self.last_closes.remember(_client_key(slot.account, slot.client_id), ending, now)

    def _violated(self, slot: Slot, now: float) -> tuple[EndSocket, ...]:
        sustained = self.conduct.violated(slot.account, now)
        return (EndSocket(slot.conn_id, closing.RATE_LIMIT_EXCEEDED),) if sustained else ()

    def _signed_in(self, event: SignedIn, now: float) -> None:
        for slot in self.slots.values():
            if (slot.session, slot.account) == (event.session, event.account):
                self._pass_on(slot, event.new_session, event.new_account)
        if event.account != event.new_account:
            self.conduct.pass_on(event.account, event.new_account, now)
            self.last_closes.pass_on(_client_key(event.account, ""), _client_key(event.new_account, ""))

    def _pass_on(self, slot: Slot, session: str, account: str) -> None:
        """A tab that the new session has an open socket of stays known by that one: it is the newer."""
        known = slot.client_id is not None and self._tab(slot.session, slot.client_id) is slot
        self._forget_tab(slot)
        self._count(slot, -slot.counted)
        slot.session, slot.account, slot.keys = session, account, None
        self._count(slot, +slot.counted)
        if known:
            self.by_client.setdefault(_client_key(session, str(slot.client_id)), slot.conn_id)

    # ---------- counters: whatever changes whether a slot is counted goes through these

    def _move(self, slot: Slot, stage: Stage) -> None:
        before = slot.counted
        slot.move(stage)
        self._count(slot, slot.counted - before)

    def _await_successor(self, slot: Slot, successor: ConnId | None) -> None:
        before = slot.counted
        slot.successor = successor
        self._count(slot, slot.counted - before)

    def _count(self, slot: Slot, by: int) -> None:
        _add(self.by_session, slot.session, by)
        _add(self.by_address, slot.address, by)


def _client_key(owner: str, client_id: str) -> str:
    """A tab of a session or of an account: the tab's id is URL-safe, so the last space is ours."""
    return f"{owner} {client_id}"


def _add(counter: dict[str, int], key: str, by: int) -> None:
    count = counter.get(key, 0) + by
    if count:
        counter[key] = count
    else:
        counter.pop(key, None)
