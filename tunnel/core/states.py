"""What may happen on a stream, and in what order: one enum, one table (spec 6.2).

Both ends walk the same table with the frames that they send and receive. The two ends' moves commute, so
frames that cross on the wire lead both to the same state; only an ending cuts the other end short, and what
it had sent by then is ignored (``tunnel.core.link``).
"""

from enum import Enum
from typing import Final

from tunnel.core.frames import Data, Head, Open, ProtocolError, Reset, StreamFrame, WsAccept, WsClose


class Side(Enum):
    """The two ends of a tunnel."""

    RELAY = "relay"
    CLIENT = "client"

    @property
    def other(self) -> "Side":
        """The far end."""
        return Side.CLIENT if self is Side.RELAY else Side.RELAY


class State(Enum):
    """Where a stream is."""

    ASKING = "asking"
    """The request's body flows, the response has not begun."""
    ASKED = "asked"
    """The request is whole, the response has not begun."""
    TALKING = "talking"
    """Both bodies flow."""
    ANSWERING = "answering"
    """The request is whole, the response's body flows."""
    UPGRADING = "upgrading"
    """A WebSocket was asked for."""
    SOCKET = "socket"
    """A WebSocket is open."""
    CLOSED = "closed"


class Move(Enum):
    """What a frame does to a stream."""

    RELAY_DATA = "relay data"
    RELAY_END = "relay data, end"
    CLIENT_HEAD = "client head"
    CLIENT_HEAD_END = "client head, end"
    CLIENT_DATA = "client data"
    CLIENT_END = "client data, end"
    ACCEPT = "accept"
    CLOSE = "close"
    RESET = "reset"


TABLE: Final[dict[tuple[State, Move], State]] = {
    (State.ASKING, Move.RELAY_DATA): State.ASKING,
    (State.ASKING, Move.RELAY_END): State.ASKED,
    (State.ASKING, Move.CLIENT_HEAD): State.TALKING,
    (State.ASKING, Move.CLIENT_HEAD_END): State.CLOSED,
    (State.ASKED, Move.CLIENT_HEAD): State.ANSWERING,
    (State.ASKED, Move.CLIENT_HEAD_END): State.CLOSED,
    (State.TALKING, Move.RELAY_DATA): State.TALKING,
    (State.TALKING, Move.RELAY_END): State.ANSWERING,
    (State.TALKING, Move.CLIENT_DATA): State.TALKING,
    (State.TALKING, Move.CLIENT_END): State.CLOSED,
    (State.ANSWERING, Move.CLIENT_DATA): State.ANSWERING,
    (State.ANSWERING, Move.CLIENT_END): State.CLOSED,
    (State.UPGRADING, Move.ACCEPT): State.SOCKET,
    (State.UPGRADING, Move.CLIENT_HEAD): State.ANSWERING,  # refused by a response
    (State.UPGRADING, Move.CLIENT_HEAD_END): State.CLOSED,
    (State.SOCKET, Move.RELAY_DATA): State.SOCKET,
    (State.SOCKET, Move.CLIENT_DATA): State.SOCKET,
    (State.SOCKET, Move.CLOSE): State.CLOSED,
    **{(state, Move.RESET): State.CLOSED for state in State if state is not State.CLOSED},
}


def opened(frame: Open) -> State:
    """The state of a new stream."""
    if frame.content.websocket:
        if frame.end:
            raise ProtocolError(f"stream {frame.stream} asks for a WebSocket and ends")
        return State.UPGRADING
    return State.ASKED if frame.end else State.ASKING


def after(state: State, frame: StreamFrame, sender: Side) -> State:
    """The state to which ``sender``'s frame leads; raises `ProtocolError` if it may not come now."""
    if isinstance(frame, Data):
        _check_flags(state, frame)
    move = _move(frame, sender)
    following = None if move is None else TABLE.get((state, move))
    if following is None:
        raise ProtocolError(
            f"stream {frame.stream} is {state.value}: no {type(frame).__name__} of the {sender.value}"
        )
    return following


def _move(frame: StreamFrame, sender: Side) -> Move | None:
    match frame:
        case Reset():
            return Move.RESET
        case WsClose():
            return Move.CLOSE
        case Data() if sender is Side.RELAY:
            return Move.RELAY_END if frame.end else Move.RELAY_DATA
        case Data():
            return Move.CLIENT_END if frame.end else Move.CLIENT_DATA
        case Head() if sender is Side.CLIENT:
            return Move.CLIENT_HEAD_END if frame.end else Move.CLIENT_HEAD
        case WsAccept() if sender is Side.CLIENT:
            return Move.ACCEPT
        case _:
            return None


def _check_flags(state: State, frame: Data) -> None:
    wrong = frame.end if state is State.SOCKET else frame.fin or frame.text
    if wrong:
        raise ProtocolError(f"stream {frame.stream} is {state.value}: flags of another kind of stream")
