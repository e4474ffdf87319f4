"""How people come into a room: new seats, seats that are returned to, watchers (spec 2.1, 2.3).

Functions on a room's data that check first, change after and yield what the shell shall do. How they go is in
``rooms.core.leaving``, what a seat is in ``rooms.core.seats``.
"""

from typing import Final, get_args

from gateway.contract import ConnId
from gateway.core.closing import SEAT_ATTACHED_ELSEWHERE
from rooms.core import hosting, view
from rooms.core.effects import Bind, Create, End, IssueSeat, Join, Reattach, Send, Unbind, Watch
from rooms.core.messages import HostChanged, JoinRoom, RoomJoined, RoomState
from rooms.core.names import clean_name, fold, unique_name
from rooms.core.phases import Phase
from rooms.core.playing import expectation_changed
from rooms.core.rules import refusal
from rooms.core.seats import Seat, Standing
from rooms.core.shapes import Avatar, AvatarId
from rooms.core.state import Effects, RoomData, is_connected

FACES: Final[tuple[AvatarId, ...]] = get_args(AvatarId)
COLOURS: Final = 6
"""Colours of discs behind the faces (spec 3, Shapes)."""

# ---------- with a command


def found(room: RoomData, create: Create, now: float) -> Effects:
    """CREATE_ROOM: the creator takes the first seat."""
    seat = _add_seat(room, create, clean_name(create.command.name))
    yield from _arrive(room, seat, create, None, now)


def join(room: RoomData, join: Join, now: float) -> Effects:
    """JOIN_ROOM: back to a seat of one's own, else to a new one."""
    check_outside(room, join.conn_id)
    if room.seats.is_banned(join.account):
        raise refusal("BANNED", "You may not come back to this room.")
    seat = _own_seat(room, join)
    old = None
    if seat is None:
        seat = _add_seat(room, join, _check_newcomer(room, join))
        room.news.add_joined(seat.id, now)
    else:
        old = _return_to(room, seat, join, now)
    yield from _arrive(room, seat, join, old, now)
    yield from expectation_changed(room, now)


def _own_seat(room: RoomData, join: Join) -> Seat | None:
    """The seat of the same account that it goes back to (spec 2.1); an unknown ``resume`` is ignored."""
    command: JoinRoom = join.command
    named = room.seats.find(command.resume) if command.resume is not None else None
    if named is None or named.account != join.account:
        return room.seats.waiting_for(join.account, join.client_id)
    if is_connected(named) and not command.take_over:
        raise refusal(
            "ALREADY_IN_ROOM", f"{named.name} is in the room already, in another tab or on another device."
        )
    return named


def _return_to(room: RoomData, seat: Seat, join: Join, now: float) -> ConnId | None:
    """The seat gets a new token in any case, a departed one a new id too. Returns the socket that had it."""
    if seat.standing is Standing.DEPARTED:
        if not room.active:
            _check_space(room)
        room.seats.bring_back(seat, join.seat_id)
        room.news.add_joined(seat.id, now)
    seat.token_hash = join.token_hash
    return _attach(room, seat, join, now)


def _check_newcomer(room: RoomData, join: Join) -> str:
    """The newcomer's name, if there is a place. The creator is never locked out of the own room."""
    late = room.active and not room.settings.allow_late_join
    if (room.settings.locked or late) and join.account != room.creator:
        raise refusal("ROOM_LOCKED", "The room takes nobody in now.")
    _check_space(room)
    return unique_name(clean_name(join.command.name), room.seats.name_keys())


def _check_space(room: RoomData) -> None:
    """During a game the places of the departed are kept for them (spec 2.3)."""
    taken = len(room.seats.here) + (len(room.seats.departed) if room.active else 0)
    if taken >= room.settings.max_players:
        raise refusal("ROOM_FULL", f"All {room.settings.max_players} places of the room are taken.")


def _add_seat(room: RoomData, arrival: Create | Join, name: str) -> Seat:
    order = room.seats.joined
    seat = Seat(
        id=arrival.seat_id,
        account=arrival.account,
        client_id=arrival.client_id,
        token_hash=arrival.token_hash,
        name=name,
        name_key=fold(name),
        avatar=arrival.command.avatar or Avatar(FACES[order % len(FACES)], order % COLOURS + 1),
        join_order=order,
        conn_id=arrival.conn_id,
        presents=arrival.account == room.creator and _takes_host(room, arrival.account),
        # A late joiner plays from the question after the one that is on (spec 2.4).
        first_question=room.running.index + 1 if room.active else 0,
    )
    room.seats.add(seat, arrival.conn_id)
    return seat


# ---------- with a ticket, or to watch


def reattach(room: RoomData, reattach: Reattach, now: float) -> Effects:
    """The ticket was found good at admission; by now its seat may be gone."""
    check_outside(room, reattach.conn_id)
    seat = room.seats.here.get(reattach.seat_id)
    if seat is None or seat.account != reattach.account:
        raise refusal("NO_SUCH_MEMBER", f"There is no seat {reattach.seat_id!r} of yours in this room.")
    old = _attach(room, seat, reattach, now)
    yield from _arrive(room, seat, reattach, old, now)


def watch(room: RoomData, watch: Watch, now: float) -> Effects:
    """WATCH_ROOM: public frames only, for the creator's or the host's account."""
    check_outside(room, watch.conn_id)
    if watch.account not in (room.creator, room.host_account):
        raise refusal("NOT_HOST", "Only the host may watch the room.")
    room.watchers[watch.conn_id] = watch.account
    _show_question(room, watch.account, now)
    yield Bind(watch.conn_id, None)
    yield Send((watch.conn_id,), state_for(room, None, now))


def check_outside(room: RoomData, conn_id: ConnId) -> None:
    if conn_id in room.everyone:
        raise refusal("ALREADY_IN_ROOM", "You are in this room already.")


# ---------- what an arrival means to the room


def _attach(room: RoomData, seat: Seat, arrival: Join | Reattach, now: float) -> ConnId | None:
    if seat.standing is Standing.GRACE:
        room.news.add_changed(seat.id, "status", now)
    return room.seats.attach(seat, arrival.conn_id, arrival.client_id)


def _arrive(
    room: RoomData, seat: Seat, arrival: Create | Join | Reattach, old: ConnId | None, now: float
) -> Effects:
    """``seat`` is held by the new connection and no more by ``old``: both are told, and who is host now."""
    room.empty_at = None
    crowned = _takes_host(room, seat.account)
    if crowned:
        room.host = seat.id
    _show_question(room, seat.account, now)
    yield Bind(arrival.conn_id, seat.id)
    if old is not None:
        yield Unbind(old)
        yield End(old, SEAT_ATTACHED_ELSEWHERE)
    yield from _greet(room, seat, arrival, now)
    if seat.id == room.host:
        yield from hosting.brief(room)
    others = tuple(conn_id for conn_id in room.everyone if conn_id != arrival.conn_id)
    if crowned and others:
        yield Send(others, HostChanged(seat.id))


def _greet(room: RoomData, seat: Seat, arrival: Create | Join | Reattach, now: float) -> Effects:
    """The whole room, with a token where one was issued, and after a question what it brought the seat."""
    if isinstance(arrival, Reattach):
        yield Send((arrival.conn_id,), state_for(room, seat, now))
    else:
        event = RoomJoined(seat.id, view.snapshot(room, now), view.you(room, seat))
        yield IssueSeat(arrival.conn_id, event)
    if room.phase is Phase.RESULTS and room.takes_part(seat):
        yield Send((arrival.conn_id,), view.your_result(room, seat, view.ranks(room)[seat.id]))


def state_for(room: RoomData, seat: Seat | None, now: float) -> RoomState:
    """What makes a member whole, or a watcher (None)."""
    return RoomState(view.snapshot(room, now), view.you(room, seat) if seat is not None else None)


def _takes_host(room: RoomData, account: str) -> bool:
    """The first in an empty room is host, and the creator's account whenever no seat of it is (spec 2.3)."""
    return room.host is None or (account == room.creator and room.host_account != room.creator)


def _show_question(room: RoomData, account: str, now: float) -> None:
    if room.phase is Phase.QUESTION:
        room.running.show_to((account,), room.clock(now))
