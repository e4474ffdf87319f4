"""Who is here: frozen pictures of the live connections, taken on the loop for `gateway.live`.

Nothing here changes anything, and no picture holds a live object, a session key or a user agent. Lists come
in pages: a process may hold thousands of sockets, and the loop must not stand still for a page of the admin.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from gateway.contract import ConnId
from gateway.core.counts import outbound_drops
from gateway.runtime import Runtime
from gateway.socket import Socket

PER_PAGE: Final = 100
"""Rows that a person can look through, and a picture that takes the loop less than a few milliseconds."""

T = TypeVar("T")


class Query(Struct, frozen=True):
    """Which page (from 1) of what is wanted; ``text`` must be in a row, ``order`` names a column."""

    text: str = ""
    order: str = ""
    number: int = 1


class Page(Struct, Generic[T], frozen=True):
    """One page. ``total`` rows match, on ``pages`` pages (one at least)."""

    rows: tuple[T, ...]
    total: int
    number: int
    pages: int


class Seen(Struct, frozen=True):
    """One open socket as it was a moment ago.

    ``buffered`` are the bytes that the client has not taken, ``over_budget`` the frames of it that were
    dropped, ``unsent`` the frames for it that were dropped or replaced. ``rtt_s`` is None before the first
    heartbeat.
    """

    conn_id: ConnId
    address: str
    account: str
    seat: str | None
    age_s: float
    rtt_s: float | None
    buffered: int
    over_budget: int
    unsent: int


def connections(runtime: Runtime, query: Query) -> Page[Seen]:
    """A page of the open sockets, the newest first unless another order is asked for."""
    sockets = list(reversed(runtime.sockets.live.values()))
    if query.text:
        sockets = [socket for socket in sockets if query.text in _words(runtime, socket)]
    if query.order in ORDERS:
        sockets.sort(key=ORDERS[query.order], reverse=True)
    return paged(sockets, query.number, lambda socket: _seen(runtime, socket))


def these(runtime: Runtime, conn_ids: Iterable[ConnId]) -> tuple[Seen, ...]:
    """Those of these sockets that are still open."""
    live = runtime.sockets.live
    return tuple(_seen(runtime, live[conn_id]) for conn_id in conn_ids if conn_id in live)


def paged(found: Sequence[Any], number: int, picture: Callable[[Any], T]) -> Page[T]:
    """The page of that number, the last if there are fewer; pictures are taken of its rows alone."""
    pages = max(1, -(-len(found) // PER_PAGE))
    number = min(max(number, 1), pages)
    rows = found[(number - 1) * PER_PAGE : number * PER_PAGE]
    return Page(tuple(map(picture, rows)), len(found), number, pages)


def _over_budget(socket: Socket) -> int:
    return socket.connection.parts.inbound.dropped


def _unsent(socket: Socket) -> int:
    return sum(frames for _, frames in outbound_drops(socket.connection.parts.outbox))


def _rtt(socket: Socket) -> float:
    return socket.connection.rtt() or 0.0


ORDERS: Final[Mapping[str, Callable[[Socket], float]]] = {
    "rtt": _rtt,
    "buffered": Socket.unread,
    "over_budget": _over_budget,
    "unsent": _unsent,
}
"""Columns by which the list can be sorted, the largest first."""


def _words(runtime: Runtime, socket: Socket) -> str:
    """What a search looks in."""
    conn_id = socket.peer.conn_id
    seat = runtime.hub.slots[conn_id].user_id or ""
    return f"{conn_id} {runtime.admitted[conn_id].address} {socket.peer.account} {seat}"


def _seen(runtime: Runtime, socket: Socket) -> Seen:
    conn_id = socket.peer.conn_id
    admission = runtime.admitted[conn_id]
    return Seen(
        conn_id,
        admission.address,
        socket.peer.account,
        runtime.hub.slots[conn_id].user_id,
        runtime.clock.now() - admission.since,
        socket.connection.rtt(),
        socket.unread(),
        _over_budget(socket),
        _unsent(socket),
    )
