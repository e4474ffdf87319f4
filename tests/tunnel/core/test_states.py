"""The order of frames on a stream (spec 6.2): the table, and that crossing frames cannot part the ends."""

import itertools

import pytest

from tunnel.core.frames import (
    Accepted,
    Closing,
    Credit,
    Data,
    Head,
    Open,
    ProtocolError,
    RequestHead,
    Reset,
    ResponseHead,
    Stop,
    StreamFrame,
    Why,
    WsAccept,
    WsClose,
)
from tunnel.core.states import TABLE, Side, State, after, opened

RELAYS = {
    "data": Data(1, b"x"),
    "end": Data(1, b"", end=True),
}
CLIENTS = {
    "head": Head(1, ResponseHead(200)),
    "head end": Head(1, ResponseHead(204), end=True),
    "data": Data(1, b"x"),
    "end": Data(1, b"", end=True),
    "accept": WsAccept(1, Accepted()),
}


def request(websocket: bool = False, end: bool = False) -> Open:
    return Open(1, RequestHead("GET", "/", (), "http", "a.example", "192.0.2.1", websocket), end)


def test_a_stream_begins_as_what_was_asked_for() -> None:
    """With or without a body, or as a WebSocket, which has no body to end."""
    assert opened(request()) is State.ASKING
    assert opened(request(end=True)) is State.ASKED
    assert opened(request(websocket=True)) is State.UPGRADING
    with pytest.raises(ProtocolError, match="WebSocket and ends"):
        opened(request(websocket=True, end=True))


@pytest.mark.parametrize(
    ("start", "steps", "end"),
    [
        (State.ASKING, ["r data", "r end", "c head", "c data", "c end"], State.CLOSED),
        (State.ASKING, ["c head", "r data", "c data", "r end", "c end"], State.CLOSED),
        (State.ASKING, ["c head", "c end"], State.CLOSED),
        (State.ASKED, ["c head end"], State.CLOSED),
        (State.UPGRADING, ["c accept", "r data", "c data"], State.SOCKET),
        (State.UPGRADING, ["c head", "c data", "c end"], State.CLOSED),
    ],
)
def test_these_are_whole_stories(start: State, steps: list[str], end: State) -> None:
    """A request that is answered early, late, without a body, and a WebSocket taken or refused."""
    state = start
    for step in steps:
        who, what = step.split(" ", 1)
        side, frame = (Side.RELAY, RELAYS[what]) if who == "r" else (Side.CLIENT, CLIENTS[what])
        state = after(state, step_frame(state, frame), side)
    assert state is end


def step_frame(state: State, frame: StreamFrame) -> StreamFrame:
    return Data(1, b"x", fin=True, text=True) if state is State.SOCKET and isinstance(frame, Data) else frame


@pytest.mark.parametrize("state", State)
def test_a_move_that_is_not_in_the_table_is_refused(state: State) -> None:
    """The closed stream takes nothing at all; no side makes the other's moves."""
    for side in Side:
        for frame in [
            *CLIENTS.values(),
            WsClose(1, Closing(1000)),
            Reset(1, Why(Stop.CANCELLED)),
            Credit(1, 1),
        ]:
            try:
                following = after(state, frame, side)
            except ProtocolError:
                assert (state, frame, side) not in TABLE
            else:
                assert state is not State.CLOSED
                assert not (side is Side.RELAY and isinstance(frame, Head | WsAccept))
                assert following in State
                assert not isinstance(frame, Credit)


def test_flags_of_a_body_and_of_a_message_do_not_mix() -> None:
    """FIN means nothing in a body, END nothing in a WebSocket."""
    for state, frame in (
        (State.ASKING, Data(1, b"", fin=True)),
        (State.ANSWERING, Data(1, b"", text=True)),
        (State.SOCKET, Data(1, b"", end=True)),
    ):
        with pytest.raises(ProtocolError, match="another kind"):
            after(state, frame, Side.CLIENT)


def test_every_live_stream_can_be_reset_by_either_side() -> None:
    """The way out is always open."""
    for state, side in itertools.product(State, Side):
        if state is not State.CLOSED:
            assert after(state, Reset(1, Why(Stop.BROKEN)), side) is State.CLOSED


def test_the_moves_of_the_two_sides_commute() -> None:
    """Frames that cross on the wire: both ends come to the same state, unless one is an ending."""

    def step(state: State, frame: StreamFrame, side: Side) -> State | None:
        try:
            return after(state, step_frame(state, frame), side)
        except ProtocolError:
            return None

    for state, first, second in itertools.product(State, RELAYS.values(), CLIENTS.values()):
        relay, client = step(state, first, Side.RELAY), step(state, second, Side.CLIENT)
        if relay is None or client is None or State.CLOSED in (relay, client):
            continue
        assert step(relay, second, Side.CLIENT) is step(client, first, Side.RELAY) is not None


def test_every_state_is_reached_and_left() -> None:
    """No dead entry in the table."""
    assert {state for state, _ in TABLE} == set(State) - {State.CLOSED}
    assert set(TABLE.values()) | {State.ASKING, State.UPGRADING} == set(State)


def test_the_other_side_is_the_other_side() -> None:
    """Twice is home again."""
    assert Side.RELAY.other is Side.CLIENT
    assert Side.CLIENT.other is Side.RELAY
