"""From an attempt to open a socket to what the rules say of it (spec 1.2): looks at live state, takes
nothing.

The rules are in ``gateway.core.admission``, the counters in ``gateway.core.hub``; `Runtime.admit` acts on it.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

from gateway.admission import Attempt, Request, address_cap, early_facts
from gateway.contract import Claim
from gateway.core.address import bucket
from gateway.core.admission import EarlyFacts, LateFacts, Refusal, Seat, late_refusal
from gateway.core.shield import Denial

if TYPE_CHECKING:
    from gateway.runtime import Runtime


class Verdict(Struct, frozen=True):
    """What was decided of an attempt, the claim it makes, and what the shield would say, live or not."""

    refusal: Refusal | None
    claim: Claim | None
    denial: Denial | None


def early_facts_of(runtime: "Runtime", request: Request, address: str) -> EarlyFacts:
    """What is known of a request before anything is loaded. Only counts a block's hit."""
    listed = runtime.guard.refuses_address(address, runtime.clock.now())
    return early_facts(request, address, runtime.draining, runtime.config, listed)


def judge(runtime: "Runtime", attempt: Attempt) -> Verdict:
    """What the late rules say of an attempt. Takes nothing, and only counts a block's hit."""
    now = runtime.clock.now()
    claim = runtime.claim_of(attempt.query.ticket, attempt.account)
    address = None if claim else bucket(attempt.address)
    denial = runtime.shield.look(attempt.session, address, attempt.user_agent, now)
    facts = _facts(runtime, attempt, claim, denial, now)
    return Verdict(late_refusal(facts, runtime.config.caps), claim, denial)


def _facts(
    runtime: "Runtime", attempt: Attempt, claim: Claim | None, denial: Denial | None, now: float
) -> LateFacts:
    address = bucket(attempt.address)
    predecessor = runtime.hub.predecessor_of(
        attempt.session, attempt.query.client_id, claim.holder if claim else None
    )
    by_session, by_address = runtime.hub.sockets_of(attempt.session, address, predecessor)
    return LateFacts(
        has_session=bool(attempt.session),
        session_sockets=by_session,
        address_sockets=by_address,
        address_cap=address_cap(attempt.address, runtime.config),
        shield_denies=denial is not None and runtime.config.keys.shield_mode == "live",
        shield_retry=denial.retry_after if denial else None,
        seat=_seat(attempt, claim),
        account_blocked=runtime.guard.refuses_account(attempt.account, now),
    )


def _seat(attempt: Attempt, claim: Claim | None) -> Seat:
    if claim is not None:
        return Seat.GOOD
    return Seat.BAD if attempt.query.ticket is not None or attempt.query.broken_claim else Seat.NONE
