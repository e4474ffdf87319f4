"""The shield: how often a session and an address may try to open a socket (spec 1.2, check 6).

Decides only; whether a denial counts (``live``) or is merely logged (``dry_run``) is the caller's mode.
Looking is free, `charge` draws the tokens, so that the preflight can say what would happen.
"""

from msgspec import Struct

from gateway.core.limits import KeyedBuckets


class ShieldPolicy(Struct, frozen=True):
    """Bucket sizes: a classroom behind one address reconnects at once, a script does not."""

    session_capacity: float = 30.0
    session_per_s: float = 10.0 / 60.0
    address_capacity: float = 120.0
    address_per_s: float = 60.0 / 60.0


class Denial(Struct, frozen=True):
    """Why the shield would refuse, and the seconds after which it would not (None: waiting does not help)."""

    reason: str
    retry_after: float | None = None


class Shield(Struct):
    """Token buckets for upgrades."""

    sessions: KeyedBuckets
    addresses: KeyedBuckets

    @classmethod
    def fresh(cls, policy: ShieldPolicy) -> "Shield":
        """A shield that has seen nobody."""
        return cls(
            KeyedBuckets(policy.session_capacity, policy.session_per_s),
            KeyedBuckets(policy.address_capacity, policy.address_per_s),
        )

    def look(self, session: str, address: str | None, user_agent: str, now: float) -> Denial | None:
        """What the shield says of one more upgrade. ``address`` is None for a proven seat: it costs none."""
        if not user_agent.strip():
            return Denial("empty user agent")
        wait = self.sessions.bucket(session, now).retry_after(now)
        if address is not None:
            wait = max(wait, self.addresses.bucket(address, now).retry_after(now))
        return Denial("upgrade rate", wait) if wait > 0 else None

    def charge(self, session: str, address: str | None, now: float) -> None:
        """Draw the tokens of one upgrade. In dry run a bucket may be empty: then there is nothing to draw."""
        self.sessions.bucket(session, now).take(now)
        if address is not None:
            self.addresses.bucket(address, now).take(now)
