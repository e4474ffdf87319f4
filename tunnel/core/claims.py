"""Who may have a name that somebody has (spec 6.4), and how long a client waits before it comes back."""

from enum import Enum
from typing import Final

from msgspec import Struct

PROBE_S: Final = 3.0
"""How long a holder that may be dead has to answer a ping."""
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 30.0
STABLE_S: Final = 30.0
"""After so long a connection the next loss is a new story, and the waiting starts small again."""


class Claim(Struct, frozen=True):
    """Who wants, or has, a name."""

    token_id: str
    instance: str
    force: bool = False


class Verdict(Enum):
    """What to do with a claim."""

    TAKE = "take"
    REPLACE = "replace"
    PROBE = "probe"
    """Ping the holder: replaced if it does not answer, else the claim is refused."""
    REFUSE = "refuse"


def judge(claim: Claim, holder: Claim | None) -> Verdict:
    """Whether ``claim`` gets the name that ``holder`` has."""
    if holder is None:
        return Verdict.TAKE
    if claim.token_id != holder.token_id:
        return Verdict.REFUSE
    if claim.force or claim.instance == holder.instance:
        return Verdict.REPLACE
    return Verdict.PROBE


class Backoff(Struct):
    """The waits between a client's tries. ``chance`` in [0, 1) is drawn by the shell."""

    tries: int = 0

    def lost(self, lasted_s: float) -> None:
        """A connection has ended after so long (0 if it never opened)."""
        self.tries = 1 if lasted_s >= STABLE_S else self.tries + 1

    def wait(self, chance: float) -> float:
        """Seconds until the next try."""
        longest = min(LONGEST_WAIT_S, 2.0 ** min(self.tries, 5))
        return FIRST_WAIT_S + chance * (longest - FIRST_WAIT_S)
