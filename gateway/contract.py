"""The contract between the gateway and a game on it: `Game` is called by the gateway, `Sockets` by the game.

Pure declarations: no server, no Django, no loop. Calls go one way each: game-ward with commands, socket-ward
with events; a send never calls the game back. ``gateway.testing`` holds the fakes and the conformance test.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, Protocol

from msgspec import Struct

from gateway.core.closing import Ending

ConnId = str
"""Names one accepted socket of this process; random, never reused."""


class FrameClass(Enum):
    """How an outbound frame may be treated when its socket is slow (spec 1.5)."""

    CRITICAL = "critical"
    """Never dropped, never paced, never overtaken."""
    COALESCABLE = "coalescable"
    """A newer one of the same key replaces one that still waits."""
    DROPPABLE = "droppable"
    """Dropped first."""


class Per(Enum):
    """Whose requests one budget counts."""

    USER = "user"
    """The seat once one is held, before that the account: reconnecting renews nothing."""
    CONNECTION = "connection"
    ADDRESS = "address"
    """Everybody behind one address (IPv6: behind one /64)."""


class Budget(Struct, frozen=True):
    """At most ``limit`` commands of one type in ``window_s`` seconds.

    With ``charged_on`` only commands that failed with that error code are counted, but all are refused once
    the budget is spent: so guesses are limited and honest use is not. Types whose budgets name the same
    ``group`` (and agree on the rest) spend from one.
    """

    limit: int
    window_s: float
    per: Per = Per.USER
    charged_on: str | None = None
    group: str | None = None


class ClientError(Exception):
    """The client's fault: told to it in an ``ERROR`` frame, and nothing has changed.

    ``code`` is a closed vocabulary that clients switch on, ``status`` its HTTP cousin, ``details`` what a
    program may want to know beyond the text (``path``, ``retryAfter``, ...).
    """

    def __init__(
        self, code: str, message: str, status: int, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.details = dict(details or {})


class Ticket(Struct, frozen=True):
    """A seat claim as it came with the upgrade; only the token's SHA-256 goes this far."""

    room_id: str
    seat_id: str
    token_hash: str


class Claim(Struct, frozen=True):
    """A ticket that was found good, nothing touched yet; ``holder`` is the socket that has its seat."""

    room_id: str
    seat_id: str
    holder: ConnId | None


class Peer(Struct, frozen=True):
    """Who is behind an accepted socket, as far as the gateway knows."""

    conn_id: ConnId
    account: str
    client_id: str | None


class TrustContext(Struct, frozen=True, forbid_unknown_fields=True):
    """Who the site says a client is, beyond its session. ``tier`` is the site's own word."""

    account: str
    name: str
    locale: str = ""
    tier: str = ""


class Figure(Struct, frozen=True):
    """Numbers of a game for the metrics, one for each value of ``label``.

    ``counts_up``: they only grow, else they go up and down. Values come from a closed vocabulary: never an
    address, a room or a name.
    """

    name: str
    help: str
    label: str
    values: Mapping[str, float]
    counts_up: bool = False


class Game(Protocol):
    """What a game gives to the gateway. All calls are synchronous, on the loop, and never wait."""

    commands: tuple[type[Struct], ...]
    """The wire types that clients may send, each tagged by ``type``."""
    limits: Mapping[str, tuple[Budget, ...]]
    """Budgets by wire type; a type that is not named has none of its own."""

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        """A claim if ``ticket`` opens a live seat of ``account``; no side effect, constant in time."""

    def forged(self, ticket: Ticket) -> str | None:
        """The account whose live seat ``ticket`` names with a wrong token; None if the token is right, or the
        seat is gone: that is no offence. No side effect, constant in time.
        """

    def attach(self, peer: Peer, claim: Claim | None, now: float) -> None:
        """A socket opened; ``claim`` was found good in this very turn, and its holder loses the seat now."""

    def receive(self, conn_id: ConnId, command: Any, now: float) -> None:
        """A decoded command within its budgets. Raises `ClientError`, and then nothing has changed."""

    def measured(self, conn_id: ConnId, rtt_s: float) -> None:
        """The socket answered a heartbeat: its round trip in seconds, by our own clock alone."""

    def resync(self, conn_id: ConnId, now: float) -> None:
        """A slow socket lost coalescable frames and has drained: send it what makes it whole."""

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        """The socket is gone. Called once for every `attach`."""

    def move_account(self, old: str, new: str, now: float) -> None:
        """``old`` signed in and is ``new`` from now on: seats, roles and bans pass over, sockets stay.

        Either may be unknown to the game, ``new`` may have seats already; nobody needs to be told.
        """

    def start(self, now: float) -> None:
        """The process listens next: take over what the one before it left. This may wait: no socket does."""

    def drain(self, now: float) -> None:
        """The process is about to stop: tell the clients, start nothing new."""

    def stop(self, done: Callable[[], None]) -> None:
        """No socket speaks any more: keep what must outlive the process, then call ``done``, soon, once."""

    def figures(self) -> Iterable[Figure]:
        """What the game counts of itself, read at each scrape of the metrics."""


class Sockets(Protocol):
    """What the gateway gives to a game. All calls are synchronous, none waits or calls the game back."""

    def send(
        self, conn_ids: Collection[ConnId], event: Struct, frame_class: FrameClass, key: str | None = None
    ) -> None:
        """Encode ``event`` once and hand it to each socket's outbox; unknown ids are skipped: they just left.

        Without a ``key`` a coalescable event replaces a waiting one of its own wire type.
        """

    def bind(self, conn_id: ConnId, user_id: str) -> None:
        """From now on the connection speaks for ``user_id`` (a seat): its budgets are keyed by it."""

    def unbind(self, conn_id: ConnId) -> None:
        """The connection speaks for nobody again: its budgets are keyed by its account."""

    def close(self, conn_id: ConnId, ending: Ending) -> None:
        """End the socket, in the loop's next turn."""

    def trust(self, conn_id: ConnId) -> TrustContext | None:
        """What the site vouched for about this client; None until it sent a good token."""
