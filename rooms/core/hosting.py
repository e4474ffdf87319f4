"""What only the host is told of the room: whose line is slow, and who may not come back.

A page forgets both when it is told the whole room or a new host, so what isn't empty follows here. What lag
is, is decided in ``rooms.core.lags``, who is banned in ``rooms.core.leaving``.
"""

from gateway.contract import FrameClass
from rooms.core import view
from rooms.core.effects import Lagged, Send
from rooms.core.messages import Bans, Event, Lagging
from rooms.core.state import Effects, RoomData


def brief(room: RoomData) -> Effects:
    """All of it, after the host was told the room or that it is the host."""
    room.lagging = view.lagging(room)
    if room.lagging:
        yield from _tell_host(room, Lagging(room.lagging), "lagging")
    if room.seats.bans:
        yield from tell_bans(room)


def tell_bans(room: RoomData) -> Effects:
    """The bans have changed."""
    yield from _tell_host(room, Bans(room.seats.banned()), "bans")


def tell_lagging(room: RoomData) -> Effects:
    """If that has changed: other people lag, or those who did have gone."""
    lagging = view.lagging(room)
    if lagging != room.lagging:
        room.lagging = lagging
        yield from _tell_host(room, Lagging(lagging), "lagging")


def note_lag(room: RoomData, lagged: Lagged, now: float) -> Effects:
    """A player's line has changed; the host hears of it with the next roster changes."""
    room.member(lagged.conn_id).lags = lagged.lagging
    room.news.add_lag(now)
    yield from ()


def forget_lag(room: RoomData, now: float) -> None:
    """The game is over, and with it its round trips."""
    for seat in room.seats.all():
        seat.lags = False
    if room.lagging:
        room.news.add_lag(now)


def _tell_host(room: RoomData, event: Event, key: str) -> Effects:
    """A host who is away is briefed on coming back."""
    host = room.seats.here[room.host] if room.host is not None else None
    if host is not None and host.conn_id is not None:
        yield Send((host.conn_id,), event, FrameClass.COALESCABLE, key)
