"""Seats by themselves: standing, holders, what is remembered and for how long."""

import pytest

from rooms.core.seats import MOVES, Ban, Given, Graded, Seat, Seats, Standing
from rooms.core.shapes import Avatar, Banned, Breakdown


def seat(number: int, account: str = "a", client_id: str | None = "tab") -> Seat:
    return Seat(
        id=f"s{number}",
        account=account,
        client_id=client_id,
        token_hash=f"hash{number}",
        name=f"Name {number}",
        name_key=f"name {number}",
        avatar=Avatar(),
        join_order=number,
        conn_id=f"c{number}",
    )


def seats(*some: Seat) -> Seats:
    all_seats = Seats()
    for one in some:
        all_seats.add(one, str(one.conn_id))
    return all_seats


@pytest.mark.parametrize(("old", "new"), [(old, new) for old in Standing for new in Standing])
def test_only_moves_of_the_table_are_made(old: Standing, new: Standing) -> None:
    """A seat that is departed can't be put into grace, and so on; that would be our own fault."""
    one = seat(1)
    one.standing = old
    if new in MOVES[old]:
        one.become(new, "c9", 5.0)
        assert (one.standing, one.conn_id, one.until) == (new, "c9", 5.0)
    else:
        with pytest.raises(ValueError, match=rf"seat s1 can't be {new.value}: it is {old.value}"):
            one.become(new, None, None)


def test_a_seat_is_held_by_the_connection_that_attached_last() -> None:
    """The one before is named, so that it can be told."""
    one = seat(1)
    table = seats(one)
    assert table.attach(one, "c2", "tab2") == "c1"
    assert table.holders == {"c2": "s1"}
    assert table.held_by("c1") is None
    assert table.held_by("c2") is one
    assert one.client_id == "tab2"


def test_a_client_without_an_id_leaves_the_seat_the_tab_it_had() -> None:
    """A third party's client may not name its tab."""
    one = seat(1)
    table = seats(one)
    table.attach(one, "c2", None)
    assert one.client_id == "tab"


def test_a_held_seat_has_no_connection_and_a_deadline() -> None:
    """Grace is a field of the seat."""
    one = seat(1)
    table = seats(one)
    table.hold(one, 20.0)
    assert (one.standing, one.conn_id, one.until, table.holders) == (Standing.GRACE, None, 20.0, {})
    assert table.due(remembering=True) == 20.0
    assert table.overdue(19.9) == []
    assert table.overdue(20.0) == [one]


def test_a_departed_seat_is_remembered_for_two_minutes() -> None:
    """Spec 2.3; with a game on, for as long as it lasts."""
    one = seat(1)
    table = seats(one)
    table.depart(one, 100.0)
    assert (table.here, table.departed, table.holders) == ({}, {"s1": one}, {})
    assert (table.due(remembering=True), table.due(remembering=False)) == (None, 220.0)
    table.forget(219.9)
    assert table.departed == {"s1": one}
    table.forget(220.0)
    assert table.departed == {}


def test_the_first_hold_to_run_out_is_due_first() -> None:
    """Among members in grace and departed ones."""
    one, two, three = seat(1), seat(2, "b"), seat(3, "c")
    table = seats(one, two, three)
    table.depart(three, 0.0)
    table.hold(two, 130.0)
    table.hold(one, 140.0)
    assert (table.due(remembering=True), table.due(remembering=False)) == (130.0, 120.0)


def test_of_one_account_the_last_three_departed_seats_are_remembered() -> None:
    """Other accounts' seats stay whatever this one does."""
    mine = [seat(number) for number in range(1, 6)]
    other = seat(9, account="b")
    table = seats(other, *mine)
    for one in (other, *mine):
        table.depart(one, 0.0)
    assert list(table.departed) == ["s9", "s3", "s4", "s5"]


def test_a_seat_comes_back_under_a_new_id_in_its_old_place() -> None:
    """Members stay in the order in which they joined."""
    one, two = seat(1), seat(2, "b")
    table = seats(one, two)
    table.depart(one, 0.0)
    table.bring_back(one, "s7")
    table.attach(one, "c7", "tab")
    assert list(table.here) == ["s7", "s2"]
    assert table.departed == {}
    assert table.held_by("c7") is one


def test_a_removed_seat_is_nowhere() -> None:
    """Neither a member nor remembered, whether it was held, in grace or departed."""
    held, waiting, gone = seat(1), seat(2), seat(3)
    table = seats(held, waiting, gone)
    table.hold(waiting, 10.0)
    table.depart(gone, 0.0)
    for one in (held, waiting, gone):
        table.remove(one)
    assert (table.all(), table.holders) == ((), {})


def test_the_order_of_joining_is_never_given_twice() -> None:
    """Also not after somebody left for good."""
    one = seat(1)
    table = seats(one)
    table.remove(one)
    table.add(seat(2), "c2")
    assert table.joined == 2


def test_a_tab_finds_its_own_seat_held_ones_first() -> None:
    """Same account and same tab, no live socket; the last departed before older ones."""
    live, waiting, older, newer = (seat(number) for number in (1, 2, 3, 4))
    table = seats(live, waiting, older, newer)
    table.hold(waiting, 10.0)
    table.depart(older, 0.0)
    table.depart(newer, 0.0)
    assert table.waiting_for("a", "tab") is waiting
    table.remove(waiting)
    assert table.waiting_for("a", "tab") is newer
    assert table.waiting_for("a", "another") is None
    assert table.waiting_for("b", "tab") is None


def test_a_client_that_names_no_tab_finds_nothing() -> None:
    """Two clients without an id are not the same tab."""
    one = seat(1, client_id=None)
    table = seats(one)
    table.hold(one, 10.0)
    assert table.waiting_for("a", None) is None


def test_a_ticket_opens_a_members_seat_for_its_account_only() -> None:
    """Seat, token and account must agree; a departed seat's token is dead."""
    one = seat(1)
    table = seats(one)
    assert table.opens("s1", "hash1", "a") is one
    assert table.opens("s1", "hash2", "a") is None
    assert table.opens("s1", "hash1", "b") is None
    assert table.opens("s2", "hash1", "a") is None
    assert table.opens("s2", "", "a") is None
    assert table.opens("s1", "häsh", "a") is None
    table.depart(one, 0.0)
    assert table.opens("s1", "hash1", "a") is None


def test_names_of_the_departed_stay_taken() -> None:
    """They may come back."""
    one, two = seat(1), seat(2)
    table = seats(one, two)
    table.depart(one, 0.0)
    assert table.name_keys() == {"name 1", "name 2"}


def test_time_that_we_lost_is_given_back_to_held_seats_only() -> None:
    """The departed have minutes; connected ones wait for nothing."""
    held, later, live, gone = seat(1), seat(2), seat(3), seat(4)
    table = seats(held, later, live, gone)
    table.hold(held, 10.0)
    table.hold(later, 16.0)
    table.depart(gone, 0.0)
    table.give_back(4.5, at_least=15.0)
    assert (held.until, later.until, live.until, gone.until) == (15.0, 20.5, None, 120.0)


def ban(account: str, name: str | None = None) -> Ban:
    """Called after its account unless named."""
    return Ban(account, name or account, Avatar())


def test_of_each_banned_account_one_seat_is_named() -> None:
    """Its last; that one frees them all."""
    table = Seats(bans={"s1": ban("a"), "s2": ban("b"), "s3": ban("a", "A 2")})
    assert table.banned() == (Banned("s3", "A 2", Avatar()), Banned("s2", "b", Avatar()))


def test_a_ban_is_of_an_account_and_ends_for_all_its_seats() -> None:
    """It is named by any seat that the account had."""
    table = Seats(bans={"s1": ban("a"), "s2": ban("a"), "s3": ban("b")})
    assert table.is_banned("a")
    table.unban("a")
    assert table.bans == {"s3": ban("b")}
    assert not table.is_banned("a")


def test_an_account_that_signs_in_keeps_seats_and_bans() -> None:
    """Spec 1.7: they pass to the user; those of others don't."""
    mine, gone, other = seat(1), seat(2), seat(3, "b")
    table = seats(mine, gone, other)
    table.depart(gone, 0.0)
    table.bans = {"s8": ban("a"), "s9": ban("b")}
    table.move_account("a", "user:1")
    assert [one.account for one in (mine, gone, other)] == ["user:1", "user:1", "b"]
    assert table.bans == {"s8": ban("user:1", "a"), "s9": ban("b")}


def test_an_answer_counts_as_given_while_the_question_runs_and_after() -> None:
    """Spec 2.2: stored by seat."""
    one = seat(1)
    assert not one.has_answered("q1")
    one.given = Given("q1", ("x",), 0, 1.0, 0.0)
    assert one.has_answered("q1")
    assert not one.has_answered("q2")
    one.given = None
    one.graded = [Graded("q1", 0, ("x",), True, 5, Breakdown(5, 0, 0, 1000))]
    assert one.has_answered("q1")
    assert one.right_answers == 1


def test_nothing_of_a_game_is_left_at_a_cleared_seat() -> None:
    """A restart is a game like the first."""
    one = seat(1)
    one.first_question, one.score, one.streak = 3, 900, 2
    one.given = Given("q2", ("x",), 0, 1.0, 0.0)
    one.graded = [Graded("q1", 0, ("x",), False, 0, Breakdown(0, 0, 0, 1000))]
    one.clear()
    assert (one.first_question, one.score, one.streak, one.given, one.graded) == (0, 0, 0, None, [])
