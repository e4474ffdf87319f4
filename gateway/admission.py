"""From an upgrade request, or the preflight's copy of one, to the facts that the rules decide on (spec 1.2).

Reads headers and the query string, looks nothing up and decides nothing: the rules are in
``gateway.core.admission``, the counters in ``gateway.core.hub``. The reconnect token is hashed here, and its
text goes no further.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from django.conf import settings
from django.http.request import validate_host
from msgspec import Struct

from gateway.conf import Config
from gateway.contract import Ticket
from gateway.core import address as addresses
from gateway.core.admission import EarlyFacts, Refusal
from gateway.core.origin import origin_allowed

TICKET_FIELDS: Final = ("roomId", "playerSeatId", "reconnectToken")
CLIENT_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
REASON_HEADER: Final = "X-Flags-Reject-Reason"
PAGE_ORIGIN: Final = re.compile(r"https?://[^/?#\\@]+(?=[/?#]|$)", re.IGNORECASE)
"""The origin in front of a ``Referer``; one with credentials or a backslash in it names no page."""
WEB_SCHEMES: Final = {"ws": "http", "wss": "https", "http": "http", "https": "https"}


class Request(Struct, frozen=True):
    """What the wire says, before anything is believed. Header lines are in order, repeated ones included."""

    headers: Sequence[tuple[str, str]]
    query: str
    peer: str | None
    scheme: str

    def lines(self, name: str) -> list[str]:
        """All lines of one header; ``name`` in lower case."""
        return [value for key, value in self.headers if key == name]


class Query(Struct, frozen=True):
    """The query string of ``/ws``. ``broken_claim``: only some of the three ticket fields were given."""

    ticket: Ticket | None
    broken_claim: bool
    client_id: str | None


class Attempt(Struct, frozen=True):
    """Somebody who wants a socket, with everything that the late rules need.

    ``session`` is the hash of the session key, empty if there is no session: a key in a log or a snapshot
    would be a login.
    """

    session: str
    account: str
    address: str
    user_agent: str
    query: Query


def parse_query(text: str) -> Query:
    """The ticket and the tab's id; what can't be read counts as not given, a ticket in part as a bad one."""
    values = dict(parse_qsl(text, keep_blank_values=True))
    given = [name for name in TICKET_FIELDS if name in values]
    ticket = None
    if len(given) == len(TICKET_FIELDS):
        room_id, seat_id, token = (values[name] for name in TICKET_FIELDS)
        ticket = Ticket(room_id, seat_id, hash_token(token))
    client_id = values.get("clientId", "")
    return Query(
        ticket, bool(given) and ticket is None, client_id if CLIENT_ID.fullmatch(client_id) else None
    )


def hash_token(token: str) -> str:
    """What is stored of a reconnect token (256 random bits, so a plain SHA-256 is enough)."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def attempt_by(user_pk: object | None, session_key: str | None, address: str, request: Request) -> Attempt:
    """The attempt of whoever the session says it is."""
    session = hash_session(session_key)
    agent = " ".join(request.lines("user-agent"))
    return Attempt(session, account_of(user_pk, session_key), address, agent, parse_query(request.query))


def account_of(user_pk: object | None, session_key: str | None) -> str:
    """Who acts, as the gateway names it: a signed-in user, else the session itself (spec 1.1)."""
    return f"session:{hash_session(session_key)}" if user_pk is None else f"user:{user_pk}"


def hash_session(session_key: str | None) -> str:
    """The name of a session that may be shown and logged; empty if there is none."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:32] if session_key else ""


def client_address(request: Request, config: Config) -> str:
    """The client's address as `gateway.core.address` sees it."""
    return addresses.client_address(request.peer, request.lines("x-forwarded-for"), config.trusted)


def early_facts(
    request: Request, address: str, draining: bool, config: Config, listed: bool = False
) -> EarlyFacts:
    """What is known before any lookup; ``listed``: the block list holds the address."""
    allowed = origin_allowed(
        request.lines("origin"), _own_host(request), own_scheme(request, config), config.origins
    )
    return EarlyFacts(allowed, draining, listed or addresses.is_listed(address, config.blocked))


def with_own_origin(request: Request, config: Config) -> Request:
    """The request with the ``Origin`` that its page would send with the upgrade, where it has none.

    Browsers send none with a same-origin GET, as the preflight is, but they name the page in ``Referer``:
    its origin shows a proxy that rewrites ``Host``, which the upgrade will run into. Without either, the
    request's own origin counts, for nobody else can read the answer (spec 1.2).
    """
    if request.lines("origin"):
        return request
    scheme = own_scheme(request, config) or WEB_SCHEMES.get(request.scheme, "http")
    origins = _origins_of_pages(request) or [f"{scheme}://{host}" for host in request.lines("host")]
    headers = [*request.headers, *(("origin", origin) for origin in origins)]
    return Request(headers, request.query, request.peer, request.scheme)


def address_cap(address: str, config: Config) -> int:
    """How many sockets the address may have: its network's own cap, the shared one of the unknown, or the
    default.
    """
    parsed = addresses.parse_address(address)
    if parsed is None:
        return config.caps.unknown_address
    own = [cap for network, cap in config.ip_caps if addresses.is_in(parsed, (network,))]
    return max(own, default=config.caps.per_address)


def refusal_body(refusal: Refusal) -> bytes:
    """The JSON that a refused client reads."""
    return msgspec.json.encode({"ok": False, "error": refusal.text, "code": refusal.code})


def refusal_headers(refusal: Refusal) -> list[tuple[str, str]]:
    """The headers of a refusal; HTTP counts in whole seconds, so waiting is rounded up."""
    headers = [(REASON_HEADER, refusal.code), ("Cache-Control", "no-store")]
    if refusal.retry_after is not None:
        headers.append(("Retry-After", str(math.ceil(refusal.retry_after))))
    return headers


def decoded(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """ASGI's header lines as text, names in lower case."""
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]


def _origins_of_pages(request: Request) -> list[str]:
    return [found[0] for page in request.lines("referer") if (found := PAGE_ORIGIN.match(page))]


def _own_host(request: Request) -> str | None:
    """The ``Host`` that the request was sent to, if the site answers to it."""
    hosts = request.lines("host")
    if len(hosts) != 1 or not validate_host(_bare(hosts[0]), _allowed_hosts()):
        return None
    return hosts[0]


def _allowed_hosts() -> list[str]:
    if settings.DEBUG and not settings.ALLOWED_HOSTS:
        return [".localhost", "127.0.0.1", "[::1]"]
    return list(settings.ALLOWED_HOSTS)


def _bare(host: str) -> str:
    name, separator, port = host.lower().rpartition(":")
    return name if separator and port.isdigit() else host.lower()


def own_scheme(request: Request, config: Config) -> str | None:
    """``https`` if we ended the TLS ourselves; what a trusted proxy says it did; else nobody knows."""
    scheme = WEB_SCHEMES.get(request.scheme)
    if scheme == "https":
        return scheme
    if not addresses.is_listed(request.peer or "", config.trusted):
        return None
    said = request.lines("x-forwarded-proto")
    return WEB_SCHEMES.get(said[-1].split(",")[-1].strip().lower()) if said else None
