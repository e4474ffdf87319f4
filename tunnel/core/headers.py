"""Which header lines pass the tunnel, and which are taken away or replaced (spec 6.2, 6.5).

Lines are pairs in order and stay so: three ``Set-Cookie`` are three. The same rules hold for requests and for
WebSocket upgrades. A response head is hostile input: the target is somebody else's program.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from msgspec import Struct

from tunnel.core.frames import Headers, RequestHead, ResponseHead

HOP_BY_HOP: Final = frozenset(
    {
        *("connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    }
)
"""RFC 9110, 7.6.1, and what predates it."""
FORWARDING: Final = frozenset({"forwarded", "x-real-ip"})
FORWARDING_PREFIX: Final = "x-forwarded-"
ESSENTIAL: Final = frozenset({"host", "content-length", "cookie", "origin"})
"""A ``Connection`` header may not take these along: without them the request would mean something else."""
OURS: Final = frozenset({"x-tunnel-error", "date"})
"""Lines that the relay alone writes (its server dates every response)."""
ANSWERED_BY_HANDSHAKE: Final = frozenset(
    {"sec-websocket-accept", "sec-websocket-extensions", "sec-websocket-protocol", "content-length"}
)
BODILESS_STATUSES: Final = frozenset({204, 304})

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TARGET: Final = re.compile(r"/[\x21-\x7e]*")
_LENGTH: Final = re.compile(r"[0-9]{1,15}", re.ASCII)


class BadHeadError(ValueError):
    """A head that must not be passed on."""


class Body(Struct, frozen=True):
    """Whether a request has a body; ``length`` is None when only its end will tell."""

    present: bool
    length: int | None = None


def decoded(lines: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Lines from the wire, names in lower case."""
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in lines)


def encoded(lines: Headers) -> list[tuple[bytes, bytes]]:
    """Lines for the wire."""
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in lines]


def values(lines: Headers, name: str) -> list[str]:
    """All values of one header; ``name`` in lower case."""
    return [value for key, value in lines if key == name]


def request_body(lines: Headers) -> Body:
    """How the visitor frames the request's body; raises `BadHeadError` where two readers could differ."""
    lengths, codings = values(lines, "content-length"), values(lines, "transfer-encoding")
    if codings and lengths:
        raise BadHeadError("both Content-Length and Transfer-Encoding")
    if codings:
        if [coding.strip().lower() for coding in codings] != ["chunked"]:
            raise BadHeadError(f"Transfer-Encoding {codings!r}")
        return Body(True)
    length = _length(lengths)
    return Body(bool(length), length)


def from_visitor(lines: Headers) -> Headers:
    """What of a visitor's head goes to the peer; who is asking, and how, the relay says itself."""
    return tuple(
        (name, value)
        for name, value in _end_to_end(lines)
        if name not in FORWARDING and not name.startswith(FORWARDING_PREFIX) and name != "expect"
    )


def to_target(head: RequestHead) -> Headers:
    """What the client says to the target. `from_visitor` is applied again: the target trusts these lines."""
    return (
        *from_visitor(head.headers),
        ("x-forwarded-for", head.ip),
        ("x-forwarded-host", head.host),
        ("x-forwarded-proto", head.scheme),
    )


def from_target(lines: Headers) -> Headers:
    """What of the target's head goes into the tunnel."""
    return tuple(_end_to_end(lines))


def to_visitor(head: ResponseHead) -> ResponseHead:
    """The peer's head as a visitor may get it; raises `BadHeadError`."""
    if not 200 <= head.status <= 599:
        raise BadHeadError(f"status {head.status}")
    for name, value in head.headers:
        if _TOKEN.fullmatch(name) is None or _VALUE.fullmatch(value) is None:
            raise BadHeadError(f"the header line {name[:40]!r}: {value[:40]!r}")
    lowered = tuple((name.lower(), value) for name, value in head.headers)
    _length(values(lowered, "content-length"))
    return ResponseHead(
        head.status,
        tuple(
            (name, _without_domain(value) if name == "set-cookie" else value)
            for name, value in _end_to_end(lowered)
            if name not in OURS and not (name == "content-length" and head.status in BODILESS_STATUSES)
        ),
    )


def to_socket_visitor(lines: Headers) -> Headers:
    """Header lines of the target's 101 for the visitor's; the server answers the handshake itself."""
    kept = to_visitor(ResponseHead(200, lines)).headers
    return tuple((name, value) for name, value in kept if name not in ANSWERED_BY_HANDSHAKE)


def response_length(method: str, head: ResponseHead) -> int | None:
    """Exactly how many body bytes must follow; None if only the end will tell."""
    if method == "HEAD" or head.status in BODILESS_STATUSES:
        return 0
    return _length(values(head.headers, "content-length"))


def target_fault(target: str) -> str:
    """Why a raw path and query cannot be passed on; empty if it can."""
    return "" if _TARGET.fullmatch(target) else f"the request target {target[:80]!r}"


def without_cookies(lines: Headers, names: Collection[str]) -> Headers:
    """The lines without the named cookies, in either direction."""
    kept = []
    for name, value in lines:
        if name == "cookie":
            pairs = [pair for pair in value.split(";") if _cookie_name(pair) not in names]
            if pairs:
                kept.append((name, ";".join(pairs).strip()))
        elif name != "set-cookie" or _cookie_name(value) not in names:
            kept.append((name, value))
    return tuple(kept)


def _end_to_end(lines: Headers) -> Iterable[tuple[str, str]]:
    named = {
        token.strip().lower() for value in values(lines, "connection") for token in value.split(",")
    } - ESSENTIAL
    return [
        (name, value)
        for name, value in lines
        if name not in HOP_BY_HOP and (name not in named or name.startswith("sec-websocket-"))
    ]


def _length(lengths: Sequence[str]) -> int | None:
    if not lengths:
        return None
    if len(lengths) > 1 or _LENGTH.fullmatch(lengths[0]) is None:
        raise BadHeadError(f"Content-Length {lengths!r}")
    return int(lengths[0])


def _without_domain(cookie: str) -> str:
    """A peer sets cookies for its own host alone: under a shared domain it would set its neighbours'."""
    first, *attributes = cookie.split(";")
    kept = [part for part in attributes if part.partition("=")[0].strip().lower() != "domain"]
    return ";".join([first, *kept])


def _cookie_name(pair: str) -> str:
    return pair.partition(";")[0].partition("=")[0].strip()
