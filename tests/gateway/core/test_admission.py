"""Admission: each check, their order, and what a good or bad seat claim changes (spec 1.2)."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from gateway.core import admission
from gateway.core.admission import (
    CapsPolicy,
    EarlyFacts,
    LateFacts,
    Refusal,
    Seat,
    charges_shield,
    early_refusal,
    late_refusal,
)

CAPS = CapsPolicy()
FINE_EARLY = EarlyFacts(origin_allowed=True, draining=False, address_blocked=False)
FINE = LateFacts(
    has_session=True,
    session_sockets=2,
    address_sockets=54,
    address_cap=55,
    shield_denies=False,
    shield_retry=None,
    seat=Seat.NONE,
)

EARLY_FAULTS = [
    ({"origin_allowed": False}, "invalid_origin", 403),
    ({"draining": True}, "unavailable", 503),
    ({"address_blocked": True}, "blocked_ip", 403),
]
LATE_FAULTS: list[tuple[dict[str, object], str, int]] = [
    ({"has_session": False}, "missing_session", 403),
    ({"account_blocked": True}, "blocked_ip", 403),
    ({"session_sockets": 3}, "session_connection_cap", 403),
    ({"address_sockets": 55}, "ip_connection_cap", 403),
    ({"shield_denies": True}, "arcjet_denied", 403),
    ({"seat": Seat.BAD}, "forbidden", 403),
]


def late(**faults: object) -> Refusal | None:
    """The verdict on an attempt that is fine but for these facts."""
    return late_refusal(structs.replace(FINE, **faults), CAPS)


def test_the_numbers_are_the_specs() -> None:
    """Three tabs, a classroom, and the larger pool of the unknown."""
    assert CapsPolicy(per_session=3, per_address=55, unknown_address=75) == CAPS


def test_an_attempt_without_fault_is_admitted() -> None:
    """Also one that returns to its seat."""
    assert early_refusal(FINE_EARLY) is None
    assert late() is None
    assert late(seat=Seat.GOOD) is None


@pytest.mark.parametrize(("fault", "code", "status"), EARLY_FAULTS)
def test_each_early_check_refuses_with_its_code(fault: dict[str, bool], code: str, status: int) -> None:
    """Before anything is loaded from a database."""
    refusal = early_refusal(structs.replace(FINE_EARLY, **fault))
    assert refusal is not None
    assert (refusal.code, refusal.status) == (code, status)


@pytest.mark.parametrize(("fault", "code", "status"), LATE_FAULTS)
def test_each_late_check_refuses_with_its_code(fault: dict[str, object], code: str, status: int) -> None:
    """Existing clients switch on the codes, even on the one named after a vendor."""
    refusal = late(**fault)
    assert refusal is not None
    assert (refusal.code, refusal.status) == (code, status)


@pytest.mark.parametrize(("first", "second"), [*itertools.combinations(EARLY_FAULTS, 2)])
def test_of_two_early_faults_the_first_of_the_table_is_reported(
    first: tuple[dict[str, bool], str, int], second: tuple[dict[str, bool], str, int]
) -> None:
    """Whatever was found when."""
    refusal = early_refusal(structs.replace(FINE_EARLY, **first[0], **second[0]))
    assert refusal is not None
    assert refusal.code == first[1]


@pytest.mark.parametrize(("first", "second"), [*itertools.combinations(LATE_FAULTS, 2)])
def test_of_two_late_faults_the_first_of_the_table_is_reported(
    first: tuple[dict[str, object], str, int], second: tuple[dict[str, object], str, int]
) -> None:
    """A seat claim is looked up first, but reported last: an invalid one exempts from nothing."""
    refusal = late(**first[0], **second[0])
    assert refusal is not None
    assert refusal.code == first[1]


@pytest.mark.parametrize(
    ("sockets", "cap", "admitted"), [(54, 55, True), (55, 55, False), (74, 75, True), (75, 75, False)]
)
def test_the_address_cap_is_that_of_the_network(sockets: int, cap: int, admitted: bool) -> None:
    """`IP_CAPS` and the shared unknown pool have their own."""
    assert (late(address_sockets=sockets, address_cap=cap) is None) is admitted


def test_a_good_ticket_is_not_refused_by_its_neighbours() -> None:
    """The ticket is proof enough for the address cap, and for no other check."""
    assert late(seat=Seat.GOOD, address_sockets=500) is None
    for fault, code, _ in LATE_FAULTS[:3] + LATE_FAULTS[4:5]:
        refusal = late(**fault, seat=Seat.GOOD)
        assert refusal is not None
        assert refusal.code == code


@pytest.mark.parametrize("retry_after", [None, 6.0])
def test_a_denial_of_the_shield_says_when_to_come_back(retry_after: float | None) -> None:
    """Where waiting helps."""
    refusal = late(shield_denies=True, shield_retry=retry_after)
    assert refusal == Refusal("arcjet_denied", 403, admission.SHIELD_DENIED.text, retry_after)


def test_waiting_is_advised_where_it_helps() -> None:
    """Caps and a server that is not ready; never where something must be mended first."""
    waits = {refusal.code: refusal.retry_after for refusal in admission.REFUSALS}
    assert waits == {
        "invalid_origin": None,
        "unavailable": 5.0,
        "blocked_ip": None,
        "missing_session": None,
        "session_connection_cap": 10.0,
        "ip_connection_cap": 10.0,
        "arcjet_denied": None,
        "forbidden": None,
    }


def test_every_refusal_has_a_text_for_people() -> None:
    """A sentence of its own, never the code."""
    texts = [refusal.text for refusal in admission.REFUSALS]
    assert len(set(texts)) == len(texts)
    assert all(text[0].isupper() and text.endswith(".") and "_" not in text for text in texts)


@pytest.mark.parametrize("refusal", [None, *admission.REFUSALS], ids=lambda refusal: refusal and refusal.code)
def test_an_attempt_is_charged_if_it_came_past_the_shield(refusal: Refusal | None) -> None:
    """Guessing tokens costs upgrades like opening sockets does; what was refused before costs nothing."""
    assert charges_shield(refusal) == (refusal is None or refusal.code == "forbidden")


@given(
    st.builds(
        LateFacts,
        has_session=st.booleans(),
        session_sockets=st.integers(0, 4),
        address_sockets=st.integers(0, 80),
        address_cap=st.sampled_from([55, 75]),
        shield_denies=st.booleans(),
        shield_retry=st.none(),
        seat=st.sampled_from(Seat),
        account_blocked=st.booleans(),
    )
)
def test_a_failed_claim_never_admits_and_a_good_one_never_hurts(facts: LateFacts) -> None:
    """Whatever else is true."""
    assert late_refusal(structs.replace(facts, seat=Seat.BAD), CAPS) is not None
    if late_refusal(facts, CAPS) is None:
        assert late_refusal(structs.replace(facts, seat=Seat.GOOD), CAPS) is None
