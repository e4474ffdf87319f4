"""The guard in a whole gateway on a virtual clock: who is refused, who is closed, who is never touched.

The classroom of spec 4.3 is here: 300 pupils and one flooder behind one public address.
"""

import random
from collections.abc import Iterator

import pytest

from gateway import blocking
from gateway.core import closing
from gateway.core.admission import Refusal
from gateway.core.blocklist import Block, Blocklist, canonical
from gateway.core.strikes import LIMIT, SENTENCE_S, WINDOW_S
from gateway.logins import Admission
from tests.gateway.house import ADDRESS, PARLOUR, Client, House, attempt

ROOMY = {"IP_CAP": 1000, "SESSION_CAP": 1000, "HEARTBEAT_INTERVAL_MS": 36_000_000}
"""Neither a cap nor a heartbeat decides here."""
WRONG = "roomId=parlour&playerSeatId=seat-{0}&reconnectToken=guess"


def listed(*values: str, automatic: bool = False, loaded_at: float = 0.0) -> Blocklist:
    """A picture of the list."""
    spelled = [canonical(value) for value in values]
    blocks = [Block(number, *one, automatic=automatic) for number, one in enumerate(spelled, 1)]
    return Blocklist.of(1, blocks, loaded_at)


def code_of(house: House, session: str = "s", query: str = "", address: str = ADDRESS) -> str | None:
    """What an attempt is refused with; an admitted one is let go again."""
    if house.runtime.guard.refuses_address(address, house.clock.now()):
        return "blocked_ip"
    outcome = house.runtime.admit(attempt(session, query, address=address))
    if isinstance(outcome, Refusal):
        return outcome.code
    house.runtime.release(outcome)
    return None


@pytest.mark.parametrize("value", [ADDRESS, "203.0.113.0/24", "session:" + "ab" * 16])
def test_a_block_closes_the_sockets_it_names_and_no_others(value: str) -> None:
    """4004, in the turn in which the list's new picture comes in."""
    house = House()
    theirs = Client(house, "ab" * 16).open()
    other = Client(house, "other", address="198.51.100.1").open()
    blocking.swap(house.runtime, listed(value))
    assert theirs.port.closed is not None
    assert (theirs.port.closed.code, theirs.port.closed.reason) == (4004, "Blocked")
    assert other.port.closed is None
    assert code_of(house, "ab" * 16) == "blocked_ip"
    assert code_of(house, "other", address="198.51.100.1") is None


def test_an_ipv6_address_is_closed_by_itself_and_not_by_its_household() -> None:
    """Caps count a /64; a block of one address is of one address."""
    house = House()
    blocked = Client(house, "a", address="2001:db8::1").open()
    neighbour = Client(house, "b", address="2001:db8::2").open()
    blocking.swap(house.runtime, listed("2001:db8::1"))
    assert blocked.port.closed is not None
    assert neighbour.port.closed is None


def test_a_block_that_comes_during_a_handshake_is_not_slipped_under() -> None:
    """Admitted a moment ago, open a moment later: closed as soon as it is."""
    house = House()
    client = Client(house)
    blocking.swap(house.runtime, listed(ADDRESS))
    client.open()
    assert client.port.closed is not None
    assert client.port.closed.code == 4004


def test_an_automatic_block_refuses_new_sockets_and_closes_none() -> None:
    """Whoever sits, plays on (spec 4.3)."""
    house = House()
    seated = Client(house).open().says("SIT", word="mine")
    blocking.swap(house.runtime, listed(ADDRESS, automatic=True))
    assert seated.port.closed is None
    assert code_of(house) == "blocked_ip"


def test_an_older_picture_never_replaces_a_newer_one() -> None:
    """A slow look that comes back late must not unblock anybody."""
    house = House()
    blocking.swap(house.runtime, listed(ADDRESS, loaded_at=5.0))
    blocking.swap(house.runtime, listed(loaded_at=4.0))
    assert code_of(house) == "blocked_ip"


def test_the_end_of_a_blocked_socket_evicts_its_player() -> None:
    """4004 keeps no seat (spec 1.7)."""
    house = House()
    client = Client(house).open().says("SIT", word="mine")
    blocking.swap(house.runtime, listed(ADDRESS))
    client.gone()
    assert client.admission.ending == closing.BLOCKED
    assert closing.BLOCKED.treatment is closing.Treatment.EVICT


def test_the_order_of_refusals_is_kept() -> None:
    """A missing session is said before a blocked account, a blocked account before a full house."""
    house = House(IP_CAP=1)
    Client(house, "x").open()
    blocking.swap(house.runtime, listed("session:" + "ab" * 16))
    assert code_of(house, "ab" * 16) == "blocked_ip"
    assert code_of(house, "cd" * 16) == "ip_connection_cap"
    assert code_of(house, "") == "missing_session"


# ---------- strikes


def test_twenty_wrong_tokens_for_a_seat_that_exists_shut_the_account_out() -> None:
    """And only it: its neighbour behind the same address comes in, and after 15 minutes so does it."""
    house = House(**ROOMY)
    Client(house, "owner", address="198.51.100.1").open().says("SIT", word="theirs")
    for _ in range(LIMIT):
        assert code_of(house, "thief", WRONG.format("theirs")) == "forbidden"
    assert code_of(house, "thief") == "blocked_ip"
    assert code_of(house, "neighbour") is None
    house.clock.advance(SENTENCE_S)
    assert code_of(house, "thief") is None


@pytest.mark.parametrize(
    "query",
    [
        WRONG.format("never-was"),
        "roomId=elsewhere&playerSeatId=seat-theirs&reconnectToken=guess",
        "roomId=parlour&playerSeatId=seat-theirs",
        PARLOUR.format("theirs"),
    ],
    ids=["vanished seat", "vanished room", "half a ticket", "right token, other session"],
)
def test_what_an_outage_or_a_lost_session_brings_is_no_strike(query: str) -> None:
    """A claim on what is gone, and a good token that came with another session, offend nobody."""
    house = House(**ROOMY)
    Client(house, "owner", address="198.51.100.1").open().says("SIT", word="theirs")
    assert {code_of(house, "pupil", query) for _ in range(5 * LIMIT)} == {"forbidden"}
    assert house.runtime.guard.strikes.accounts == {}


def test_a_preflight_asks_and_strikes_nobody() -> None:
    """It consumes nothing (spec 1.2)."""
    house = House(**ROOMY)
    Client(house, "owner").open().says("SIT", word="theirs")
    for _ in range(LIMIT):
        refusal = house.runtime.judge(attempt("thief", WRONG.format("theirs"))).refusal
        assert refusal is not None
    assert house.runtime.guard.strikes.accounts == {}


def test_a_class_that_brings_old_tokens_after_an_outage_is_not_shut_out() -> None:
    """Seats came back from before the tokens that the pupils hold: each errs about his own seat, thrice."""
    house = House(**ROOMY)
    pupils = [f"pupil{number}" for number in range(30)]
    for pupil in pupils:
        Client(house, pupil).open().says("SIT", word=pupil).gone()
    fresh = House(**ROOMY)  # the process after the outage has seen nobody yet
    fresh.runtime.game = house.runtime.game
    for _ in range(3):
        for pupil in pupils:
            assert code_of(fresh, pupil, WRONG.format(pupil)) == "forbidden"
    assert {code_of(fresh, pupil) for pupil in pupils} == {None}


def test_who_tries_his_own_seat_for_ever_is_shut_out_alone() -> None:
    """It is a strike all the same, for the account."""
    house = House(**ROOMY)
    Client(house, "owner").open().says("SIT", word="mine")
    for _ in range(LIMIT):
        code_of(house, "owner", WRONG.format("mine"))
    assert code_of(house, "owner") == "blocked_ip"
    assert code_of(house, "neighbour") is None


@pytest.mark.parametrize(
    ("address", "settings"),
    [
        ("127.0.0.1", {}),
        ("10.1.2.3", {}),
        ("fe80::1", {}),
        ("unknown", {}),
        ("203.0.113.9", {"TRUSTED_PROXIES": ["203.0.113.0/24"]}),
        ("203.0.113.9", {"IP_CAPS": {"203.0.113.0/24": 400}}),
    ],
)
def test_addresses_that_stand_for_nobody_are_never_judged(address: str, settings: dict[str, object]) -> None:
    """Loopback, private, unknown, a trusted proxy, and a network that many share, as the site said."""
    house = House(**{**ROOMY, **settings})
    Client(house, "owner", address="198.51.100.1").open().says("SIT", word="theirs")
    for number in range(5 * LIMIT):
        assert code_of(house, f"thief{number}", WRONG.format("theirs"), address) == "forbidden"


def test_a_lone_attacker_who_rotates_sessions_is_shut_out_by_address() -> None:
    """In IPv6 by his /64, as he owns all of it; and the owner of the seat notices nothing."""
    for address, sibling in (("203.0.113.9", "203.0.113.9"), ("2001:db8::1", "2001:db8::2:7")):
        house = House(**ROOMY)
        owner = Client(house, "owner", address="198.51.100.1").open().says("SIT", word="theirs")
        codes = [
            code_of(house, f"thief{number}", WRONG.format("theirs"), address) for number in range(LIMIT + 5)
        ]
        assert codes == ["forbidden"] * LIMIT + ["blocked_ip"] * 5
        assert code_of(house, "thief", address=sibling) == "blocked_ip"
        assert owner.port.closed is None


# ---------- one address, many people


class Pupil:
    """One of a class: sits, comes and goes, and must never be refused."""

    def __init__(self, house: House, number: int, draw: random.Random) -> None:
        self.house = house
        self.name = f"pupil{number}"
        self.draw = draw
        self.client: Client | None = None
        self.broken = False

    def turn(self) -> None:
        """Come if he is away; else mostly stay, now and then lose the network, or get a broken page."""
        if self.client is None:
            if self.draw.random() < 0.5:
                self.comes()
        elif self.draw.random() < 0.1:
            self.goes()
        elif self.draw.random() < 0.05:
            self.broken = True

    def breaks(self) -> None:
        """A broken page floods, until it costs the socket."""
        assert self.client is not None
        flood(self.client)
        if self.client.port.closed is not None:
            self.goes()

    def comes(self) -> None:
        """With the ticket that he has, which may be an old one; `Client` fails if he is refused."""
        if self.draw.random() < 0.1:
            assert code_of(self.house, self.name, WRONG.format(self.name)) == "forbidden"
        self.client = Client(self.house, self.name).open().says("SIT", word=self.name)

    def goes(self) -> None:
        """The network drops."""
        assert self.client is not None
        self.client.gone()
        self.client = None
        self.broken = False


def flood(client: Client) -> None:
    """More than the budget, in one burst."""
    for _ in range(160):
        client.says("NOBODY_KNOWS_THIS")


class Flooder:
    """Floods until the socket is closed, comes back at once, and steals seats between."""

    def __init__(self, house: House, rotates: bool) -> None:
        self.house = house
        self.rotates = rotates
        self.sessions = self._sessions()
        self.session = next(self.sessions)
        self.client: Client | None = None
        self.shut_out: list[str] = []

    def _sessions(self) -> Iterator[str]:
        number = 0
        while True:
            yield f"flooder{number}"
            number += self.rotates

    def turn(self) -> None:
        """Some seconds of abuse."""
        if self.client is None and not self.comes():
            return
        assert self.client is not None
        flood(self.client)
        if self.client.port.closed is not None:
            self.client.gone(closing.DROPPED)
            self.client = None
            self.session = next(self.sessions)

    def comes(self) -> bool:
        """A wrong token for somebody's seat, then an honest face."""
        if self.house.runtime.guard.refuses_address(ADDRESS, self.house.clock.now()):
            self.shut_out.append("address")
            return False
        code_of(self.house, self.session, WRONG.format("pupil7"))
        outcome = self.house.runtime.admit(attempt(self.session))
        if isinstance(outcome, Admission):
            self.house.runtime.release(outcome)
            self.client = Client(self.house, self.session).open()
            return True
        self.shut_out.append(outcome.code)
        return False


@pytest.mark.parametrize("rotates", [False, True], ids=["one session", "many sessions"])
def test_300_pupils_and_a_flooder_behind_one_address_no_pupil_is_refused(rotates: bool) -> None:
    """With lost networks, old tickets and broken pages among the pupils, for longer than strikes are kept."""
    house = House(**ROOMY)
    draw = random.Random(7)
    pupils = [Pupil(house, number, draw) for number in range(300)]
    flooder = Flooder(house, rotates)
    for turn in range(int(WINDOW_S + 60) // 5):
        flooder.turn()
        for pupil in pupils[turn % 12 :: 12]:
            pupil.turn()
        for pupil in [one for one in pupils if one.broken]:
            pupil.breaks()
        assert not house.runtime.guard.refuses_address(ADDRESS, house.clock.now())
        house.clock.advance(5)
    struck = {account for account in house.runtime.guard.strikes.accounts if "pupil" in account}
    assert len(struck) >= LIMIT
    assert ("blocked_ip" in flooder.shut_out) is not rotates


@pytest.mark.parametrize("rotates", [False, True], ids=["one session", "many sessions"])
def test_the_same_flooder_alone_at_his_address_is_shut_out(rotates: bool) -> None:
    """By account if he keeps his session, by address if he changes it."""
    house = House(**ROOMY)
    Client(house, "owner", address="198.51.100.1").open().says("SIT", word="pupil7")
    flooder = Flooder(house, rotates)
    for _ in range(int(WINDOW_S + 60) // 5):
        flooder.turn()
        house.clock.advance(5)
    assert set(flooder.shut_out) == {"address" if rotates else "blocked_ip"}
