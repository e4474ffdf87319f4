"""Any life of a hub: counters, tabs and replacements against a naive model, over random days of a school.

The model knows attempts and sockets as plain facts and recounts everything after each step; it shares no code
with the hub.
"""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gateway.core import closing
from gateway.core.closing import Ending
from gateway.core.hub import Admit, EndSocket, Gone, Hub, Open, SignedIn, Violated
from gateway.core.slots import Stage
from tests.gateway.core.vocabulary import reloaded

HANDSHAKE, CANCELLED, OPEN, REPLACED = "handshake", "cancelled", "open", "replaced"
ENDINGS = st.sampled_from(
    [closing.DROPPED, closing.GONE_AWAY, closing.BACKPRESSURE, closing.HEARTBEAT_TIMEOUT]
)


ANYBODY, SIGNED_IN = "st", "uv"
"""Sessions that nobody has signed in, and two of one user."""


def account_of(session: str) -> str:
    """Who acts: the user, else the session itself."""
    return "user" if session in SIGNED_IN else f"account {session}"


@dataclass
class Fact:
    """What the model knows of one attempt or socket."""

    conn_id: str
    session: str
    address: str
    tab: str | None
    claims: bool = False
    state: str = HANDSHAKE


class Life(RuleBasedStateMachine):
    """Admissions, openings, failures, ends and violations in any order, with restores in between."""

    def __init__(self) -> None:
        super().__init__()
        self.hub, self.now, self.serial = Hub(), 0.0, 0
        self.facts: dict[str, Fact] = {}
        self.replaces: dict[str, str] = {}
        """The one pending replacement of each open socket: old to new."""
        self.tabs: dict[tuple[str, str], str] = {}
        """By which socket a tab is known: the last that opened, until it is replaced or gone."""

    # ---------- the model's own view

    def such(self, *states: str) -> list[str]:
        """Connections in these states."""
        return [conn_id for conn_id, fact in self.facts.items() if fact.state in states]

    def tab_of(self, fact: Fact) -> str | None:
        """The socket that the tab of an attempt is known by."""
        return None if fact.tab is None else self.tabs.get((fact.session, fact.tab))

    def expected_to_go(self, new: Fact) -> set[str]:
        """Whose place an opening socket takes: its predecessor's, its twin's if nobody else is about to."""
        going = {old for old, successor in self.replaces.items() if successor == new.conn_id}
        twin = None if new.claims else self.tab_of(new)
        return going if twin is None or twin in self.replaces else going | {twin}

    def forget_tab(self, conn_id: str) -> None:
        """A tab is not known by a socket that was replaced or is gone."""
        self.tabs = {tab: known for tab, known in self.tabs.items() if known != conn_id}

    def gone(self, conn_id: str) -> None:
        """The model forgets a connection."""
        del self.facts[conn_id]
        self.replaces = {old: new for old, new in self.replaces.items() if conn_id not in (old, new)}
        self.forget_tab(conn_id)

    # ---------- what happens

    @initialize(start=st.floats(0, 1e6))
    def begin(self, start: float) -> None:
        """At some uptime of the machine."""
        self.now = start

    @rule(
        session=st.sampled_from(ANYBODY + SIGNED_IN),
        address=st.sampled_from("ab"),
        tab=st.none() | st.sampled_from(["1", "2"]),
        claim=st.none() | st.integers(0, 9),
    )
    def admit(self, session: str, address: str, tab: str | None, claim: int | None) -> None:
        """An attempt passes; a claim names any connection as the holder of its seat, also one long gone."""
        self.serial += 1
        conn_id, everybody = f"c{self.serial}", ["long gone", *self.facts]
        holder = None if claim is None else everybody[claim % len(everybody)]
        holds = holder in self.such(OPEN)
        fact = Fact(conn_id, session, address, tab, claims=holds)
        target = holder if holds else self.tab_of(fact)
        if target is not None:
            rival = self.replaces.get(target)
            if rival is not None:
                self.facts[rival].state = CANCELLED
            self.replaces[target] = conn_id
        self.facts[conn_id] = fact
        assert (
            self.hub.apply(Admit(conn_id, session, address, account_of(session), tab, holder), self.now) == ()
        )

    @precondition(lambda self: self.such(HANDSHAKE, CANCELLED))
    @rule(data=st.data())
    def open(self, data: st.DataObject) -> None:
        """A handshake completes; a cancelled one is told to go, and never opens."""
        new = self.facts[data.draw(st.sampled_from(self.such(HANDSHAKE, CANCELLED)))]
        if new.state == CANCELLED:
            ended = self.hub.apply(Open(new.conn_id), self.now)
            assert ended == (EndSocket(new.conn_id, closing.NEW_SESSION_OPENED),)
            return
        going = self.expected_to_go(new)
        ended = self.hub.apply(Open(new.conn_id), self.now)
        ending = closing.SEAT_ATTACHED_ELSEWHERE if new.claims else closing.NEW_SESSION_OPENED
        assert {effect.conn_id for effect in ended} == going
        assert {effect.ending for effect in ended} <= {ending}
        assert len(ended) == len(going)
        new.state = OPEN
        for old in going:
            assert self.facts[old].state == OPEN
            self.facts[old].state = REPLACED
            self.replaces.pop(old, None)
            self.forget_tab(old)
        if new.tab is not None:
            self.tabs[new.session, new.tab] = new.conn_id

    @precondition(lambda self: self.such(HANDSHAKE, CANCELLED))
    @rule(data=st.data(), ending=st.none() | ENDINGS)
    def fail(self, data: st.DataObject, ending: Ending | None) -> None:
        """An attempt comes to nothing, before or after it was accepted."""
        conn_id = data.draw(st.sampled_from(self.such(HANDSHAKE, CANCELLED)))
        assert self.hub.apply(Gone(conn_id, ending), self.now) == ()
        self.gone(conn_id)

    @precondition(lambda self: self.such(OPEN, REPLACED))
    @rule(data=st.data(), ending=ENDINGS)
    def end(self, data: st.DataObject, ending: Ending) -> None:
        """A socket is over, replaced or not."""
        conn_id = data.draw(st.sampled_from(self.such(OPEN, REPLACED)))
        assert self.hub.apply(Gone(conn_id, ending), self.now) == ()
        self.gone(conn_id)

    @precondition(lambda self: self.such(OPEN, REPLACED))
    @rule(data=st.data())
    def violate(self, data: st.DataObject) -> None:
        """A frame is dropped; if that ends a socket, then the one that sent it."""
        conn_id = data.draw(st.sampled_from(self.such(OPEN, REPLACED)))
        ended = self.hub.apply(Violated(conn_id), self.now)
        assert ended in ((), (EndSocket(conn_id, closing.RATE_LIMIT_EXCEEDED),))

    @rule(old=st.sampled_from(ANYBODY + SIGNED_IN), new=st.sampled_from(SIGNED_IN))
    def sign_in(self, old: str, new: str) -> None:
        """A session becomes a user's, or another one of the same user's: sockets stay, counters follow."""
        assert self.hub.apply(SignedIn(old, account_of(old), new, "user"), self.now) == ()
        for fact in self.facts.values():
            fact.session = new if fact.session == old else fact.session
        passed = {tab: conn for (session, tab), conn in self.tabs.items() if session == old}
        self.tabs = {key: conn for key, conn in self.tabs.items() if key[0] != old}
        for tab, conn_id in passed.items():
            self.tabs.setdefault((new, tab), conn_id)

    @precondition(lambda self: self.facts)
    @rule(data=st.data(), seat=st.none() | st.just("seat"))
    def bind(self, data: st.DataObject, seat: str | None) -> None:
        """A connection speaks for a seat, or no more."""
        conn_id = data.draw(st.sampled_from([*self.facts]))
        self.hub.bind(conn_id, seat)
        assert self.hub.user_id(conn_id) == (seat or conn_id)

    @rule(seconds=st.sampled_from([0.0, 0.5, 9.0, 31.0, 61.0]))
    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds

    @rule()
    def restore(self) -> None:
        """The process could be saved and restored at this very instant."""
        again = reloaded(self.hub)
        assert again == self.hub
        self.hub = again

    # ---------- what always holds

    @invariant()
    def the_counters_are_what_a_recount_finds(self) -> None:
        """Open sockets neither replaced nor being replaced, and admitted handshakes (spec 1.2)."""
        counted = [
            fact
            for fact in self.facts.values()
            if fact.state == HANDSHAKE or (fact.state == OPEN and fact.conn_id not in self.replaces)
        ]
        for table, keys in (
            (self.hub.by_session, [fact.session for fact in counted]),
            (self.hub.by_address, [fact.address for fact in counted]),
        ):
            assert table == {key: keys.count(key) for key in keys}

    @invariant()
    def each_slot_is_where_the_model_has_it(self) -> None:
        """Stages, successors and predecessors; so one replacement is pending per socket at most."""
        slots = self.hub.slots
        assert {conn_id: slot.stage.value for conn_id, slot in slots.items()} == {
            conn_id: fact.state for conn_id, fact in self.facts.items()
        }
        for old, new in self.replaces.items():
            assert (slots[old].successor, slots[new].predecessor) == (new, old)
        assert {
            slot.conn_id for slot in slots.values() if slot.stage is Stage.OPEN and slot.successor
        } == set(self.replaces)

    @invariant()
    def a_tab_is_known_by_an_open_socket_of_its_own(self) -> None:
        """The last that opened, or none; never by one that is replaced or gone."""
        assert self.hub.by_client == {
            f"{session} {tab}": known for (session, tab), known in self.tabs.items()
        }
        assert {self.facts[conn_id].state for conn_id in self.hub.by_client.values()} <= {OPEN}

    @invariant()
    def presence_is_the_number_of_sockets(self) -> None:
        """Replaced ones are there until they are gone; nobody who is there is absent."""
        there = [account_of(self.facts[conn_id].session) for conn_id in self.such(OPEN, REPLACED)]
        conduct = self.hub.conduct
        assert conduct.connections == {account: there.count(account) for account in there}
        assert not conduct.absent_since.keys() & set(there)
        assert conduct.violations.keys() <= {*there, *conduct.absent_since}

    def teardown(self) -> None:
        """When all are gone nothing is left, and after a minute nothing is remembered."""
        for conn_id in [*self.facts]:
            self.hub.apply(Gone(conn_id, closing.DROPPED), self.now)
        hub = self.hub
        assert (hub.slots, hub.by_session, hub.by_address, hub.by_client) == ({}, {}, {}, {})
        assert hub.conduct.connections == {}
        self.now += 60.5  # sums of fractions may fall short of a minute
        hub.apply(Admit("last", "z", "z", "account z", "z"), self.now)
        hub.apply(Open("last"), self.now)
        hub.apply(Gone("last", closing.DROPPED), self.now)
        assert hub.last_closes.closes.keys() == {"account z z"}
        assert (hub.conduct.violations, hub.conduct.absent_since) == ({}, {})
        hub.forget(self.now + 60.5)  # and nobody has to come for it
        assert hub.last_closes.closes == {}


Life.TestCase.settings = settings(stateful_step_count=60)
TestLife = Life.TestCase
