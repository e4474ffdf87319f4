"""Rooms under everything that can happen, in any order: the rules that hold at every step.

A Hypothesis state machine plays at a `Table`. The kit itself checks that no effect names a dead connection
and that each wake leaves nothing undone.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gateway.contract import ClientError, Ticket
from gateway.core.closing import (
    BLOCKED,
    DROPPED,
    GONE_AWAY,
    NEW_SESSION_OPENED,
    SEAT_ATTACHED_ELSEWHERE,
    SERVICE_RESTART,
    USER_DISCONNECTED,
)
from gateway.core.machine import from_state, to_state
from rooms.core.effects import Loaded, MoveAccount
from rooms.core.room import Room
from rooms.core.seats import Standing
from rooms.core.shapes import Avatar
from tests.rooms.core.kit import Player, Table, question

ENDINGS = (
    BLOCKED,
    DROPPED,
    GONE_AWAY,
    NEW_SESSION_OPENED,
    SEAT_ATTACHED_ELSEWHERE,
    SERVICE_RESTART,
    USER_DISCONNECTED,
)
ACCOUNTS = ("host", "ben", "cleo")
ASKED = (
    question(1),
    question(2, multiple=True, correct=frozenset({"2a", "2b"})),
    question(3, time_limit_s=4),
)
NUMBERS = st.integers(0, 30)
"""Choose one of those who are there, whoever that is by then."""

TABS = st.sampled_from(["x", "y", None])
TOKENS = st.sampled_from(["", "hash3", "nonsense"])
LETTERS = st.sampled_from(["a", "a", "b", "ab", "x"])


class Rooms(RuleBasedStateMachine):
    """One room at a time; when it is over, another begins."""

    @initialize(
        host_plays=st.booleans(),
        auto_advance=st.booleans(),
        max_players=st.integers(2, 6),
        loads=st.booleans(),
    )
    def begin(self, host_plays: bool, auto_advance: bool, max_players: int, loads: bool) -> None:
        self.table = Table(ASKED, loads=loads, max_players=6)
        self.accepted: set[tuple[str, str, int]] = set()
        settings = {"host_plays": host_plays, "auto_advance": auto_advance, "max_players": max_players}
        self.table.player("Host", account="host").creates(**settings, streak_bonus=True)

    @precondition(lambda self: self.table.over is not None)
    @rule(host_plays=st.booleans())
    def begin_again(self, host_plays: bool) -> None:
        self.begin(host_plays, True, 6, True)

    # ---------- who there is

    def attempt(self, act: Callable[[], Any]) -> bool:
        """Something a client may try: it works, or it is refused and has changed nothing."""
        before, performed = to_state(self.table.room), len(self.table.log)
        try:
            act()
        except ClientError:
            assert to_state(self.table.room) == before
            assert len(self.table.log) == performed
            return False
        return True

    @property
    def open(self) -> bool:
        return self.table.over is None

    def inside(self) -> list[Player]:
        return [player for player in self.table.players if player.conn_id in self.table.inside]

    def outside(self) -> list[Player]:
        """Those who had a seat once and have no socket in the room."""
        return [player for player in self.table.players if player.seat_id and player not in self.inside()]

    def one_of(self, people: list[Player], number: int) -> Player | None:
        return people[number % len(people)] if people and self.open else None

    # ---------- people come

    @precondition(lambda self: self.open)
    @rule(account=st.sampled_from(ACCOUNTS), tab=TABS, name=st.sampled_from(["Ana", "Ben"]))
    def join(self, account: str, tab: str | None, name: str) -> None:
        player = self.table.player(name, account, tab)
        self.attempt(player.joins)

    @precondition(lambda self: self.open)
    @rule(account=st.sampled_from(ACCOUNTS))
    def watch(self, account: str) -> None:
        self.attempt(self.table.player("screen", account).watches)

    @rule(number=NUMBERS, take_over=st.booleans())
    def come_back(self, number: int, take_over: bool) -> None:
        if player := self.one_of(self.outside(), number):
            self.attempt(lambda: player.comes_back(take_over=take_over))

    @rule(number=NUMBERS, take_over=st.booleans())
    def copy_a_tab(self, number: int, take_over: bool) -> None:
        """A duplicated tab, another device: somebody of the same account names the seat."""
        if player := self.one_of([player for player in self.table.players if player.seat_id], number):
            copy = self.table.player(player.name, player.account, player.client_id)
            self.attempt(lambda: copy.joins(resume=player.seat_id, take_over=take_over))

    @rule(number=NUMBERS)
    def claim(self, number: int) -> None:
        """With a good ticket, from a new socket, whether the old one is known to be dead or not."""
        player = self.one_of([player for player in self.table.players if player.seat_id], number)
        if player and player.ticket_is_good:
            self.attempt(player.claims)
            assert player.seat.conn_id == player.conn_id

    @rule(number=NUMBERS, token=TOKENS, account=st.sampled_from([*ACCOUNTS, "thief"]))
    def claim_badly(self, number: int, token: str, account: str) -> None:
        """A failed claim is a no-op."""
        if player := self.one_of([player for player in self.table.players if player.seat_id], number):
            before = to_state(self.table.room)
            ticket = Ticket("room", player.seat_id, token)
            opened = self.table.room.check_claim(ticket, account)
            assert opened is None or (opened.token_hash, opened.account) == (token, account)
            assert to_state(self.table.room) == before

    # ---------- people go

    @rule(number=NUMBERS, ending=st.sampled_from(ENDINGS))
    def go(self, number: int, ending: Any) -> None:
        if player := self.one_of(self.inside(), number):
            player.drops(ending)

    @rule(number=NUMBERS)
    def leave(self, number: int) -> None:
        if player := self.one_of(self.inside(), number):
            assert self.attempt(player.leaves)

    @rule(number=NUMBERS, other=NUMBERS, ban=st.booleans())
    def kick(self, number: int, other: int, ban: bool) -> None:
        player, target = self.one_of(self.inside(), number), self.one_of(self.table.players, other)
        if player and target:
            self.attempt(lambda: player.kicks(target, ban))

    @rule(number=NUMBERS, other=NUMBERS)
    def unban(self, number: int, other: int) -> None:
        player, target = self.one_of(self.inside(), number), self.one_of(self.table.players, other)
        if player and target:
            self.attempt(lambda: player.unbans(target))

    # ---------- people play

    @rule(number=NUMBERS, command=st.sampled_from(["starts", "starts", "stops", "restarts", "goes_on"]))
    def run_the_game(self, number: int, command: str) -> None:
        if player := self.one_of(self.inside(), number):
            self.attempt(getattr(player, command))

    @rule(command=st.sampled_from(["starts", "starts", "starts", "stops", "restarts", "goes_on"]))
    def host_runs_the_game(self, command: str) -> None:
        room = self.table.room
        host = [player for player in self.inside() if room.host == room.seats.holders.get(player.conn_id)]
        if player := self.one_of(host, 0):
            self.attempt(getattr(player, command))

    @rule(letter=st.sampled_from(["a", "b"]))
    def everybody_answers(self, letter: str) -> None:
        for number in range(len(self.inside())):
            self.give_an_answer(number, letter, None)

    @rule(number=st.integers(0, 3), count=st.sampled_from([0, 1, 3, 3, 3]))
    def load(self, number: int, count: int) -> None:
        """Questions come, perhaps those of a game that is no more."""
        if self.open and number < len(self.table.requests):
            request = self.table.requests[-1 - number]
            self.table.happens(Loaded(request.request_id, ASKED[:count]))

    @rule(number=NUMBERS, letters=LETTERS, question_id=st.sampled_from([None, "q1", "q2"]))
    def answer(self, number: int, letters: str, question_id: str | None) -> None:
        self.give_an_answer(number, letters, question_id)

    def give_an_answer(self, number: int, letters: str, question_id: str | None) -> None:
        player, game = self.one_of(self.inside(), number), self.table.room.game
        if player is None or game is None or game.index < 0:
            return
        question_id = question_id or self.table.question_id
        seat = self.table.room.seats.held_by(player.conn_id)
        if self.attempt(lambda: player.answers(*letters, rtt_s=0.05, question_id=question_id)):
            counted = (game.id, question_id, seat.join_order)
            assert counted not in self.accepted, "an answer was counted twice"
            self.accepted.add(counted)

    @rule(number=NUMBERS, locked=st.booleans(), plays=st.booleans(), late=st.booleans())
    def set(self, number: int, locked: bool, plays: bool, late: bool) -> None:
        if player := self.one_of(self.inside(), number):
            self.attempt(
                lambda: player.sets(locked=locked, host_plays=plays, allow_late_join=late, scoring="order")
            )

    @rule(number=NUMBERS, colour=st.integers(1, 6))
    def change(self, number: int, colour: int) -> None:
        if player := self.one_of(self.inside(), number):
            self.attempt(lambda: player.wears(Avatar("fox", colour)))
            self.attempt(player.reacts)

    @rule(number=NUMBERS)
    def resync(self, number: int) -> None:
        if player := self.one_of(self.inside(), number):
            player.resyncs()

    @rule(number=NUMBERS, lagging=st.booleans())
    def lag(self, number: int, lagging: bool) -> None:
        """As it is measured: of players, in a game."""
        if (player := self.one_of(self.inside(), number)) and self.table.room.active:
            self.attempt(lambda: player.lags(lagging))

    @rule(account=st.sampled_from(ACCOUNTS))
    def sign_in(self, account: str) -> None:
        """And out again, so that the accounts stay few."""
        if self.open:
            self.table.happens(MoveAccount(account, "user"))
            self.table.happens(MoveAccount("user", account))

    # ---------- time passes

    @precondition(lambda self: self.open)
    @rule(seconds=st.sampled_from([0.01, 0.1, 0.25, 1.0, 3.0, 5.0, 9.9, 10.0, 15.0, 119.0, 120.0]))
    def wait(self, seconds: float) -> None:
        self.table.after(seconds)

    @precondition(lambda self: self.open)
    @rule(seconds=st.sampled_from([0.5, 2.0, 12.0]))
    def stall(self, seconds: float) -> None:
        self.table.after_a_stall(seconds)

    @precondition(lambda self: self.open)
    @rule()
    def save_and_restore(self) -> None:
        self.table.save_and_restore()

    # ---------- what holds at every step

    @invariant()
    def a_seat_has_at_most_one_live_socket_and_a_socket_one_seat(self) -> None:
        room, table = self.table.room, self.table
        held = {seat.conn_id: seat.id for seat in room.seats.here.values() if seat.conn_id is not None}
        assert held == room.seats.holders
        assert not set(room.everyone) & table.dead
        assert table.inside == {**held, **dict.fromkeys(room.watchers)}
        for seat in room.seats.here.values():
            assert (seat.standing is Standing.CONNECTED) == (seat.conn_id is not None) == (seat.until is None)
        assert all(seat.standing is Standing.DEPARTED for seat in room.seats.departed.values())

    @invariant()
    def deadlines_of_seats_are_those_that_are_asked_for(self) -> None:
        seats = self.table.room.seats
        holds = [seat.until for seat in seats.here.values() if seat.until is not None]
        forgotten = [seat.until for seat in seats.departed.values()]
        assert seats.next_hold == min(holds, default=None)
        assert seats.due(remembering=False) == min([*holds, *forgotten], default=None)

    @invariant()
    def exactly_one_seat_is_host_while_there_are_seats(self) -> None:
        room = self.table.room
        assert (room.host in room.seats.here) if room.seats.here else (room.host is None)

    @invariant()
    def members_are_in_the_order_in_which_they_joined(self) -> None:
        orders = [seat.join_order for seat in self.table.room.seats.here.values()]
        assert orders == sorted(set(orders))

    @invariant()
    def names_are_unique(self) -> None:
        keys = [seat.name_key for seat in self.table.room.seats.all()]
        assert len(keys) == len(set(keys))

    @invariant()
    def each_screen_shows_what_a_fresh_snapshot_would(self) -> None:
        """Snapshot + deltas == fresh snapshot, whenever no news is waiting."""
        if self.table.room.news.due is None:
            assert self.table.is_seen_alike()

    @invariant()
    def points_add_up_and_no_question_counts_twice(self) -> None:
        for seat in self.table.room.seats.all():
            answered = [graded.question_id for graded in seat.graded]
            assert len(answered) == len(set(answered))
            assert seat.given is None or seat.given.question_id not in answered
            assert seat.score == sum(graded.points for graded in seat.graded)

    @invariant()
    def nothing_is_overdue(self) -> None:
        deadline = self.table.room.deadline()
        assert (deadline is None) == (self.table.over is not None)
        assert deadline is None or deadline > self.table.now

    @invariant()
    def few_departed_seats_are_remembered(self) -> None:
        accounts = [seat.account for seat in self.table.room.seats.departed.values()]
        assert all(accounts.count(account) <= 3 for account in accounts)

    @invariant()
    def a_game_is_there_in_every_phase_but_the_lobby(self) -> None:
        room = self.table.room
        assert (room.game is None) == (room.phase.value == "lobby")
        assert (room.until is None) or room.active

    @invariant()
    def saving_and_restoring_changes_nothing(self) -> None:
        room = self.table.room
        assert from_state(to_state(room), Room) == room


TestRooms = Rooms.TestCase
TestRooms.settings = settings(
    max_examples=40, stateful_step_count=200, deadline=None, suppress_health_check=list(HealthCheck)
)
