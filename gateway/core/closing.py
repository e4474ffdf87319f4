"""Why a socket ends, and what that means to the seat and to the client: the one table of spec 1.7.

Nobody writes a close code at a call site: the server ends a socket with one of the named endings below, and
what a peer, the network or the server's own library did is looked up with `ending_of`. 1011 always means that
*we* broke.
"""

from enum import Enum
from typing import Final

from msgspec import Struct, structs

REASON_MAX_BYTES: Final = 123
"""A control frame carries 125 bytes, two of them are the code (RFC 6455, 5.5)."""


class By(Enum):
    """Who ended the socket; the same code may mean different things from different hands."""

    SERVER = "server"
    CLIENT = "client"
    NETWORK = "network"


class Treatment(Enum):
    """What an ending does to the seat that the connection held."""

    REPLACED = "replaced"
    """Only the connection record goes: the seat is already somewhere else."""
    EVICT = "evict"
    """The seat goes now, without grace."""
    GRACE = "grace"
    """A disconnect: the seat is held mid-game, else it goes now."""
    SUCCESSOR = "successor"
    """The seat waits, in any phase, for the socket that follows this one."""
    KEEP = "keep"
    """The seat is kept for the process that follows this one."""


class Retry(Enum):
    """What the web client does after it saw the ending (spec 4.2)."""

    RECONNECT = "reconnect"
    JOIN_AGAIN = "join-again"
    ONCE_LATER = "once-later"
    AFTER_RESTART = "after-restart"
    STOP = "stop"


class Ending(Struct, frozen=True):
    """One way for a socket to end. ``reason`` is the text on the wire, at most 123 bytes."""

    code: int
    reason: str
    by: By
    treatment: Treatment
    retry: Retry = Retry.RECONNECT


def _server(code: int, reason: str, treatment: Treatment, retry: Retry = Retry.RECONNECT) -> Ending:
    return Ending(code, reason, By.SERVER, treatment, retry)


def _client(code: int, reason: str, treatment: Treatment, retry: Retry = Retry.RECONNECT) -> Ending:
    return Ending(code, reason, By.CLIENT, treatment, retry)


SEAT_ATTACHED_ELSEWHERE: Final = _server(1000, "Seat attached elsewhere", Treatment.REPLACED, Retry.STOP)
HEARTBEAT_RATE_EXCEEDED: Final = _server(1008, "Heartbeat rate exceeded", Treatment.GRACE, Retry.ONCE_LATER)
RATE_LIMIT_EXCEEDED: Final = _server(1008, "Rate limit exceeded", Treatment.GRACE, Retry.ONCE_LATER)
PING_RATE_EXCEEDED: Final = _server(1008, "Ping rate exceeded", Treatment.GRACE, Retry.ONCE_LATER)
UNFINISHED_MESSAGE: Final = _server(1008, "Unfinished message", Treatment.GRACE, Retry.ONCE_LATER)
PROTOCOL_ERROR: Final = _server(1002, "Protocol error", Treatment.GRACE)
INVALID_UTF8: Final = _server(1007, "Invalid UTF-8", Treatment.GRACE)
MESSAGE_TOO_LARGE: Final = _server(1009, "Message too large", Treatment.GRACE)
INTERNAL_ERROR: Final = _server(1011, "Internal error", Treatment.GRACE)
SERVICE_RESTART: Final = _server(1012, "Service restart", Treatment.KEEP, Retry.AFTER_RESTART)
BACKPRESSURE: Final = _server(1013, "Backpressure", Treatment.GRACE)
NEW_SESSION_OPENED: Final = _server(4000, "New session opened", Treatment.SUCCESSOR, Retry.STOP)
UNAUTHORIZED: Final = _server(4001, "Unauthorized", Treatment.EVICT, Retry.STOP)
HEARTBEAT_TIMEOUT: Final = _server(4002, "Heartbeat timeout", Treatment.GRACE)
INVALID_SEAT_CREDENTIALS: Final = _server(4003, "Invalid seat credentials", Treatment.EVICT, Retry.JOIN_AGAIN)
BLOCKED: Final = _server(4004, "Blocked", Treatment.EVICT, Retry.STOP)
KICKED: Final = _server(4005, "Kicked", Treatment.EVICT, Retry.STOP)

USER_DISCONNECTED: Final = _client(1000, "User disconnected", Treatment.EVICT, Retry.STOP)
GONE_AWAY: Final = _client(1001, "", Treatment.EVICT)
REPLACING_SOCKET: Final = _client(4000, "Replacing socket", Treatment.SUCCESSOR)
DROPPED: Final = Ending(1006, "", By.NETWORK, Treatment.GRACE)

SERVER_ENDINGS: Final = (
    SEAT_ATTACHED_ELSEWHERE,
    HEARTBEAT_RATE_EXCEEDED,
    RATE_LIMIT_EXCEEDED,
    PING_RATE_EXCEEDED,
    UNFINISHED_MESSAGE,
    PROTOCOL_ERROR,
    INVALID_UTF8,
    MESSAGE_TOO_LARGE,
    INTERNAL_ERROR,
    SERVICE_RESTART,
    BACKPRESSURE,
    NEW_SESSION_OPENED,
    UNAUTHORIZED,
    HEARTBEAT_TIMEOUT,
    INVALID_SEAT_CREDENTIALS,
    BLOCKED,
    KICKED,
)

LIBRARY_CODES: Final = frozenset({1002, 1007, 1009, 1012})
"""What a server's library also closes with by itself, in words of its own."""

NO_PEER_CODES: Final = frozenset({1005, 1006})
"""Never on the wire: no status given, and no close frame at all."""

CLIENT_ENDINGS: Final = (USER_DISCONNECTED, GONE_AWAY, REPLACING_SOCKET)


def peer_ending(code: int, reason: str = "") -> Ending:
    """The ending that a close from the other side means.

    Codes that no client has any business to send (server-only or unknown ones) are a plain disconnect: grace,
    as if the network had dropped.
    """
    if code in NO_PEER_CODES:
        return Ending(code, "", By.NETWORK, Treatment.GRACE)
    return _worded(code, reason, By.CLIENT, [ending for ending in CLIENT_ENDINGS if ending.code == code])


def ending_of(code: int, reason: str, by: By) -> Ending:
    """The ending that a transport reports, by the (code, who) that the table is keyed by.

    Of our own endings the reason tells which; a server's library words its findings as it likes, so that of
    its codes the code alone does. What a server does beyond the table is a plain disconnect.
    """
    if by is not By.SERVER:
        return peer_ending(code, reason)
    exact = [ending for ending in SERVER_ENDINGS if (ending.code, ending.reason) == (code, reason)]
    found = [ending for ending in SERVER_ENDINGS if ending.code == code and code in LIBRARY_CODES]
    return _worded(code, reason, by, exact or found)


def _worded(code: int, reason: str, by: By, candidates: list[Ending]) -> Ending:
    """What the one candidate means, in the words that were really used; without one, a plain disconnect."""
    if len(candidates) != 1:
        return Ending(code, clip_reason(reason), by, Treatment.GRACE)
    return structs.replace(candidates[0], reason=clip_reason(reason))


def clip_reason(reason: str) -> str:
    """``reason`` cut to 123 bytes of UTF-8, never inside a character."""
    return reason.encode("utf-8", "replace")[:REASON_MAX_BYTES].decode("utf-8", "ignore")
