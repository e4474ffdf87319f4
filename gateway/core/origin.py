"""Whether a page may open a socket: exact comparison of origins, never of prefixes (spec 1.2, check 1).

An origin is scheme, host and port (RFC 6454). Host names compare without case, default ports are filled in,
everything that is not exactly an origin is none. Which origins are allowed is the shell's knowledge.
"""

from collections.abc import Collection, Sequence
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Origin(Struct, frozen=True):
    """A web origin, normalised."""

    scheme: str
    host: str
    port: int


def parse_origin(text: str) -> Origin | None:
    """The origin that ``text`` is, or None: ``null``, paths, credentials and other schemes are no origin."""
    if not text.isascii() or text.endswith(":"):
        return None  # lower() turns the Kelvin sign into a k; a colon announces a port
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname
    if parts.scheme not in DEFAULT_PORTS or not host or "@" in parts.netloc:
        return None
    if text.lower() != f"{parts.scheme}://{parts.netloc}".lower():
        return None
    return Origin(parts.scheme, host, DEFAULT_PORTS[parts.scheme] if port is None else port)


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
