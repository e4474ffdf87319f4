"""Whether a page may open a socket: exact comparison of origins, never of prefixes (spec 1.2, check 1).

An origin is scheme, host and port (RFC 6454). Host names compare without case, default ports are filled in,
everything that is not exactly an origin is none. Which origins are allowed is the shell's knowledge.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
MAX_PORT: Final = 65_535

_ORIGIN: Final = re.compile(
    r"(?P<scheme>https?)://(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?",
    re.ASCII | re.IGNORECASE,
)
"""Not a URL library's idea of a URL: those forgive spaces, tabs and empty ports."""


class Origin(Struct, frozen=True):
    """A web origin, normalised."""

    scheme: str
    host: str
    port: int


def parse_origin(text: str) -> Origin | None:
    """The origin that ``text`` is, or None: ``null``, paths, credentials and other schemes are no origin."""
    found = _ORIGIN.fullmatch(text)
    if found is None:
        return None
    scheme, host = found["scheme"].lower(), (found["v6"] or found["name"]).lower()
    port = DEFAULT_PORTS[scheme] if found["port"] is None else int(found["port"])
    return Origin(scheme, host, port) if port <= MAX_PORT else None


def origin_allowed(
    origins: Sequence[str], host: str | None, scheme: str | None, allowed: Collection[Origin]
) -> bool:
    """Whether the request's ``Origin`` lines name one allowed origin.

    ``host`` is the request's own ``Host`` if the site answers to it, ``scheme`` is ``http`` or ``https``
    where it is known (by own TLS or a trusted proxy), else None: then the page's scheme is taken on trust, as
    the port must still match.
    """
    if len(origins) != 1:
        return False
    origin = parse_origin(origins[0])
    if origin is None:
        return False
    return origin in allowed or _is_same(origin, host, scheme)


def _is_same(origin: Origin, host: str | None, scheme: str | None) -> bool:
    if host is None or (scheme is not None and scheme != origin.scheme):
        return False
    return parse_origin(f"{origin.scheme}://{host}") == origin
