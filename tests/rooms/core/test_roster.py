"""What is collected for one slot."""

from rooms.core.messages import Members, Reactions
from rooms.core.roster import News
from rooms.core.shapes import Avatar, ReactionSeen
from tests.rooms.core.kit import Table, settled


def test_the_first_change_opens_a_slot_and_later_ones_join_it() -> None:
    """250 ms from the first, however many come."""
    for note in (
        lambda news, now: news.add_joined("s", now),
        lambda news, now: news.add_changed("s", "score", now),
        lambda news, now: news.add_left("s", "left", now),
        lambda news, now: news.add_reaction("s", "heart", now),
        lambda news, now: news.add_progress(now),
    ):
        news = News()
        assert news.due is None
        note(news, 10.0)
        assert news.due == 10.25
        note(news, 10.2)
        assert news.due == 10.25


def test_a_field_that_changes_twice_is_told_once() -> None:
    """Its value is read when the slot ends."""
    news = News()
    news.add_changed("s", "score", 0.0)
    news.add_changed("s", "status", 0.0)
    news.add_changed("s", "score", 0.0)
    assert news.changed == {"s": ["score", "status"]}


def test_a_reconnect_storm_is_at_most_four_roster_frames_a_second() -> None:
    """Spec 3: 40 players come and go all the time, and a screen gets 4 frames a second."""
    table = Table()
    ana = table.hosted_by("Ana")
    players = table.joined_by(*(f"Player {number}" for number in range(40)))
    ana.starts()
    ana.forgets()
    for step in range(100):
        player = players[step % 40]
        player.drops()
        table.after(0.05)
        player.claims()
        table.after(0.05)
    frames = len(ana.saw(Members))
    assert 0 < frames <= 10 * 4
    assert settled(table)


def test_who_joined_and_left_in_one_slot_is_told_as_left_only() -> None:
    """A snapshot between the two may have shown the member to somebody."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    cleo = table.player("Cleo").joins()
    ben.leaves()
    table.after(0.25)
    assert ana.last(Members).joined == (table.room_member(cleo),)
    assert [gone.user_id for gone in ana.last(Members).left] == [ben.seat_id]
    assert table.is_seen_alike()


def test_a_change_of_a_newcomer_is_part_of_its_joining() -> None:
    """One slot names a member in one list only."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    ben.wears(Avatar("whale", 6))
    table.after(0.25)
    (frame,) = ana.saw(Members)
    assert frame.updated == ()
    assert frame.joined[0].avatar == Avatar("whale", 6)


def test_a_change_of_one_who_left_is_not_told() -> None:
    """The leaving is."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    table.after(1)
    ben.wears(Avatar("whale", 6))
    ben.leaves()
    table.after(0.25)
    assert ana.last(Members).updated == ()
    assert [gone.user_id for gone in ana.last(Members).left] == [ben.seat_id]


def test_a_change_and_its_undoing_are_told_to_who_saw_what_was_between() -> None:
    """Values are absolute: a delta is right whatever snapshot its receiver started from."""
    table = Table()
    ana = table.hosted_by("Ana")
    table.after(1)
    first = ana.seat.avatar
    ana.wears(Avatar("whale", 6))
    table.player("Ben").joins()
    ana.wears(first)
    assert settled(table)


def test_reactions_travel_in_one_batch_in_their_order() -> None:
    """Spec 3: coalesced, each with its sender; they are no roster change."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    table.after(1)
    ana.forgets()
    ben.reacts("star")
    ana.reacts("heart")
    ben.reacts("star")
    table.after(0.25)
    (batch,) = ana.seen
    assert batch == Reactions(
        (
            ReactionSeen(ben.seat_id, "star"),
            ReactionSeen(ana.seat_id, "heart"),
            ReactionSeen(ben.seat_id, "star"),
        )
    )
    table.after(1)
    assert ana.seen == [batch]
