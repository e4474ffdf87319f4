"""How people go from a room: grace, eviction, kick and ban, the host's role, the room's own end (spec 2.3).

What an ending means to a seat is decided in ``gateway.core.closing``; what that means to the room is decided
here. How people come is in ``rooms.core.entering``.
"""

from collections.abc import Sequence
from typing import assert_never

from gateway.contract import ConnId
from gateway.core.closing import GONE_AWAY, KICKED, USER_DISCONNECTED, Ending, Treatment
from rooms.core import hosting
from rooms.core.effects import End, Left, RoomOver, Send, Unbind
from rooms.core.messages import HostChanged, Kicked, KickUser, RoomClosed, UnbanUser
from rooms.core.playing import check_host, expectation_changed, keep_game
from rooms.core.roster import LeftReason, News
from rooms.core.rules import EMPTY_S, GRACE_S, RESTART_HOLD_S, SUCCESSOR_S, refusal
from rooms.core.seats import Seat, Seats
from rooms.core.shapes import CloseReason
from rooms.core.state import Effects, RoomData, is_connected, tell

# ---------- sockets that end


def leave(room: RoomData, left: Left, now: float) -> Effects:
    """A socket is gone. One that holds no seat (any more) frees none: seats compare connection ids."""
    room.watchers.pop(left.conn_id, None)
    seat = room.seats.held_by(left.conn_id)
    if seat is not None:
        yield from _treat(room, seat, left.ending, now)


def _treat(room: RoomData, seat: Seat, ending: Ending, now: float) -> Effects:
    match ending.treatment:
        case Treatment.EVICT:
            yield from evict(room, [seat], _reason(ending), now)
            if ending.code == USER_DISCONNECTED.code:
                yield from _close_if_empty(room, now)
        case Treatment.GRACE if not room.active:
            yield from evict(room, [seat], "lost", now)
        case Treatment.GRACE:
            _hold(room, seat, GRACE_S, now)
        # The replacement is on its way; if it is here already, the seat is its and we were not asked.
        case Treatment.SUCCESSOR | Treatment.REPLACED:
            _hold(room, seat, SUCCESSOR_S, now)
        case Treatment.KEEP:
            _hold(room, seat, RESTART_HOLD_S, now)
        case _:
            assert_never(ending.treatment)


def _reason(ending: Ending) -> LeftReason:
    """Went on purpose, or was taken away (blocked, logged out)."""
    return "left" if ending.code in (USER_DISCONNECTED.code, GONE_AWAY.code) else "lost"


def _hold(room: RoomData, seat: Seat, seconds: float, now: float) -> None:
    room.seats.hold(seat, now + seconds)
    room.news.add_changed(seat.id, "status", now)


# ---------- commands


def leave_room(room: RoomData, conn_id: ConnId, now: float) -> Effects:
    """LEAVE_ROOM: the socket stays, the seat goes. A watcher stops watching."""
    if conn_id in room.watchers:
        del room.watchers[conn_id]
        yield Unbind(conn_id)
        return
    seat = room.member(conn_id)
    yield Unbind(conn_id)
    yield from evict(room, [seat], "left", now)
    yield from _close_if_empty(room, now)


def kick(room: RoomData, conn_id: ConnId, command: KickUser, now: float) -> Effects:
    """KICK_USER: the seat goes; with ``ban`` all seats of its account go, and it may not come back."""
    check_host(room, conn_id, command)
    named = room.seats.find(command.user_id)
    if named is None:
        raise refusal("NO_SUCH_MEMBER", f"There is no member {command.user_id!r}.")
    if named.account in (room.creator, room.host_account):
        raise refusal("INVALID_STATE", f"{named.name} can't be removed: the room is theirs.")
    gone = [named]
    if command.ban:
        gone = [seat for seat in room.seats.all() if seat.account == named.account]
        room.seats.ban(gone)
    for seat in gone:
        yield from _throw_out(room, seat, command.ban, now)
    if command.ban:
        yield from hosting.tell_bans(room)
    yield from expectation_changed(room, now)


def _throw_out(room: RoomData, seat: Seat, banned: bool, now: float) -> Effects:
    conn_id = seat.conn_id
    if seat.id in room.seats.here:
        room.news.add_left(seat.id, "kicked", now)
    room.seats.remove(seat)
    if conn_id is not None:
        yield Send((conn_id,), Kicked("banned" if banned else "removed"))
        yield Unbind(conn_id)
        yield End(conn_id, KICKED)


def unban(room: RoomData, conn_id: ConnId, command: UnbanUser) -> Effects:
    check_host(room, conn_id, command)
    ban = room.seats.bans.get(command.user_id)
    if ban is None:
        raise refusal("NO_SUCH_MEMBER", f"Nobody is banned as {command.user_id!r}.")
    room.seats.unban(ban.account)
    yield from hosting.tell_bans(room)


# ---------- what a leave means to the room


def evict(room: RoomData, gone: Sequence[Seat], reason: LeftReason, now: float) -> Effects:
    """No members any more: the others are told, the host's role moves on, a question may be complete.

    All at once, so that the role is not passed to one who goes at the same moment.
    """
    for seat in gone:
        room.seats.depart(seat, now)
        room.news.add_left(seat.id, reason, now)
    if room.host not in room.seats.here:
        yield from _pass_host(room)
    if not room.seats.here:
        room.empty_at = now + EMPTY_S
    yield from expectation_changed(room, now)


def _pass_host(room: RoomData) -> Effects:
    """To the earliest-joined connected member, else to the earliest in grace (spec 2.3)."""
    members = list(room.seats.here.values())
    heir = next(filter(is_connected, members), members[0] if members else None)
    room.host = heir.id if heir is not None else None
    if heir is not None:
        yield from tell(room, HostChanged(heir.id))
        yield from hosting.brief(room)


def _close_if_empty(room: RoomData, now: float) -> Effects:
    """The last player left on purpose: nobody will be back (spec 2.1)."""
    if not room.seats.here:
        yield from close(room, "left", now)


def close(room: RoomData, reason: CloseReason, now: float) -> Effects:
    """The end of the room, for members and watchers; a game that was on is kept if it was worth it."""
    yield from keep_game(room, now)
    yield from tell(room, RoomClosed(reason))
    for conn_id in room.everyone:
        yield Unbind(conn_id)
    yield RoomOver(reason)
    room.seats, room.watchers, room.news = Seats(), {}, News()
    room.host = room.until = room.idle_at = room.empty_at = room.pause = None
