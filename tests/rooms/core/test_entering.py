"""How people come into a room: new seats, seats of their own, tickets, watching, the host's role."""

import pytest

from gateway.contract import ClientError
from gateway.core.closing import DROPPED, GONE_AWAY, NEW_SESSION_OPENED, SEAT_ATTACHED_ELSEWHERE
from rooms.core.effects import Bind, IssueSeat, Reattach, Unbind
from rooms.core.messages import HostChanged, Members, RoomJoined, RoomState, YourResult
from rooms.core.questions import SetSource
from rooms.core.seats import Standing
from rooms.core.shapes import Avatar, OwnAnswer
from tests.rooms.core.kit import CODE, Table, refused, settled


def playing(**settings: object) -> Table:
    """A game of Ana (host), Ben and Cleo that is at its first question."""
    table = Table()
    table.ana = table.hosted_by("Ana", **settings)
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    table.ana.starts()
    table.after(3)
    return table


# ---------- creating and joining


def test_the_creator_is_host_and_gets_a_seat_with_a_token() -> None:
    """CREATE_ROOM is answered by ROOM_JOINED; the token's hash is the one the shell sent."""
    table = Table()
    ana = table.hosted_by("Ana", locked=True)
    (joined,) = ana.seen
    assert isinstance(joined, RoomJoined)
    assert (joined.seat_id, joined.reconnect_token) == (ana.seat_id, None)
    assert (joined.room.room_id, joined.room.room_code, joined.room.phase) == ("room", CODE, "lobby")
    assert (joined.you.user_id, joined.you.is_host, joined.you.score, joined.you.rank) == (
        ana.seat_id,
        True,
        0,
        1,
    )
    assert joined.room.settings.locked
    assert ana.ticket_is_good
    assert table.log == [Bind(ana.conn_id, ana.seat_id), IssueSeat(ana.conn_id, joined)]


def test_settings_of_a_new_room_are_checked() -> None:
    """SETTINGS_INVALID, and there is no room."""
    with pytest.raises(ClientError, match="questionCount must be 1 to 50, not 0"):
        Table().hosted_by("Ana", question_count=0)


def test_a_creators_name_is_cleaned_and_checked() -> None:
    """As any player's."""
    table = Table()
    assert table.hosted_by("  Ana ").seat.name == "Ana"
    with pytest.raises(ClientError) as caught:
        Table().hosted_by("   ")
    assert caught.value.code == "NAME_INVALID"


def test_the_site_may_allow_fewer_players() -> None:
    """Its limit is the default and the most a host may set."""
    table = Table(max_players=5)
    ana = table.hosted_by("Ana")
    assert table.room.settings.max_players == 5
    with refused(table, "SETTINGS_INVALID"):
        ana.sets(max_players=6)


def test_a_newcomer_is_told_of_the_room_and_the_room_of_the_newcomer() -> None:
    """The newcomer at once and whole, the others in the next roster frame."""
    table = Table()
    ana = table.hosted_by("Ana")
    ana.forgets()
    ben = table.player("Ben").joins(avatar=Avatar("fox", 4))
    assert [member.name for member in ben.last(RoomJoined).room.members] == ["Ana", "Ben"]
    assert not ben.last(RoomJoined).you.is_host
    assert ana.seen == []
    table.after(0.25)
    (frame,) = ana.seen
    assert frame == Members(joined=(table.room_member(ben),))
    assert (frame.joined[0].name, frame.joined[0].avatar, frame.joined[0].join_order) == (
        "Ben",
        Avatar("fox", 4),
        1,
    )
    assert table.is_seen_alike()


def test_members_without_an_avatar_get_different_ones() -> None:
    """In the order in which they join, nothing is drawn; the thirteenth starts again with another colour."""
    table = Table()
    ana = table.hosted_by("Ana")
    players = [ana, *table.joined_by(*(f"P{number}" for number in range(12)))]
    avatars = [player.seat.avatar for player in players]
    assert len(set(avatars)) == 12
    assert avatars[0] == avatars[12] == Avatar("bear", 1)
    assert {avatar.colour for avatar in avatars} == {1, 2, 3, 4, 5, 6}


def test_a_second_ana_is_ana_2() -> None:
    """Names are unique by a folded key (spec 2.1)."""
    table = Table()
    table.hosted_by("Ana")
    second = table.player("ANA").joins()
    assert second.seat.name == "ANA 2"
    assert second.seat.name_key != second.table.room.seats.here[table.players[0].seat_id].name_key


def test_the_name_of_a_departed_member_is_kept_for_it() -> None:
    """It may come back."""
    table = Table()
    table.hosted_by("Ana")
    table.player("Ben").joins().leaves()
    assert table.player("Ben", account="someone else").joins().seat.name == "Ben 2"


def test_a_bad_name_is_refused() -> None:
    """NAME_INVALID, and nobody is in."""
    table = Table()
    table.hosted_by("Ana")
    with refused(table, "NAME_INVALID"):
        table.player("").joins()


def test_a_full_room_takes_nobody_in() -> None:
    """ROOM_FULL at maxPlayers, one fewer is fine; somebody in grace has a place."""
    table = Table()
    ana = table.hosted_by("Ana", max_players=3)
    ben, _ = table.joined_by("Ben", "Cleo")
    with refused(table, "ROOM_FULL"):
        table.player("Dia").joins()
    ana.starts()
    ben.drops()
    with refused(table, "ROOM_FULL"):
        table.player("Dia").joins()


def test_a_locked_room_takes_in_nobody_but_its_creator() -> None:
    """ROOM_LOCKED for a newcomer; the creator's account always passes (spec 2.3)."""
    table = Table()
    ana = table.hosted_by("Ana")
    ana.sets(locked=True)
    with refused(table, "ROOM_LOCKED"):
        table.player("Ben").joins()
    second = table.player("Ana on the phone", account=ana.account).joins()
    assert second.is_in


def test_late_joiners_can_be_kept_out() -> None:
    """With allowLateJoin off a room is locked while a game is active, and open again on the podium."""
    table = Table()
    ana = table.hosted_by("Ana", allow_late_join=False)
    table.player("Ben").joins()
    ana.starts()
    for _ in ("starting", "question", "results"):
        with refused(table, "ROOM_LOCKED"):
            table.player("Cleo").joins()
        table.after(15)
    assert table.player("Ana on the phone", account=ana.account).joins().is_in
    table.after(60)
    assert table.phase == "finished"
    assert table.player("Dia").joins().is_in


def test_a_late_joiner_waits_for_the_next_question() -> None:
    """Spec 2.4: it sees the one that is on and is not expected to answer it."""
    table = playing()
    dia = table.player("Dia").joins()
    joined = dia.last(RoomJoined)
    assert joined.you.waits
    assert joined.room.question is not None
    with refused(table, "QUESTION_CLOSED"):
        dia.answers("a")
    for player in (table.ana, table.ben, table.cleo):
        player.answers("a")
    assert table.phase == "results"
    assert dia.saw(YourResult) == []
    table.after(5)
    dia.answers("a")
    assert dia.seat.first_question == 1
    table.after(15)
    assert dia.last(YourResult).correct


def test_who_joins_during_countdown_or_results_waits_for_nothing() -> None:
    """The next question is theirs."""
    table = Table()
    table.hosted_by("Ana").starts()
    ben = table.player("Ben").joins()
    assert not ben.last(RoomJoined).you.waits
    table.after(3 + 15)
    assert table.phase == "results"
    cleo = table.player("Cleo").joins()
    assert not cleo.last(RoomJoined).you.waits
    assert cleo.saw(YourResult) == []
    table.after(5)
    ben.answers("a")
    cleo.answers("a")
    assert (ben.seat.first_question, cleo.seat.first_question) == (0, 1)


def test_one_connection_has_one_seat() -> None:
    """ALREADY_IN_ROOM for a second JOIN_ROOM or WATCH_ROOM, and for a ticket, from a member or a watcher."""
    table = Table()
    ana = table.hosted_by("Ana")
    screen = table.player("screen", account=ana.account).watches()
    for player in (ana, screen):
        with refused(table, "ALREADY_IN_ROOM"):
            player.joins()
        with refused(table, "ALREADY_IN_ROOM"):
            player.watches()
        with refused(table, "ALREADY_IN_ROOM"):
            player.tell(Reattach(player.conn_id, player.account, None, ana.seat_id))


# ---------- back to a seat of one's own


def test_two_tabs_of_one_account_are_two_players() -> None:
    """Spec 2.1; a live seat of the same tab is no reason to be refused either."""
    table = Table()
    table.hosted_by("Ana")
    first = table.player("Ben").joins()
    second = table.player("Ben", account=first.account, client_id="another tab").joins()
    third = table.player("Ben", account=first.account).joins()
    assert table.members == ["Ana", "Ben", "Ben 2", "Ben 3"]
    assert len({first.seat_id, second.seat_id, third.seat_id}) == 3


def test_a_tab_goes_back_to_its_seat_in_grace_under_the_same_id() -> None:
    """JOIN_ROOM without resume: same account and clientId; the token is new, the name stays (spec 2.1)."""
    table = playing()
    ben = table.ben
    seat_id, token = ben.seat_id, ben.token
    ben.drops()
    table.after(1)
    ben.opens_a_socket()
    ben.name = ""
    ben.joins()
    assert ben.seat_id == seat_id
    assert ben.token != token
    assert ben.seat.name == "Ben"
    assert ben.seat.standing is Standing.CONNECTED
    assert table.room.deadline() is not None
    assert settled(table)


def test_a_tab_goes_back_to_its_departed_seat_under_a_new_id() -> None:
    """Score, name, avatar, answers and join order are as they were; id and token are new (spec 2.3)."""
    table = playing()
    ben = table.ben
    ben.answers("a")
    for player in (table.ana, table.cleo):
        player.answers("b")
    old = (ben.seat_id, ben.ticket, ben.seat.score, ben.seat.avatar)
    assert ben.seat.score > 0
    ben.drops()
    table.after(10)
    assert not ben.is_in
    ben.opens_a_socket()
    ben.joins()
    assert ben.seat_id != old[0]
    assert (ben.seat.name, ben.seat.score, ben.seat.avatar, ben.seat.join_order) == ("Ben", old[2], old[3], 1)
    assert ben.last(RoomJoined).you.score == old[2]
    assert table.room.check_claim(old[1], ben.account) is None
    assert table.members == ["Ana", "Ben", "Cleo"]
    assert settled(table)


def test_a_named_seat_is_returned_to_from_any_tab_of_the_account() -> None:
    """With resume, if it has no live socket; the seat belongs to that tab from now on."""
    table = playing()
    ben = table.ben
    ben.drops()
    phone = table.player("Ben's phone", account=ben.account)
    phone.joins(resume=ben.seat_id)
    assert phone.seat_id == ben.seat_id
    assert phone.seat.client_id == phone.client_id
    assert phone.seat.name == "Ben"
    assert table.members == ["Ana", "Ben", "Cleo"]


def test_a_live_seat_is_not_taken_without_takeover() -> None:
    """ALREADY_IN_ROOM: a duplicated tab must not fight the first for the seat."""
    table = playing()
    ben = table.ben
    copy = table.player("Ben", account=ben.account)
    with refused(table, "ALREADY_IN_ROOM"):
        copy.joins(resume=ben.seat_id)


def test_a_button_takes_a_live_seat_over() -> None:
    """With takeOver the old socket is closed 1000 and the old token is dead (spec 2.1)."""
    table = playing()
    ben = table.ben
    old_ticket, old_conn = ben.ticket, ben.conn_id
    copy = table.player("Ben", account=ben.account)
    copy.joins(resume=ben.seat_id, take_over=True)
    assert copy.seat_id == ben.seat_id
    assert table.ends[old_conn] is SEAT_ATTACHED_ELSEWHERE
    assert Unbind(old_conn) in table.log
    assert copy.seat.conn_id == copy.conn_id
    assert table.room.check_claim(old_ticket, ben.account) is None
    assert settled(table)


@pytest.mark.parametrize("take_over", [False, True])
def test_a_seat_of_somebody_else_is_an_unknown_one(take_over: bool) -> None:
    """resume is ignored: one gets a seat of one's own, and the other keeps its."""
    table = playing()
    thief = table.player("Thief").joins(resume=table.ben.seat_id, take_over=take_over)
    assert thief.seat_id != table.ben.seat_id
    assert table.ben.seat.conn_id == table.ben.conn_id
    assert table.player("Dia").joins(resume="nonsense").is_in


def test_a_returning_player_passes_lock_and_late_join_but_not_a_ban() -> None:
    """A departed seat comes back in any phase (spec 2.3)."""
    table = playing(allow_late_join=False)
    table.ben.drops()
    table.after(10)
    table.ben.comes_back()
    assert table.ben.is_in
    table.ana.stops()
    table.ana.sets(locked=True)
    table.ben.leaves()
    table.ben.comes_back()
    assert table.ben.is_in
    table.ana.kicks(table.ben)
    with refused(table, "BANNED"):
        table.ben.comes_back()


def test_during_a_game_the_places_of_the_departed_are_kept() -> None:
    """They count in ROOM_FULL, so their owners always find them (spec 2.3)."""
    table = playing(max_players=3)
    table.ben.drops()
    table.after(10)
    with refused(table, "ROOM_FULL"):
        table.player("Dia").joins()
    table.ben.comes_back()
    assert table.ben.is_in


def test_after_a_game_a_place_is_kept_for_nobody() -> None:
    """A departed seat then comes back only if there is room."""
    table = playing(max_players=3)
    table.ben.leaves()
    table.ana.stops()
    dia = table.player("Dia").joins()
    with refused(table, "ROOM_FULL"):
        table.ben.comes_back()
    dia.leaves()
    table.ben.comes_back()
    assert table.ben.is_in


def test_a_seat_is_forgotten_two_minutes_after_it_departed_in_the_lobby() -> None:
    """Then one is a newcomer with the same name."""
    table = Table()
    table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    table.player("Cleo").joins()
    ben.leaves()
    table.after(119.9)
    assert ben.seat_id in table.room.seats.departed
    table.after(0.1)
    assert table.room.seats.departed == {}
    ben.comes_back()
    assert (ben.seat.name, ben.seat.join_order) == ("Ben", 3)


def test_a_seat_is_remembered_while_the_game_lasts() -> None:
    """However long; then it goes if its two minutes are over, and no alarm is left in the past."""
    table = playing(auto_advance=False)
    table.ben.leaves()
    table.after(15)
    assert table.phase == "results"
    table.after(600)
    assert table.ben.place.standing is Standing.DEPARTED
    table.ana.stops()
    assert table.room.seats.departed == {}
    assert table.room.deadline() > table.now


# ---------- with a ticket


def test_a_claim_in_grace_reattaches_with_the_whole_state() -> None:
    """Own answer, remaining time, own score (spec 2.3); the others see the member connected again."""
    table = playing()
    ben = table.ben
    table.after(4)
    ben.answers("b")
    ben.drops()
    table.after(1)
    assert table.room_member(ben).status == "grace"
    table.after(4)
    ben.claims()
    (state,) = ben.saw(RoomState)
    assert state.you is not None
    assert state.you.answered == OwnAnswer("q1", ("1b",))
    assert state.room.question is not None
    assert state.room.question.remaining_ms == 6000
    assert ben.seat.until is None
    assert settled(table)
    assert table.room_member(ben).status == "connected"
    table.after(5)
    assert ben.is_in


def test_a_claim_in_results_says_again_what_the_question_brought() -> None:
    """A reload shows the same screen; one who has no part in it is told nothing."""
    table = playing()
    for player in (table.ana, table.ben, table.cleo):
        player.answers("a")
    told = table.ben.last(YourResult)
    table.ben.drops()
    table.ben.forgets()
    table.ben.claims()
    assert table.ben.saw(YourResult) == [told]
    state = table.ben.last(RoomState)
    assert state.room.results is not None
    assert state.room.results.correct == ("1a",)
    assert state.room.question is not None
    assert state.room.question.remaining_ms == 0


def test_a_claim_on_a_live_seat_closes_the_socket_that_had_it() -> None:
    """1000 Seat attached elsewhere; its late close frees nothing (spec 1.7)."""
    table = playing()
    ben = table.ben
    old = ben.conn_id
    ben.claims()
    assert table.ends == {old: SEAT_ATTACHED_ELSEWHERE}
    assert ben.seat.conn_id == ben.conn_id
    assert ben.seat.standing is Standing.CONNECTED
    assert [seat.conn_id for seat in table.room.seats.here.values()].count(ben.conn_id) == 1


def test_a_ticket_of_an_evicted_seat_is_worth_nothing() -> None:
    """Neither at admission nor, if it went in between, at the opening."""
    table = playing()
    ben = table.ben
    ben.drops()
    table.after(10)
    assert not ben.ticket_is_good
    ben.opens_a_socket()
    with refused(table, "NO_SUCH_MEMBER"):
        ben.tell(Reattach(ben.conn_id, ben.account, ben.client_id, ben.seat_id))


def test_a_failed_claim_disturbs_nobody() -> None:
    """A wrong token or account changes nothing, not even a timer (spec 1.2)."""
    table = playing()
    ben = table.ben
    ben.drops()
    for ticket, account in ((ben.ticket, "session:x"), (table.cleo.ticket, ben.account)):
        before = table.room.deadline()
        assert table.room.check_claim(ticket, account) is None
        assert table.room.deadline() == before
    thief = table.player("Thief")
    with refused(table, "NO_SUCH_MEMBER"):
        thief.tell(Reattach(thief.conn_id, thief.account, None, ben.seat_id))
    ben.claims()
    assert ben.is_in


# ---------- watching


def test_the_creator_and_the_host_may_watch() -> None:
    """WATCH_ROOM takes no seat and is answered by ROOM_STATE without you (spec 2.1)."""
    table = Table()
    ana = table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    screen = table.player("screen", account=ana.account).watches()
    (state,) = screen.seen
    assert isinstance(state, RoomState)
    assert state.you is None
    assert [member.name for member in state.room.members] == ["Ana", "Ben"]
    assert table.inside[screen.conn_id] is None
    with refused(table, "NOT_HOST"):
        table.player("screen", account=ben.account).watches()
    ana.leaves()
    assert ben.is_host
    assert table.player("screen", account=ben.account).watches().seen
    assert table.player("screen", account=ana.account).watches().seen


def test_a_watcher_sees_the_game_and_nobodys_own_frames() -> None:
    """Public frames only."""
    table = playing()
    screen = table.player("screen", account=table.ana.account).watches()
    table.ben.answers("a")
    table.after(60)
    kinds = {type(event).__name__ for event in screen.seen}
    assert kinds == {
        "RoomState",
        "Members",
        "NewQuestion",
        "AnswerProgress",
        "QuestionResults",
        "GameFinished",
    }
    assert table.is_seen_alike()


# ---------- the host's role


def test_the_creator_gets_the_role_back_when_it_returns() -> None:
    """A teacher's F5 (a 1001) must not hand the class to a pupil for good (spec 2.3)."""
    table = playing()
    ana, ben = table.ana, table.ben
    ana.drops(GONE_AWAY)
    assert ben.is_host
    assert ben.last(HostChanged) == HostChanged(ben.seat_id)
    ana.comes_back()
    assert ana.is_host
    assert ana.last(RoomJoined).you.is_host
    assert ben.last(HostChanged) == HostChanged(ana.seat_id)
    assert settled(table)


def test_the_creator_gets_the_role_back_on_a_new_device() -> None:
    """It is the account that counts, not the seat."""
    table = playing()
    table.ana.leaves()
    phone = table.player("Ana's phone", account=table.ana.account).joins()
    assert phone.is_host


def test_the_role_stays_with_the_creators_other_seat() -> None:
    """The role comes back only when no seat of the creator's account has it."""
    table = Table()
    ana = table.hosted_by("Ana")
    second = table.player("Ana 2", account=ana.account).joins()
    table.after(1)
    second.forgets()
    ana.leaves()
    assert second.is_host
    ana.comes_back()
    assert second.is_host
    assert not ana.is_host
    assert len(second.saw(HostChanged)) == 1


def test_the_first_in_an_empty_room_is_host() -> None:
    """Nobody was; with the creator's return the role goes on to it."""
    table = Table()
    ana = table.hosted_by("Ana")
    ana.drops(DROPPED)
    assert table.room.host is None
    ben = table.player("Ben").joins()
    assert ben.is_host
    assert ben.last(RoomJoined).you.is_host
    assert table.room.empty_at is None
    ana.comes_back()
    assert ana.is_host


def test_a_host_who_only_presents_is_not_asked() -> None:
    """hostPlays off: expected are the others, and answers are refused (spec 2.1)."""
    table = playing(host_plays=False)
    assert not table.room_member(table.ana).plays
    with refused(table, "INVALID_STATE"):
        table.ana.answers("a")
    table.ben.answers("a")
    table.cleo.answers("b")
    assert table.phase == "results"
    assert table.ana.saw(YourResult) == []
    assert [entry.name for entry in table.room.game.results.leaderboard] == ["Ben", "Cleo"]
    assert table.ana.last(RoomJoined).you.rank == 0


def test_a_presenter_who_comes_back_presents_again() -> None:
    """By the old seat or, on another device, by a new one."""
    table = playing(host_plays=False)
    table.ana.drops(GONE_AWAY)
    table.ana.comes_back()
    assert table.ana.is_host
    assert not table.room_member(table.ana).plays
    table.ana.leaves()
    phone = table.player("Ana's phone", account=table.ana.account).joins()
    assert not table.room_member(phone).plays


def test_a_member_who_becomes_host_keeps_playing() -> None:
    """hostPlays off means the creator; so does a second tab of the creator's account play."""
    table = playing(host_plays=False)
    second = table.player("Ana's other tab", account=table.ana.account).joins()
    table.ana.leaves()
    assert table.ben.is_host
    assert table.room_member(table.ben).plays
    assert table.room_member(second).plays
    table.ben.answers("a")
    assert table.ben.seat.given is not None


def test_settings_of_a_room_may_name_a_question_set() -> None:
    """Whose it is, is not the room's to know."""
    table = Table()
    table.hosted_by("Ana", question_source=SetSource("set1"))
    assert table.room.settings.question_source == SetSource("set1")


def test_a_replaced_tab_finds_its_seat_in_the_lobby_too() -> None:
    """4000 New session opened: the seat waits in any phase for its successor's JOIN_ROOM (spec 1.7)."""
    table = Table()
    table.hosted_by("Ana")
    ben = table.player("Ben").joins()
    table.after(1)
    seat_id = ben.seat_id
    ben.drops(NEW_SESSION_OPENED)
    assert table.room_member(ben).status == "grace"
    ben.opens_a_socket()
    ben.joins()
    assert ben.seat_id == seat_id
    assert settled(table)
