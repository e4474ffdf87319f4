"""How long it takes to guess, and that nobody may try faster: the arithmetic of SECURITY.md, done again.

Room codes are what people type, so they are short; what is behind one is a lobby. Seats, tunnels and sessions
have secrets that no number of tries finds.
"""

import base64
import math

from gateway.admission import Request
from gateway.contract import Per
from gateway.core.limits import SlidingWindow
from gateway.draw import SYSTEM
from quizsite import doorstep
from rooms import wire
from rooms.core import codes
from rooms.core.rules import MAX_ROOMS
from rooms.inputs import TOKEN_BYTES
from tests.house.project import ROOT
from tests.rooms.test_service import Site

TOLD = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
DAY_MIN = 24 * 60


def misses() -> int:
    """Failed joins of one address in a minute."""
    (budget,) = (one for one in wire.LIMITS["JOIN_ROOM"] if one.per is Per.ADDRESS)
    assert budget.charged_on == "ROOM_NOT_FOUND"
    assert budget.window_s == 60
    return budget.limit


def test_the_arithmetic_of_the_document_is_the_codes() -> None:
    """With one room, and with every room of a full server in use."""
    assert f"{codes.COUNT:,}" in TOLD
    one_room_days = codes.COUNT / 2 / misses() / DAY_MIN
    full_server_min = codes.COUNT / MAX_ROOMS / misses()
    assert f"{one_room_days:,.0f} days" in TOLD
    assert f"{full_server_min / 60:.0f} hours" in TOLD
    assert f"{misses()} failed joins a minute" in TOLD


def test_a_lone_address_learns_of_no_more_codes_than_its_budget_by_socket() -> None:
    """New sessions do not help: misses are counted by address, whoever makes them, and a hit after the budget
    is refused like a miss.
    """
    site = Site()
    code = site.opens("host").creates()["room"]["roomCode"]
    told: list[str] = []
    tries, sockets = misses() + 60, 0
    while len(told) < tries:
        guesser, sockets = site.opens(f"guesser-{sockets}"), sockets + 1
        for _ in range(20):  # what one account may try in a minute
            guesser.says("JOIN_ROOM", roomCode=codes.from_int(len(told)), name="x")
            told.append(guesser.last("ERROR")["code"])
        guesser.gone()
    assert told.count("ROOM_NOT_FOUND") == misses()
    assert set(told[misses() :]) == {"RATE_LIMIT_EXCEEDED"}
    late = site.opens("late").says("JOIN_ROOM", roomCode=code, name="x")
    assert late.last("ERROR")["code"] == "RATE_LIMIT_EXCEEDED"


def test_watching_is_no_way_to_guess() -> None:
    """WATCH_ROOM tells a room that is not one's own from none at all: its misses are counted with the others,
    and a code that is there is told to nobody who has spent them.
    """
    site = Site()
    code = site.opens("host").creates()["room"]["roomCode"]
    told: list[str] = []
    for number in range(misses() // 10 + 1):
        guesser = site.opens(f"guesser-{number}")
        for type_ in ("WATCH_ROOM", "JOIN_ROOM"):
            for _ in range(5):
                guesser.says(
                    type_, roomCode=codes.from_int(len(told)), **({"name": "x"} if type_[0] == "J" else {})
                )
                told.append(guesser.last("ERROR")["code"])
        guesser.gone()
    assert told.count("ROOM_NOT_FOUND") == misses()
    late = site.opens("late").says("WATCH_ROOM", roomCode=code)
    assert late.last("ERROR")["code"] == "RATE_LIMIT_EXCEEDED"


def test_pages_are_no_faster_way_to_guess() -> None:
    """A page that says whose room a code leads to counts misses by the same budget."""
    assert doorstep.MISSES.limit == misses()
    assert doorstep.MISSES.window_s == 60


def test_the_page_of_a_code_says_nothing_more_once_the_misses_are_spent() -> None:
    """The room is shown to somebody who knows its code, and to nobody at an address that has tried so many;
    a minute and a bit later it is forgotten.
    """
    site = Site()
    code = site.opens("host").creates()["room"]["roomCode"]
    visitor = Request([], "", "203.0.113.200", "http")

    def shown(code: str) -> bool:
        return doorstep._look(site.runtime, visitor, code) is not None

    assert shown(code)
    assert not any(shown(codes.from_int(number)) for number in range(misses()))
    assert not shown(code)
    assert doorstep._look(site.runtime, Request([], "", "203.0.113.201", "http"), code) is not None
    site.clock.advance(121)
    assert shown(code)


def test_a_reconnect_token_has_256_random_bits() -> None:
    """32 bytes of the system's own randomness; no two are the same."""
    drawn = {SYSTEM.text(TOKEN_BYTES) for _ in range(1000)}
    assert len(drawn) == 1000
    assert {len(base64.urlsafe_b64decode(token + "=")) for token in drawn} == {32}


def test_a_sliding_window_never_lets_a_guesser_double_his_rate() -> None:
    """At the seam of two windows too: what the last one counted fades, it does not vanish."""
    window = SlidingWindow(misses(), 60.0)
    let_through = sum(window.allow(59.0 + tick / 1000) for tick in range(2 * 60_000))
    assert let_through <= math.ceil(misses() * 3.05)
