"""Who is sentenced for strikes, and above all who is not (spec 4.3)."""

import pytest

from gateway.core import strikes as module
from gateway.core.strikes import (
    CROWD,
    LIMIT,
    SENTENCE_S,
    SETTLED_S,
    WINDOW_S,
    WITNESSES,
    Sentence,
    Strike,
    Strikes,
    What,
)

NOW = 1000.0
HOME = "203.0.113.9"


class Street:
    """Strikes at one address, with a clock that goes on a second with each."""

    def __init__(self) -> None:
        self.strikes = Strikes()
        self.now = NOW
        self._ids = 0

    def strike(self, account: str, place: str | None = HOME) -> Sentence | None:
        """One wrong token."""
        self.now += 1
        return self.strikes.strike(Strike(self.now, What.WRONG_TOKEN, account, HOME, place))

    def comes(self, account: str) -> str:
        """A socket opens; its id."""
        self._ids += 1
        self.strikes.came(str(self._ids), account, HOME, self.now)
        return str(self._ids)

    def goes(self, conn_id: str) -> None:
        """It is gone."""
        self.strikes.went(conn_id, HOME, self.now)

    def rotates(self, times: int, prefix: str = "thief") -> list[Sentence]:
        """An attacker takes a new session for each strike; the sentences that it brought."""
        passed = [self.strike(f"{prefix}{number}") for number in range(times)]
        return [sentence for sentence in passed if sentence is not None]


def test_the_twentieth_strike_of_an_account_shuts_it_out_for_15_minutes() -> None:
    """The account pays and nobody else: its address is not judged with it."""
    street = Street()
    assert [street.strike("thief") for _ in range(LIMIT - 1)] == [None] * (LIMIT - 1)
    sentence = street.strike("thief")
    assert sentence is not None
    assert (sentence.value, sentence.until) == ("thief", street.now + SENTENCE_S)
    assert [strike.account for strike in sentence.strikes] == ["thief"] * LIMIT


def test_strikes_are_forgotten_after_10_minutes() -> None:
    """Nineteen in each window, for ever, are no sentence."""
    street = Street()
    for _ in range(5):
        assert [street.strike("clumsy") for _ in range(LIMIT - 1)] == [None] * (LIMIT - 1)
        street.now += WINDOW_S


def test_a_sentence_pays_for_its_strikes() -> None:
    """The next one takes twenty more: staff who end a block early are not overruled by the next slip."""
    street = Street()
    passed = [street.strike("thief", None) for _ in range(2 * LIMIT)]
    assert [number for number, one in enumerate(passed, 1) if one is not None] == [LIMIT, 2 * LIMIT]


def test_after_an_account_its_address_is_next() -> None:
    """Who comes back with another session when the first is shut out has had his twenty."""
    street = Street()
    assert [street.strike("thief") for _ in range(LIMIT)][-1] is not None
    sentence = street.strike("thief again")
    assert sentence is not None
    assert sentence.value == HOME


def test_a_lone_attacker_who_changes_sessions_is_sentenced_by_address() -> None:
    """No account of his has twenty; the evidence names them all."""
    (sentence,) = Street().rotates(LIMIT)
    assert sentence.value == HOME
    assert len({strike.account for strike in sentence.strikes}) == LIMIT


def test_a_flooder_whose_sockets_end_by_strikes_is_no_witness_for_himself() -> None:
    """He had a socket for each strike, none lived long, and no account was ever without one after."""
    street = Street()
    for number in range(LIMIT):
        conn_id = street.comes(f"flooder{number}")
        street.now += 25
        sentence = street.strike(f"flooder{number}")
        street.goes(conn_id)
    assert sentence is not None
    assert sentence.value == HOME


@pytest.mark.parametrize("stays", [True, False])
def test_one_innocent_account_saves_its_address(stays: bool) -> None:
    """Present, or gone for less than ten minutes: an address that somebody else uses is never sentenced."""
    street = Street()
    conn_id = street.comes("pupil")
    if not stays:
        street.goes(conn_id)
    assert street.rotates(10 * LIMIT) == []


def test_ten_minutes_after_the_last_innocent_left_an_address_is_an_attackers_alone() -> None:
    """The window that strikes have is the window that witnesses have."""
    street = Street()
    street.goes(street.comes("pupil"))
    street.now += WINDOW_S
    assert len(street.rotates(LIMIT)) == 1


def test_a_settled_player_with_a_few_strikes_is_still_innocent() -> None:
    """A broken page may cost everybody a socket now and then; who plays for a minute is somebody."""
    street = Street()
    street.comes("pupil")
    street.now += SETTLED_S
    street.strike("pupil")
    assert street.rotates(10 * LIMIT) == []


def test_a_player_who_settled_and_left_after_a_strike_is_remembered_as_innocent() -> None:
    """His next lesson is in ten minutes."""
    street = Street()
    conn_id = street.comes("pupil")
    street.now += SETTLED_S
    street.strike("pupil")
    street.goes(conn_id)
    assert street.rotates(LIMIT) == []


def test_who_was_sentenced_himself_saves_nobody() -> None:
    """Settled or not, with twenty strikes an account vouches for no address."""
    street = Street()
    street.comes("thief")
    street.now += SETTLED_S
    assert [street.strike("thief") for _ in range(LIMIT)][-1] is not None
    passed = street.rotates(LIMIT)
    assert passed[0].value == HOME


def test_a_house_full_of_people_is_never_sentenced_whatever_they_do() -> None:
    """A page that breaks in its first minute gives a strike to each of thirty pupils, three times over."""
    street = Street()
    pupils = [street.comes(f"pupil{number}") for number in range(CROWD)]
    street.now += 25
    for _ in range(3):
        assert street.rotates(CROWD, "pupil") == []
    for conn_id in pupils:
        street.goes(conn_id)
    assert street.rotates(10 * LIMIT) == []


def test_more_leavers_than_are_remembered_count_as_a_crowd() -> None:
    """Who makes the table forget a witness does not get the address sentenced by that."""
    street = Street()
    street.goes(street.comes("pupil"))
    for number in range(WITNESSES + 5):
        street.goes(street.comes(f"thief{number}"))
    assert street.rotates(WITNESSES + 5) == []


def test_a_place_that_is_never_judged_counts_for_the_account_alone() -> None:
    """Local, shared and unknown addresses come as None."""
    street = Street()
    assert [street.strike(f"thief{number}", None) for number in range(100)] == [None] * 100
    assert [street.strike("thief", None) for _ in range(LIMIT)][-1] is not None
    assert street.strikes.places == {}


def test_the_tables_are_bounded_and_what_they_forget_is_in_everybodys_favour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An attacker with a million sessions and networks costs a fixed amount of memory."""
    monkeypatch.setattr(module, "MAX_ACCOUNTS", 50)
    monkeypatch.setattr(module, "MAX_ADDRESSES", 50)
    strikes = Strikes()
    strikes.came("c", "pupil", "player's", NOW)
    for number in range(1000):
        place = f"2001:db8:{number:x}::/64"
        strikes.strike(Strike(NOW + number / 1000, What.WRONG_TOKEN, f"thief{number}", place, place))
    assert len(strikes.accounts) <= 50
    assert len(strikes.places) <= 51
    assert "player's" in strikes.places
    strikes.went("c", "player's", NOW + 2)


def test_idle_records_are_forgotten_without_a_scan() -> None:
    """After the window a table holds what is new, whoever came before."""
    strikes = Strikes()
    for number in range(200):
        place = f"198.51.100.{number}"
        strikes.strike(Strike(NOW, What.WRONG_TOKEN, f"thief{number}", place, place))
    for number in range(200):
        strikes.strike(Strike(NOW + WINDOW_S + number, What.WRONG_TOKEN, "late", HOME, HOME))
    assert list(strikes.accounts) == ["late"]
    assert list(strikes.places) == [HOME]


def test_sockets_of_a_place_that_is_never_judged_leave_no_trace() -> None:
    """A trusted proxy's address is everybody's: who is behind it is nobody's business here."""
    street = Street()
    street.strikes.came("1", "ana", None, street.now)
    street.strikes.went("1", None, street.now)
    assert street.strikes.places == {}
