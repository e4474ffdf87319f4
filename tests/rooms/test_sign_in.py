"""A player signs in: the real quiz behind the real runtime keeps what is his (spec 1.7, 4001)."""

import pytest

from gateway import logins
from gateway.admission import Attempt, hash_session, parse_query
from gateway.logins import Login
from gateway.runtime import Admission
from gateway.testing import RecordingPort
from rooms.core import effects as fx
from rooms.core.recording import Bounds, Recorder
from tests.rooms.test_service import Site, Tab, ticket

OLD, ANA = "the-old-session", Login("the-new-session", 7, "backend", "hash")
EVERYTHING = Bounds(200, 300, 1_048_576, 67_108_864)


class Visit(Tab):
    """A tab of a watched session."""

    def __init__(self, site: Site, login: Login, query: str = "") -> None:
        self.site, self.port = site, RecordingPort()
        attempt = Attempt(
            hash_session(login.key), login.account, "203.0.113.9", "Firefox", parse_query(query)
        )
        admission = site.runtime.admit(attempt, login)
        assert isinstance(admission, Admission), admission
        self.admission = admission
        self.socket = site.runtime.accept(admission, self.port)
        site.runtime.open(admission, self.socket)


@pytest.fixture
def site() -> Site:
    made = Site()
    made.runtime.game._keeping.recorder = Recorder(EVERYTHING)
    return made


def test_the_host_who_signs_in_mid_game_is_host_and_creator_still(site: Site) -> None:
    """He may stop the game, and his next socket takes his seat over with its ticket."""
    host, ben = Visit(site, Login(OLD)), Visit(site, Login("bens-session"))
    joined = host.creates()
    ben.says("JOIN_ROOM", roomCode=joined["room"]["roomCode"], name="Ben")
    host.says("START_GAME")
    logins.sign_in(site.runtime, OLD, ANA)
    assert host.says("STOP_GAME").last("GAME_STOPPED")
    again = Visit(site, ANA, ticket(joined))
    assert again.last("CONNECTED")["userId"] == joined["seatId"]
    assert again.last("ROOM_STATE")
    assert host.port.closed is not None
    assert host.port.closed.reason == "Seat attached elsewhere"
    assert site.runtime.game.lobby.rooms[joined["room"]["roomId"]].creator == "user:7"


def test_a_ban_follows_the_banned_when_they_sign_in(site: Site) -> None:
    """Else a sign-in would be the way back."""
    host, ben = Visit(site, Login("hosts-session")), Visit(site, Login(OLD))
    code = host.creates()["room"]["roomCode"]
    seat = ben.says("JOIN_ROOM", roomCode=code, name="Ben").last("ROOM_JOINED")["seatId"]
    host.says("KICK_USER", userId=seat, ban=True)
    logins.sign_in(site.runtime, OLD, ANA)
    back = Visit(site, ANA).says("JOIN_ROOM", roomCode=code, name="Benno")
    assert back.last("ERROR")["code"] == "BANNED"


def test_a_room_made_after_the_sign_in_is_the_users(site: Site) -> None:
    """The socket is the one of before; what it does is the user's."""
    tab = Visit(site, Login(OLD))
    logins.sign_in(site.runtime, OLD, ANA)
    room = tab.creates()["room"]
    assert site.runtime.game.lobby.rooms[room["roomId"]].creator == "user:7"


def test_a_sign_in_is_recorded_in_the_rooms_it_concerns_and_in_no_other(site: Site) -> None:
    """A replay needs it there; elsewhere a busy site's sign-ins would push the room's own past out."""
    here, there = Visit(site, Login(OLD)).creates(), Visit(site, Login("another")).creates()
    logins.sign_in(site.runtime, OLD, ANA)
    recorder = site.runtime.game.recorder
    steps = [recorder.take(joined["room"]["roomId"]).steps for joined in (here, there)]
    moved = fx.MoveAccount(Login(OLD).account, "user:7")
    assert [moved in [event for _, event in found] for found in steps] == [True, False]
