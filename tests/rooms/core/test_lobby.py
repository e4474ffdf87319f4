"""The directory of rooms: codes, who is in which room, limits, tickets."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gateway.contract import Claim, ClientError, Ticket
from gateway.core.closing import DROPPED, GONE_AWAY, USER_DISCONNECTED
from gateway.core.machine import from_state, to_state
from rooms.core.effects import (
    Asked,
    Begin,
    Bind,
    Close,
    Create,
    Join,
    Lagged,
    Reattach,
    RoomOver,
    Unbind,
    Watch,
)
from rooms.core.lobby import Lobby
from rooms.core.messages import CreateRoom, JoinRoom, KickUser, LeaveRoom, StartGame
from rooms.core.room import Room
from rooms.core.rules import STATUS, ErrorCode
from tests.rooms.core.kit import is_a_sentence


def create(number: int, **more: Any) -> Create:
    fields = {"conn_id": f"host{number}", "account": f"account{number}", "client_id": f"tab{number}"}
    room = {"room_id": f"room{number}", "room_code": f"QUIZ2{number}", "seat_id": f"seat{number}"}
    return Create(**{**fields, **room, "token_hash": f"hash{number}", "command": CreateRoom("Ana"), **more})


def join(conn_id: str, account: str = "ben", **more: Any) -> Join:
    return Join(
        conn_id, account, f"tab-{conn_id}", f"seat-{conn_id}", f"hash-{conn_id}", JoinRoom("", "Ben", **more)
    )


def lobby_of(*numbers: int, **limits: int) -> Lobby:
    lobby = Lobby(**limits)
    for number in numbers:
        lobby.create(create(number), 0.0)
    return lobby


@contextmanager
def refused(lobby: Lobby, code: ErrorCode) -> Iterator[None]:
    """What happens inside is answered with this error, and changes nothing."""
    before = to_state(lobby)
    with pytest.raises(ClientError) as caught:
        yield
    assert (caught.value.code, caught.value.status) == (code, STATUS[code])
    assert is_a_sentence(caught.value.message), caught.value.message
    assert to_state(lobby) == before


def test_a_new_room_is_found_by_its_code_however_it_is_typed() -> None:
    """In any case, with spaces (spec 2.1)."""
    lobby = lobby_of(2, 3)
    for typed in ("QUIZ22", "quiz22", " qUiz 22 "):
        assert lobby.room_with(typed) is lobby.rooms["room2"]
    assert lobby.room_with("QUIZ23").creator == "account3"
    assert set(lobby.codes) == {"QUIZ22", "QUIZ23"}


@pytest.mark.parametrize("typed", ["QUIZ24", "", "room2", "QUIZ2", "QUIZ222"])
def test_a_code_of_no_room_is_not_found(typed: str) -> None:
    """ROOM_NOT_FOUND, whatever is wrong with it."""
    lobby = lobby_of(2)
    with refused(lobby, "ROOM_NOT_FOUND"):
        lobby.room_with(typed)


def test_a_full_server_makes_no_room() -> None:
    """SERVER_FULL at MAX_ROOMS; a room that ends makes place."""
    lobby = lobby_of(2, 3, max_rooms=2)
    with refused(lobby, "SERVER_FULL"):
        lobby.create(create(4), 0.0)
    lobby.leave("host2", USER_DISCONNECTED, 1.0)
    assert lobby.create(create(4), 0.0)[0].id == "room4"


def test_a_bad_name_or_setting_makes_no_room() -> None:
    """All is checked first."""
    lobby = lobby_of(2)
    with refused(lobby, "NAME_INVALID"):
        lobby.create(create(4, command=CreateRoom("")), 0.0)


def test_the_sites_limit_of_players_holds_in_every_room() -> None:
    """It is the lobby's to say."""
    lobby = lobby_of(2, max_players=7)
    assert lobby.rooms["room2"].settings.max_players == 7


def test_it_knows_which_room_a_connection_is_in() -> None:
    """With a seat or watching; NOT_IN_ROOM otherwise."""
    lobby = lobby_of(2, 3)
    first, second = lobby.rooms.values()
    lobby.apply(first, join("c1"), 1.0)
    lobby.apply(second, Watch("c2", "account3"), 1.0)
    assert lobby.room_of("c1") is first
    assert lobby.room_of("c2") is second
    assert lobby.room_of("host3") is second
    with refused(lobby, "NOT_IN_ROOM"):
        lobby.room_of("c3")


def test_a_connection_is_in_one_room_at_most() -> None:
    """ALREADY_IN_ROOM for members and watchers; after LEAVE_ROOM it is free."""
    lobby = lobby_of(2, 3)
    room = lobby.rooms["room2"]
    lobby.apply(room, Watch("c2", "account2"), 1.0)
    lobby.apply(room, join("c1"), 1.0)
    for conn_id in ("c2", "c1", "host2"):
        with refused(lobby, "ALREADY_IN_ROOM"):
            lobby.check_free(conn_id)
        with refused(lobby, "ALREADY_IN_ROOM"):
            lobby.create(create(4, conn_id=conn_id), 1.0)
        lobby.apply(room, Asked(conn_id, LeaveRoom()), 1.0)
        lobby.check_free(conn_id)


def test_an_error_of_a_room_is_passed_on() -> None:
    """And nothing is noted."""
    lobby = lobby_of(2)
    with refused(lobby, "NOT_HOST"):
        lobby.apply(lobby.rooms["room2"], Watch("c2", "stranger"), 1.0)


def test_a_socket_that_is_gone_is_in_no_room() -> None:
    """And its seat is treated as its ending says; one in no room changes nothing."""
    lobby = lobby_of(2)
    lobby.apply(lobby.rooms["room2"], join("c1"), 1.0)
    assert lobby.leave("stranger", DROPPED, 2.0) == ()
    lobby.leave("c1", DROPPED, 2.0)
    assert set(lobby.conns) == {"host2"}
    assert lobby.leave("c1", DROPPED, 3.0) == ()
    assert [seat.account for seat in lobby.rooms["room2"].seats.here.values()] == ["account2"]


def test_a_kicked_socket_is_in_no_room() -> None:
    """Before its close comes."""
    lobby = lobby_of(2)
    room = lobby.rooms["room2"]
    lobby.apply(room, join("c1"), 1.0)
    effects = lobby.apply(room, Asked("host2", KickUser("seat-c1")), 1.0)
    assert Unbind("c1") in effects
    lobby.check_free("c1")


def test_a_taken_over_socket_is_in_no_room() -> None:
    """The seat's new socket is."""
    lobby = lobby_of(2)
    room = lobby.rooms["room2"]
    lobby.apply(room, join("c1"), 1.0)
    effects = lobby.apply(room, Reattach("c2", "ben", None, "seat-c1"), 1.0)
    assert effects[:2] == (Bind("c2", "seat-c1"), Unbind("c1"))
    assert set(lobby.conns) == {"host2", "c2"}


def test_a_ticket_is_checked_by_the_room_it_names() -> None:
    """The claim says who holds the seat now (contract.Game.check_claim)."""
    lobby = lobby_of(2)
    good = Ticket("room2", "seat2", "hash2")
    assert lobby.check_claim(good, "account2") == Claim("room2", "seat2", "host2")
    for ticket, account in (
        (good, "account3"),
        (Ticket("room3", "seat2", "hash2"), "account2"),
        (Ticket("room2", "seat3", "hash2"), "account2"),
        (Ticket("room2", "seat2", "hash3"), "account2"),
    ):
        assert lobby.check_claim(ticket, account) is None


def test_a_wrong_token_is_told_from_a_seat_that_is_gone() -> None:
    """It is shown for somebody's seat, or for nobody's (contract.Game.forged); whose token is right is not
    asked.
    """
    lobby = lobby_of(2)
    assert lobby.forged(Ticket("room2", "seat2", "guess")) == "account2"
    for innocent in (
        Ticket("room2", "seat2", "hash2"),
        Ticket("room2", "seat3", "guess"),
        Ticket("room3", "seat2", "guess"),
        Ticket("room2", "seat3", ""),
    ):
        assert lobby.forged(innocent) is None


def test_a_claim_on_a_seat_in_grace_names_no_holder() -> None:
    """There is no socket to replace."""
    lobby = lobby_of(2)
    room = lobby.rooms["room2"]
    room.seats.hold(room.seats.here["seat2"], 10.0)
    assert lobby.check_claim(Ticket("room2", "seat2", "hash2"), "account2") == Claim("room2", "seat2", None)


def test_a_room_that_is_over_is_forgotten() -> None:
    """Its code is free, nobody is in it; others are as they were."""
    lobby = lobby_of(2, 3)
    room = lobby.rooms["room2"]
    lobby.apply(room, Watch("c2", "account2"), 1.0)
    assert lobby.apply(room, Close(), 1.0)[-1] == RoomOver("closed")
    assert (set(lobby.rooms), set(lobby.codes), set(lobby.conns)) == ({"room3"}, {"QUIZ23"}, {"host3"})


def test_rooms_end_by_their_own_clock() -> None:
    """The shell wakes them at their deadline."""
    lobby = lobby_of(2)
    room = lobby.rooms["room2"]
    assert lobby.leave("host2", GONE_AWAY, 1.0) == ()
    assert lobby.wake(room, 2.0) == ()
    while room.deadline() is not None:
        effects = lobby.wake(room, room.deadline())
    assert effects == (RoomOver("empty"),)
    assert lobby.rooms == {}


def test_an_account_that_signs_in_keeps_its_rooms() -> None:
    """Seats and the creator's role pass to the user, in all rooms (spec 1.7)."""
    lobby = lobby_of(2, 3)
    lobby.apply(lobby.rooms["room3"], join("c1", "account2"), 1.0)
    lobby.move_account("account2", "user:1", 2.0)
    assert lobby.rooms["room2"].creator == "user:1"
    assert lobby.rooms["room3"].creator == "account3"
    assert lobby.check_claim(Ticket("room2", "seat2", "hash2"), "user:1") is not None
    assert lobby.check_claim(Ticket("room3", "seat-c1", "hash-c1"), "user:1") is not None


def test_its_state_can_be_saved_and_restored() -> None:
    """Rooms included."""
    lobby = lobby_of(2, 3)
    restored = from_state(to_state(lobby), Lobby)
    assert to_state(restored) == to_state(lobby)
    assert isinstance(restored.room_with("QUIZ22"), Room)


def in_a_game(lobby: Lobby, conn_id: str, game_id: str = "g1") -> None:
    """The host starts a game."""
    begin = Begin(conn_id, StartGame(), game_id, seed=1)
    lobby.apply(lobby.room_of(conn_id), begin, 1.0)


def test_heartbeats_of_players_in_a_game_are_measured() -> None:
    """In no room, in a lobby, or watching there is nothing that they could be worth (spec 2.4)."""
    lobby = lobby_of(2, 3)
    in_a_game(lobby, "host2")
    lobby.apply(lobby.rooms["room2"], Watch("c2", "account2"), 1.0)
    for conn_id in ("host2", "host3", "c2", "stranger"):
        lobby.measured(conn_id, 0.1)
    asked = {conn_id: lobby.rtt_s(conn_id) for conn_id in ("host2", "host3", "c2", "stranger")}
    assert asked == {"host2": 0.1, "host3": None, "c2": None, "stranger": None}


def test_a_player_brings_its_round_trips_back_to_its_seat() -> None:
    """Also after an eviction, under a new seat id."""
    lobby = lobby_of(2)
    room = lobby.rooms["room2"]
    lobby.apply(room, join("c1"), 1.0)
    in_a_game(lobby, "host2")
    for rtt_s in (0.1, 0.1, 0.2):
        lobby.measured("c1", rtt_s)
    lobby.leave("c1", DROPPED, 2.0)
    while not room.seats.departed:
        lobby.wake(room, room.deadline())
    lobby.apply(room, Join("c2", "ben", "tab-c1", "seat-new", "hash", JoinRoom("", "Ben")), 13.0)
    assert room.seats.holders["c2"] == "seat-new"
    assert lobby.rtt_s("c2") == 0.1


def test_a_room_hears_of_a_line_only_when_it_has_changed() -> None:
    """A heartbeat of each player in 7 s is no news to the room; and one who lagged may be quick again."""
    lobby = lobby_of(2)
    in_a_game(lobby, "host2")
    heard = []
    for rtt_s in (0.4, 0.4, 0.4, 0.4, 0.1, 0.1, 0.1):
        lagged = lobby.measured("host2", rtt_s)
        heard.append(lagged)
        if lagged is not None:
            lobby.apply(lobby.rooms["room2"], lagged, 2.0)
    slow, quick = Lagged("host2", lagging=True), Lagged("host2", lagging=False)
    assert heard == [None, None, slow, None, None, quick, None]
    assert lobby.measured("stranger", 0.4) is None


def test_a_room_takes_its_round_trips_with_it() -> None:
    """Nothing of a room is left when it is over."""
    lobby = lobby_of(2)
    in_a_game(lobby, "host2")
    lobby.measured("host2", 0.1)
    lobby.apply(lobby.rooms["room2"], Close(), 2.0)
    assert lobby == Lobby()
