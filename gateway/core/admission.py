"""Who may open a socket: the ordered checks of spec 1.2 on collected facts.

The shell collects, these rules decide, cheapest first; a refusal is reported in the table's order whatever
was looked up when. `EARLY` needs neither session nor user, `LATE` the rest. Existing clients switch on the
codes, even on the one named after a vendor.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct


class Refusal(Struct, frozen=True):
    """Why an upgrade is refused. ``retry_after`` (seconds) only where waiting helps."""

    code: str
    status: int
    text: str
    retry_after: float | None = None


CAP_RETRY_S: Final = 10.0
"""A socket that died unnoticed frees its slot within 18 s; half of that is a fair next try."""
UNAVAILABLE_RETRY_S: Final = 5.0

INVALID_ORIGIN: Final = Refusal("invalid_origin", 403, "This page may not open a connection here.")
UNAVAILABLE: Final = Refusal(
    "unavailable", 503, "The server is not taking new connections just now.", UNAVAILABLE_RETRY_S
)
BLOCKED_IP: Final = Refusal("blocked_ip", 403, "This network or account is blocked.")
MISSING_SESSION: Final = Refusal(
    "missing_session", 403, "There is no session. Reload the page and allow cookies."
)
SESSION_CAP: Final = Refusal(
    "session_connection_cap",
    403,
    "Too many game tabs are open in this browser. Close one and try again.",
    CAP_RETRY_S,
)
IP_CAP: Final = Refusal(
    "ip_connection_cap", 403, "Too many connections come from this network. Try again shortly.", CAP_RETRY_S
)
SHIELD_DENIED: Final = Refusal(
    "arcjet_denied", 403, "Too many attempts to connect. Wait a moment and try again."
)
FORBIDDEN: Final = Refusal("forbidden", 403, "This seat is not yours, or it is gone. Join the room again.")

REFUSALS: Final = (
    INVALID_ORIGIN,
    UNAVAILABLE,
    BLOCKED_IP,
    MISSING_SESSION,
    SESSION_CAP,
    IP_CAP,
    SHIELD_DENIED,
    FORBIDDEN,
)


class CapsPolicy(Struct, frozen=True):
    """Open sockets at once: 55 is a classroom of 40, its host and headroom for reloads (spec 1.2)."""

    per_session: int = 3
    per_address: int = 55
    unknown_address: int = 75


class Seat(Enum):
    """What became of the ticket in the query string."""

    NONE = "none"
    GOOD = "good"
    BAD = "bad"


class EarlyFacts(Struct, frozen=True):
    """Known before anything is loaded from a database."""

    origin_allowed: bool
    draining: bool
    address_blocked: bool


class LateFacts(Struct, frozen=True):
    """Known once the session is loaded and the ticket looked up, nothing touched yet.

    Socket counts leave out the socket that the new one replaces. ``shield_denies`` is the verdict if it
    counts; ``shield_retry`` the seconds to wait.
    """

    has_session: bool
    session_sockets: int
    address_sockets: int
    address_cap: int
    shield_denies: bool
    shield_retry: float | None
    seat: Seat
    account_blocked: bool = False


EarlyRule = Callable[[EarlyFacts], Refusal | None]
LateRule = Callable[[LateFacts, CapsPolicy], Refusal | None]


def _origin(facts: EarlyFacts) -> Refusal | None:
    return None if facts.origin_allowed else INVALID_ORIGIN


def _available(facts: EarlyFacts) -> Refusal | None:
    return UNAVAILABLE if facts.draining else None


def _not_blocked(facts: EarlyFacts) -> Refusal | None:
    return BLOCKED_IP if facts.address_blocked else None


def _session(facts: LateFacts, _: CapsPolicy) -> Refusal | None:
    return None if facts.has_session else MISSING_SESSION


def _account(facts: LateFacts, _: CapsPolicy) -> Refusal | None:
    return BLOCKED_IP if facts.account_blocked else None


def _session_cap(facts: LateFacts, caps: CapsPolicy) -> Refusal | None:
    return SESSION_CAP if facts.session_sockets >= caps.per_session else None


def _address_cap(facts: LateFacts, _: CapsPolicy) -> Refusal | None:
    """A good ticket is proof enough: a returning player is never locked out by its neighbours."""
    if facts.seat is Seat.GOOD or facts.address_sockets < facts.address_cap:
        return None
    return IP_CAP


def _shield(facts: LateFacts, _: CapsPolicy) -> Refusal | None:
    if not facts.shield_denies:
        return None
    return Refusal(SHIELD_DENIED.code, SHIELD_DENIED.status, SHIELD_DENIED.text, facts.shield_retry)


def _seat(facts: LateFacts, _: CapsPolicy) -> Refusal | None:
    return FORBIDDEN if facts.seat is Seat.BAD else None


EARLY: Final[Sequence[EarlyRule]] = (_origin, _available, _not_blocked)
LATE: Final[Sequence[LateRule]] = (_session, _account, _session_cap, _address_cap, _shield, _seat)


def early_refusal(facts: EarlyFacts) -> Refusal | None:
    """The first of the early rules that refuses, in order."""
    return next((refusal for rule in EARLY if (refusal := rule(facts))), None)


def late_refusal(facts: LateFacts, caps: CapsPolicy) -> Refusal | None:
    """The first of the late rules that refuses, in order."""
    return next((refusal for rule in LATE if (refusal := rule(facts, caps))), None)


def charges_shield(refusal: Refusal | None) -> bool:
    """Whether an attempt with this outcome came as far as the shield and let itself be counted there."""
    return refusal is None or refusal == FORBIDDEN
