"""The words of a simulated web client: its numbers, phases, what comes in and what is to be done.

The counterpart of phases.js, compared with it by ``tests/debugger/test_client.py``. No behaviour here: the
machine is in ``debugger.client``.
"""

from enum import Enum
from typing import Final

from msgspec import Struct

from gateway.core.admission import BLOCKED_IP, FORBIDDEN, INVALID_ORIGIN, MISSING_SESSION

BACKOFF_MS: Final = 1200
TRIES: Final = 6
TRY_LIMIT_MS: Final = 4000
STALE_TRY_MS: Final = 2000
SILENCE_MS: Final = 11_000
RESTART_SPAN_MS: Final = 60_000
RESTART_TRIES: Final = RESTART_SPAN_MS // BACKOFF_MS
PENALTY_MS: Final = 5000
PENALTY_MEMORY_MS: Final = 60_000

JOINS_AGAIN: Final = frozenset({FORBIDDEN.code})
STOPS: Final = frozenset({INVALID_ORIGIN.code, BLOCKED_IP.code, MISSING_SESSION.code})
"""Refusals that end a series; all others are waited out."""


class Phase(Enum):
    IDLE = "idle"
    ASKING = "asking"
    OPENING = "opening"
    GREETING = "greeting"
    OPEN = "open"
    EXPLAINING = "explaining"
    WAITING = "waiting"
    STOPPED = "stopped"
    ENDED = "ended"


TRYING: Final = frozenset({Phase.ASKING, Phase.OPENING, Phase.GREETING})
IN_SERIES: Final = TRYING | {Phase.EXPLAINING, Phase.WAITING}
RESTING: Final = frozenset({Phase.IDLE, Phase.STOPPED, Phase.ENDED})

# ---------- what comes in: about the page, or about the try that an effect with this id began


class _Event(Struct, frozen=True, tag_field="type", rename="camel"):
    """Base of all that can happen to a client; the tags are those of policy.js."""


class Connect(_Event, frozen=True, tag="connect"):
    pass


class Nudge(_Event, frozen=True, tag="nudge"):
    pass


class Online(_Event, frozen=True, tag="network"):
    online: bool


class Leave(_Event, frozen=True, tag="leave"):
    reason: str


class Place(_Event, frozen=True, tag="place"):
    room: bool
    ticket: bool


class Preflight(_Event, frozen=True, tag="preflight"):
    id: int
    outcome: str
    code: str = ""
    retry_after_ms: int = 0


class Opened(_Event, frozen=True, tag="opened"):
    id: int


class Connected(_Event, frozen=True, tag="connected"):
    id: int
    silence_ms: int


class Frame(_Event, frozen=True, tag="frame"):
    id: int


class Restarting(_Event, frozen=True, tag="restarting"):
    id: int
    retry_after_ms: int


class Closed(_Event, frozen=True, tag="closed"):
    id: int
    code: int
    reason: str
    jitter: float = 0.0


Event = (
    Connect | Nudge | Online | Leave | Place | Preflight | Opened | Connected | Frame | Restarting | Closed
)

NEWS: Final[dict[type[Struct], frozenset[Phase]]] = {
    Preflight: frozenset({Phase.ASKING, Phase.EXPLAINING}),
    Opened: frozenset({Phase.OPENING}),
    Connected: frozenset({Phase.GREETING}),
    Frame: frozenset({Phase.GREETING, Phase.OPEN}),
    Restarting: frozenset({Phase.OPEN}),
    Closed: frozenset({Phase.OPENING, Phase.GREETING, Phase.OPEN}),
}
"""What tells of a try, and the phases in which that is news; else it comes too late and changes nothing."""

# ---------- what is to be done


class _Effect(Struct, frozen=True, tag_field="type"):
    """Base of all that the machine wishes of the page."""


class Ask(_Effect, frozen=True, tag="preflight"):
    id: int


class Open(_Effect, frozen=True, tag="open"):
    id: int


class Close(_Effect, frozen=True, tag="close"):
    code: int
    reason: str


class DropTicket(_Effect, frozen=True, tag="dropTicket"):
    pass


class Forget(_Effect, frozen=True, tag="forget"):
    pass


Effect = Ask | Open | Close | DropTicket | Forget
