"""From what a visitor saw at the front door, and what the server saw of it, to what is wrong, in plain words.

Pure rules over one record of facts, each a function that finds at most one thing; the facts are collected by
``gateway.doctor``. A finding says what was seen, what players suffer, and the line to change.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct


class Seen(Struct, frozen=True):
    """What reached the server of one request (``/api/ws/mirror``)."""

    peer: str
    """Address of whoever opened the TCP connection: the visitor, or the last proxy."""
    peer_port: int
    host: str
    forwarded_for: list[str]
    forwarded_proto: list[str]
    trusted: bool
    """Whether the peer is in ``TRUSTED_PROXIES``."""
    address: str
    """The client's address as admission takes it; ``unknown`` if it can't be told."""
    https_known: bool
    """Whether the server knows that this came by TLS."""


class Upgrade(Struct, frozen=True):
    """What became of an upgrade. ``reject`` is the gateway's own code of a refusal."""

    status: int
    reject: str | None = None
    extensions: str = ""


class Facts(Struct, frozen=True):
    """All that a visit found out; what is None was not reached.

    ``lived_s`` is how long a quiet socket lived, ``cut`` whether it ended without a close frame.
    """

    https: bool
    host: str
    own_port: int
    interval_s: float
    unreachable: str | None = None
    redirect: str | None = None
    health: int | None = None
    seen: Seen | None = None
    upgrade: Upgrade | None = None
    greeted: bool = False
    lived_s: float = 0.0
    cut: bool = False


class Finding(Struct, frozen=True):
    """Something is wrong: ``title`` in one sentence, ``remedy`` what to write where."""

    title: str
    remedy: str


Rule = Callable[[Facts], Finding | None]


def _reachable(facts: Facts) -> Finding | None:
    if facts.unreachable is None:
        return None
    return Finding(
        f"Nothing answers at {facts.host}: {facts.unreachable}.",
        "Check that the name leads to this machine, that the proxy runs and that the port is open.",
    )


def _redirect(facts: Facts) -> Finding | None:
    if facts.redirect is None:
        return None
    return Finding(
        f"Plain http is redirected to {facts.redirect}.",
        "That is right for a site with HTTPS=on: examine that address instead. If the address was https "
        "already, the proxy does not say so: let it set X-Forwarded-Proto, and set "
        "PROXY_PROTO_HEADER=X-Forwarded-Proto.",
    )


def _host_allowed(facts: Facts) -> Finding | None:
    if facts.health != 400:
        return None
    return Finding(
        f"The site does not answer to the name {facts.host} (400 Bad Request).",
        f"ALLOWED_HOSTS={facts.host.rpartition(':')[0] or facts.host}   If the proxy sends another name, "
        "let it pass the visitor's on; nginx: proxy_set_header Host $http_host;",
    )


def _is_ours(facts: Facts) -> Finding | None:
    if facts.health is None or facts.health in (200, 400):
        return None
    if facts.health in (502, 503, 504):
        return Finding(
            f"The proxy answers, but reaches no server behind it ({facts.health}).",
            "Start 'manage.py serve', and let the proxy pass to its host and port.",
        )
    return Finding(
        f"/healthz is answered with {facts.health}: something else than this site stands there.",
        "Let the proxy pass all paths to 'manage.py serve'.",
    )


def _mirror(facts: Facts) -> Finding | None:
    if facts.health != 200 or facts.seen is not None or facts.redirect:
        return None
    return Finding(
        "The site behind this address does not know this command's signature.",
        "Run the command with the settings of the site that serves there (same SECRET_KEY).",
    )


def _host_kept(facts: Facts) -> Finding | None:
    if facts.seen is None or facts.seen.host.lower() == facts.host.lower():
        return None
    return Finding(
        f"The proxy changes the Host from {facts.host!r} to {facts.seen.host!r}: "
        "browsers' sockets are refused as invalid_origin.",
        "nginx: proxy_set_header Host $http_host;   Caddy does it by itself.",
    )


def _proxy_trusted(facts: Facts) -> Finding | None:
    if not _behind_proxy(facts) or facts.seen is None or facts.seen.trusted:
        return None
    if facts.seen.forwarded_for or facts.seen.forwarded_proto:
        return Finding(
            f"A proxy at {facts.seen.peer} is not trusted: all players share one address, "
            f"{facts.seen.address!r}, and its cap.",
            f"TRUSTED_PROXIES={facts.seen.peer}",
        )
    return None


def _forwards_address(facts: Facts) -> Finding | None:
    if not _behind_proxy(facts) or facts.seen is None or facts.seen.forwarded_for:
        return None
    return Finding(
        "The proxy does not say whom it speaks for (no X-Forwarded-For): all players share its address.",
        "nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;   and "
        f"TRUSTED_PROXIES={facts.seen.peer}",
    )


def _scheme_known(facts: Facts) -> Finding | None:
    if facts.seen is None or facts.seen.https_known == facts.https:
        return None
    if facts.https:
        return Finding(
            "The site is visited by https and does not know it: cookies and origins cannot be checked.",
            "nginx: proxy_set_header X-Forwarded-Proto $scheme;   and PROXY_PROTO_HEADER=X-Forwarded-Proto, "
            f"TRUSTED_PROXIES={facts.seen.peer}",
        )
    return Finding(
        "The site is visited by http, but the proxy says https: browsers' sockets are refused as "
        "invalid_origin.",
        "Let the proxy say what is true; nginx: proxy_set_header X-Forwarded-Proto $scheme;",
    )


def _upgraded(facts: Facts) -> Finding | None:
    upgrade = facts.upgrade
    if upgrade is None or upgrade.status == 101:
        return None
    if upgrade.reject is not None:
        return Finding(
            f"The socket is refused: {upgrade.reject}.",
            REMEDIES.get(upgrade.reject, "See the page of this code in the documentation."),
        )
    return Finding(
        f"The upgrade does not arrive: /ws is answered with {upgrade.status} instead of 101.",
        "nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; "
        "proxy_set_header Connection $connection_upgrade;",
    )


def _uncompressed(facts: Facts) -> Finding | None:
    if facts.upgrade is None or not facts.upgrade.extensions:
        return None
    return Finding(
        f"Something on the way adds {facts.upgrade.extensions!r} to the socket.",
        "Turn WebSocket compression off in the proxy: frames are small, it costs memory for each player.",
    )


def _lives(facts: Facts) -> Finding | None:
    if facts.upgrade is None or facts.upgrade.status != 101 or not facts.cut:
        return None
    if not facts.greeted:
        return Finding(
            "The socket opens and is cut before its first frame.",
            "A proxy that buffers answers? nginx: proxy_buffering off; for /ws.",
        )
    return Finding(
        f"The proxy cuts a quiet socket after {facts.lived_s:.1f} s: heartbeats come every "
        f"{facts.interval_s:g} s, so every player drops out again and again.",
        "nginx: proxy_read_timeout 120s; proxy_send_timeout 120s;",
    )


REMEDIES: Final = {
    "invalid_origin": "The page's origin must equal the Host that the server sees, scheme included; or be "
    "listed in ALLOWED_ORIGINS.",
    "blocked_ip": "This network or account is blocked: see 'Blocked' in the admin.",
    "missing_session": "The session cookie does not come through: the proxy must pass Cookie on.",
    "session_connection_cap": "Close other sockets of this session and try again.",
    "ip_connection_cap": "All sockets of this address are in use; behind a proxy see TRUSTED_PROXIES.",
    "arcjet_denied": "The shield is live and takes this command for a robot or has seen it too often.",
    "unavailable": "The server drains, or its session store does not answer in time.",
    "forbidden": "No ticket was shown: this should not happen.",
}

RULES: Final[tuple[Rule, ...]] = (
    _reachable,
    _redirect,
    _host_allowed,
    _is_ours,
    _mirror,
    _host_kept,
    _proxy_trusted,
    _forwards_address,
    _scheme_known,
    _upgraded,
    _uncompressed,
    _lives,
)
"""From the outside in: the first finding is the one to mend first."""


def diagnose(facts: Facts) -> list[Finding]:
    """Everything that is wrong; empty if players can play."""
    return [finding for rule in RULES if (finding := rule(facts)) is not None]


def _behind_proxy(facts: Facts) -> bool:
    """The port that the server sees is not ours: somebody stands between."""
    return facts.seen is not None and facts.seen.peer_port != facts.own_port
