"""A visitor's request as the relay reads it: whom it is for and what of it travels.

The same for pages and for sockets, so that neither has rules of its own. Decides nothing itself: the rules
are in ``tunnel.core``.
"""

import re
from collections.abc import Collection
from typing import Any, Final, Literal

from msgspec import Struct

from tunnel.conf import Config
from tunnel.core import headers as rules
from tunnel.core.address import trusts, visitor
from tunnel.core.frames import Headers, RequestHead
from tunnel.core.headers import BadHeadError, Body

ORIGIN: Final = re.compile(r"\Ahttps?://[^/]*", re.ASCII | re.IGNORECASE)


class Visit(Struct, frozen=True):
    """One request. ``headers`` are the visitor's own, for the relay's answers."""

    head: RequestHead
    body: Body
    headers: Headers


def read(scope: Any, config: Config, path: str, strip_cookies: Collection[str] = ()) -> Visit:
    """What the ASGI scope asks; raises `BadHeadError`. ``path`` is the raw path that the peer gets."""
    headers = rules.decoded(scope["headers"])
    target = path + (f"?{query}" if (query := scope["query_string"].decode("latin-1")) else "")
    fault = rules.target_fault(target)
    if fault:
        raise BadHeadError(fault)
    body = Body(False) if scope["type"] == "websocket" else rules.request_body(headers)
    passed = rules.from_visitor(headers)
    head = RequestHead(
        scope.get("method", "GET"),
        target,
        rules.without_cookies(passed, strip_cookies) if strip_cookies else passed,
        scheme_of(scope, headers, config),
        rules.values(headers, "host")[0],
        address_of(scope, headers, config),
        websocket=scope["type"] == "websocket",
    )
    return Visit(head, body, headers)


def raw_path(scope: Any) -> str:
    """The path as it came on the wire, without the origin that may stand before it (RFC 9112, 3.2.2)."""
    raw = scope.get("raw_path") or scope["path"].encode()
    return ORIGIN.sub("", raw.decode("latin-1"), count=1) or "/"


def address_of(scope: Any, headers: Headers, config: Config) -> str:
    """The visitor's address, behind the proxies that we trust."""
    peer = (scope.get("client") or ("unknown", 0))[0]
    return visitor(peer, rules.values(headers, "x-forwarded-for"), config.trusted)


def scheme_of(scope: Any, headers: Headers, config: Config) -> Literal["http", "https"]:
    """Whether the visitor came by https: to us, or to a proxy that we trust."""
    if scope.get("scheme") in ("https", "wss"):
        return "https"
    peer = (scope.get("client") or ("unknown", 0))[0]
    said = rules.values(headers, "x-forwarded-proto")
    believed = bool(said) and trusts(peer, config.trusted)
    return "https" if believed and said[-1].rpartition(",")[2].strip().lower() in ("https", "wss") else "http"
