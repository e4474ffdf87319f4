"""The shield of this site (spec 1.2, check 6): token buckets and a maintained, offline list of known
crawlers.

``GATEWAY["SHIELD"]`` names the class, so that a hosted service can take its place: `ShieldBackend` is what it
must do. Whether its word counts is ``GATEWAY["SHIELD_MODE"]``.
"""

from functools import lru_cache
from typing import Final, Protocol

from crawleruseragents import is_crawler

from gateway.core.shield import Denial, Shield, ShieldPolicy

AGENTS_REMEMBERED: Final = 1024
"""The list has 1,500 patterns, 0.4 ms for a new agent; a classroom has a handful of different ones."""
AGENT_MAX_CHARS: Final = 512
"""No browser's is longer, and patterns must not be run over kilobytes."""


class ShieldBackend(Protocol):
    """Called on the loop: must not wait. A service that has to ask elsewhere answers from what it learnt
    before.
    """

    def look(self, session: str, address: str | None, user_agent: str, now: float) -> Denial | None:
        """Why one more upgrade would be refused, or None. Takes nothing. ``address`` None: a proven seat."""

    def charge(self, session: str, address: str | None, now: float) -> None:
        """The upgrade takes place, or was refused only after the shield."""


class LocalShield:
    """The default: `gateway.core.shield` and the list.

    The list knows browsers without a screen (``HeadlessChrome``) too, for most of what drives them is no
    player. A monitor or test of one's own that must pass a live shield sends another user agent.
    """

    def __init__(self) -> None:
        self._shield = Shield.fresh(ShieldPolicy())

    def look(self, session: str, address: str | None, user_agent: str, now: float) -> Denial | None:
        """A robot by its own word, else the buckets."""
        if _is_known_crawler(user_agent[:AGENT_MAX_CHARS]):
            return Denial("known crawler")
        return self._shield.look(session, address, user_agent, now)

    def charge(self, session: str, address: str | None, now: float) -> None:
        """Draw the tokens."""
        self._shield.charge(session, address, now)


@lru_cache(maxsize=AGENTS_REMEMBERED)
def _is_known_crawler(user_agent: str) -> bool:
    return bool(is_crawler(user_agent))
