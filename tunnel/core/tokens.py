"""Tokens ``tnl_<id>_<secret>`` and what they allow (spec 6.1): pure, on values that the store has looked up.

Only the secret's SHA-256 is ever stored: 32 random bytes need no slow hash. Where tokens are kept is
``tunnel.models``.
"""

import hashlib
import hmac
import re
from typing import Final

from msgspec import Struct

ANY_NAME: Final = "*"
NOBODY: Final = hashlib.sha256(b"").hexdigest()
"""Compared with when there is no such id, so that an unknown id takes as long as a wrong secret."""

_TOKEN: Final = re.compile(r"tnl_(?P<id>[a-z0-9]{12})_(?P<secret>[A-Za-z0-9_-]{43})", re.ASCII)


class Token(Struct, frozen=True):
    """What a client shows."""

    id: str
    secret: str


class Grant(Struct, frozen=True):
    """What the store knows of a token. ``expires_at`` is on the clock of `fault`'s ``now``."""

    id: str
    secret_hash: str
    scope: str
    expires_at: float | None = None
    revoked: bool = False


def parse(text: str) -> Token | None:
    """The token that ``text`` is, exactly: no other case, no white space around it."""
    found = _TOKEN.fullmatch(text)
    return None if found is None else Token(found["id"], found["secret"])


def secret_hash(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def authentic(token: Token, grant: Grant | None) -> bool:
    """Whether the secret is the grant's, in constant time; no grant takes as long."""
    known = NOBODY if grant is None else grant.secret_hash
    return hmac.compare_digest(secret_hash(token.secret), known) and grant is not None


def fault(grant: Grant, name: str, now: float) -> str:
    """Why the grant does not allow ``name`` at ``now``; empty if it does."""
    if grant.revoked:
        return "the token was revoked"
    if grant.expires_at is not None and now >= grant.expires_at:
        return "the token has expired"
    if grant.scope not in (ANY_NAME, name):
        return f"the token is for {grant.scope!r}, not {name!r}"
    return ""
