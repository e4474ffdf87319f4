"""One connection's streams, credit and turns (spec 6.2), with two machines talking to each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tunnel.core.codec import FrameTooLargeError, decode, encode
from tunnel.core.credit import FRAME_COST, Incoming, Outgoing, cost
from tunnel.core.frames import (
    CHUNK_BYTES,
    FIRST_WINDOW_BYTES,
    MAX_WINDOW_BYTES,
    Accepted,
    Closing,
    Credit,
    Data,
    Frame,
    Head,
    Open,
    Ping,
    ProtocolError,
    RequestHead,
    Reset,
    ResponseHead,
    Stop,
    Why,
    WsAccept,
    WsClose,
)
from tunnel.core.link import MAX_MESSAGE_BYTES, Link
from tunnel.core.states import Side, State


def request(stream: int, websocket: bool = False, end: bool = False) -> Open:
    return Open(stream, RequestHead("POST", "/", (), "http", "a.example", "192.0.2.1", websocket), end)


def drain(link: Link) -> list[Frame]:
    sent = []
    while (message := link.next_frame()) is not None:
        sent.append(decode(message))
    return sent


def relay_with(*streams: Open) -> Link:
    link = Link(Side.RELAY)
    for frame in streams:
        link.open(frame)
    drain(link)
    return link


def socket() -> Link:
    link = relay_with(request(1, websocket=True))
    link.receive(WsAccept(1, Accepted()))
    return link


def test_a_sender_stops_when_its_credit_is_used_up_and_goes_on_when_more_is_granted() -> None:
    """64 KiB with the frames' own cost, in pieces of 16 KiB and one of what is left."""
    link = relay_with(request(1))
    link.send(Data(1, bytes(100_000), end=True))
    sent = drain(link)
    assert [len(frame.payload) for frame in sent if isinstance(frame, Data)] == [CHUNK_BYTES] * 3 + [16_256]
    assert sum(cost(frame.payload) for frame in sent if isinstance(frame, Data)) == FIRST_WINDOW_BYTES
    assert link.queued(1) == 100_000 - 65_408 + FRAME_COST
    assert link.receive(Credit(1, FIRST_WINDOW_BYTES)) is None
    rest = drain(link)
    assert sum(len(frame.payload) for frame in rest if isinstance(frame, Data)) == 100_000 - 65_408
    assert [frame.end for frame in rest if isinstance(frame, Data)] == [False, False, True]
    assert link.held == 0


@pytest.mark.parametrize("left", [FRAME_COST - 1, FRAME_COST])
def test_a_credit_that_carries_no_byte_carries_no_frame_with_bytes(left: int) -> None:
    """An empty frame would be sent again and again; one that only ends the body may go."""
    link = relay_with(request(1))
    link.streams[1].outgoing.available = left
    link.send(Data(1, b"x"))
    assert drain(link) == []
    link.streams[1].queue.clear()
    link.send(Data(1, b"", end=True))
    assert len(drain(link)) == (left == FRAME_COST)


def test_streams_take_turns_and_control_frames_go_first() -> None:
    """A large download does not hold up a small one, and a pong holds up nobody."""
    link = relay_with(request(1), request(2))
    link.send(Data(1, bytes(2 * CHUNK_BYTES)))
    link.send(Data(2, bytes(CHUNK_BYTES)))
    link.announce(Ping(b"12345678"))
    order = [getattr(frame, "stream", 0) for frame in drain(link)]
    assert order == [0, 1, 2, 1]


def test_credit_is_granted_after_the_bytes_were_passed_on() -> None:
    """Not on arrival: else a visitor that does not read would fill the relay."""
    link = relay_with(request(1, end=True))
    link.receive(Head(1, ResponseHead(200)))
    for _ in range(3):
        assert link.receive(Data(1, bytes(CHUNK_BYTES))) is not None
    assert drain(link) == []
    assert link.held == 3 * (CHUNK_BYTES + FRAME_COST)
    link.consumed(1, CHUNK_BYTES + FRAME_COST)
    assert drain(link) == [Credit(1, CHUNK_BYTES + FRAME_COST)]
    with pytest.raises(ProtocolError, match="with a credit of"):
        link.receive(Data(1, bytes(FIRST_WINDOW_BYTES - FRAME_COST)))


def test_pieces_of_an_unfinished_message_are_granted_on_arrival() -> None:
    """A message longer than the window would else never end; it is still counted as held."""
    link = socket()
    link.receive(Data(1, bytes(CHUNK_BYTES)))
    assert drain(link) == [Credit(1, CHUNK_BYTES + FRAME_COST)]
    link.receive(Data(1, b"end", fin=True))
    assert link.held == CHUNK_BYTES + 3 + 2 * FRAME_COST
    link.consumed(1, CHUNK_BYTES + 3 + 2 * FRAME_COST)
    assert link.held == 0
    assert link.streams[1].incoming.available + link.streams[1].incoming.owed == FIRST_WINDOW_BYTES


def test_a_message_beyond_a_mebibyte_ends_the_connection() -> None:
    """Its pieces are granted on arrival, so nothing else would stop it."""
    link = socket()
    for _ in range(MAX_MESSAGE_BYTES // CHUNK_BYTES):
        link.receive(Data(1, bytes(CHUNK_BYTES)))
    with pytest.raises(ProtocolError, match="more than 1048576"):
        link.receive(Data(1, b"x"))


def test_what_crosses_an_ending_is_ignored() -> None:
    """The other end did not know yet; a stream that never was is another matter."""
    link = relay_with(request(1))
    assert link.send(Reset(1, Why(Stop.CANCELLED)))
    assert link.receive(Head(1, ResponseHead(200))) is None
    assert link.receive(Credit(1, 5)) is None
    assert not link.send(Data(1, b"late"))
    with pytest.raises(ProtocolError, match="never opened"):
        link.receive(Data(2, b""))


def test_an_ending_of_the_other_side_drops_what_waits_for_it() -> None:
    """A response that is complete needs no more of the request."""
    link = relay_with(request(1))
    link.send(Data(1, bytes(200_000)))
    drain(link)
    link.receive(Head(1, ResponseHead(413), end=True))
    assert link.streams == {}
    assert link.held == 0


def test_our_ending_leaves_when_what_was_queued_before_it_has_left() -> None:
    """A response longer than the window: its end waits for credit, its stream stays until then."""
    client = Link(Side.CLIENT)
    client.receive(request(1, end=True))
    client.send(Head(1, ResponseHead(200)))
    client.send(Data(1, bytes(100_000), end=True))
    drain(client)
    assert client.streams[1].state is State.CLOSED
    assert client.receive(Data(1, b"")) is None
    client.receive(Credit(1, 65_536))
    assert isinstance(drain(client)[-1], Data)
    assert client.streams == {}


def test_a_reset_frees_a_stream_whose_end_waits_for_credit() -> None:
    """The visitor left: nobody will ever grant it."""
    client = Link(Side.CLIENT)
    client.receive(request(1, end=True))
    client.send(Head(1, ResponseHead(200)))
    client.send(Data(1, bytes(100_000), end=True))
    drain(client)
    assert client.receive(Reset(1, Why(Stop.CANCELLED))) is None
    assert client.streams == {}
    assert client.held == 0


def test_a_close_waits_for_the_messages_before_it() -> None:
    """It is no control frame: the last message must not be lost."""
    link = socket()
    link.send(Data(1, b"last words", fin=True, text=True))
    link.send(WsClose(1, Closing(4001, "bye")))
    assert drain(link) == [Data(1, b"last words", fin=True, text=True), WsClose(1, Closing(4001, "bye"))]
    assert link.streams == {}


def test_a_message_is_sent_in_pieces_of_its_own_kind() -> None:
    """Only the last one is final."""
    link = socket()
    link.send(Data(1, bytes(CHUNK_BYTES + 1), fin=True, text=True))
    first, second = drain(link)
    assert isinstance(first, Data)
    assert isinstance(second, Data)
    assert (first.fin, first.text, second.fin, second.text) == (False, True, True, True)


def test_what_nobody_will_take_is_let_go() -> None:
    """The visitor left after the response was complete: the bytes that waited for it are no longer held."""
    link = relay_with(request(1, end=True))
    link.receive(Head(1, ResponseHead(200)))
    link.receive(Data(1, b"body"))
    link.abandon(1)
    assert link.held
    link.receive(Data(1, b"", end=True))
    link.abandon(1)
    assert link.held == 0
    assert link.streams == {}
    link.abandon(1)
    link.consumed(1, 5)


def test_the_heaviest_stream_is_the_one_for_which_most_waits() -> None:
    """It goes first when memory runs short."""
    link = relay_with()
    assert link.heaviest() is None
    link = relay_with(request(1), request(2))
    link.send(Data(2, bytes(100_000)))
    assert link.heaviest() == 2


def test_only_the_relay_opens_streams_and_their_ids_rise() -> None:
    """An id that is used again would join two visitors."""
    client = Link(Side.CLIENT)
    client.receive(request(7))
    for stream in (7, 3):
        with pytest.raises(ProtocolError, match="after stream 7"):
            client.receive(request(stream))
    with pytest.raises(ProtocolError, match="client opened"):
        Link(Side.RELAY).receive(request(1))
    assert client.next_stream == 8


def test_a_head_that_is_too_large_opens_nothing() -> None:
    """The visitor is told 431, and the next request has its id."""
    link = Link(Side.RELAY)
    huge = RequestHead("GET", "/" + "x" * 70_000, (), "http", "a.example", "192.0.2.1")
    with pytest.raises(FrameTooLargeError):
        link.open(Open(1, huge))
    assert link.next_stream == 1
    assert link.streams == {}


def test_a_stream_that_went_while_it_had_a_turn_is_skipped() -> None:
    """Its turn passes to the next one."""
    link = relay_with(request(1), request(2))
    link.send(Data(1, b"gone"))
    link.send(Data(2, b"here"))
    link.receive(Reset(1, Why(Stop.BROKEN)))
    assert drain(link) == [Data(2, b"here")]
    link.send(Data(2, b"x"))
    link.streams[2].queue.clear()
    assert link.next_frame() is None
    assert link.queued(99) == 0


def test_a_window_cannot_be_granted_beyond_all_bounds() -> None:
    """RFC 9113 has the same rule, for the same reason: the sum must stay a number."""
    window = Outgoing(10)
    with pytest.raises(ProtocolError, match="on top of 10"):
        window.grant(MAX_WINDOW_BYTES)


@given(st.lists(st.integers(0, 5000), max_size=200))
def test_a_window_comes_back_whole(sizes: list[int]) -> None:
    """What was consumed is owed or granted, never lost."""
    window = Incoming.fresh(FIRST_WINDOW_BYTES)
    for size in sizes:
        payload = bytes(size)
        window.arrive(payload)
        window.consume(cost(payload))
        assert window.available + window.owed == FIRST_WINDOW_BYTES


class TwoEnds(RuleBasedStateMachine):
    """A relay and a client that send at will, over a wire that is slow: what comes is what was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = {Side.RELAY: Link(Side.RELAY), Side.CLIENT: Link(Side.CLIENT)}
        self.wire: dict[Side, list[bytes]] = {Side.RELAY: [], Side.CLIENT: []}
        self.sent: dict[tuple[Side, int], bytearray] = {}
        self.got: dict[tuple[Side, int], bytearray] = {}
        self.unread: dict[Side, list[tuple[int, int]]] = {Side.RELAY: [], Side.CLIENT: []}

    @rule(end=st.booleans())
    def open(self, end: bool) -> None:
        relay = self.ends[Side.RELAY]
        relay.open(request(relay.next_stream, end=end))

    @precondition(lambda self: self.ends[Side.CLIENT].streams)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        client = self.ends[Side.CLIENT]
        stream = data.draw(st.sampled_from(sorted(client.streams)))
        if client.streams[stream].state in (State.ASKING, State.ASKED):
            client.send(Head(stream, ResponseHead(200)))

    @rule(side=st.sampled_from(Side), size=st.integers(0, 40_000), end=st.booleans(), data=st.data())
    def say(self, side: Side, size: int, end: bool, data: st.DataObject) -> None:
        link = self.ends[side]
        able = [
            stream.id
            for stream in link.streams.values()
            if stream.state is State.TALKING
            or stream.state is (State.ASKING if side is Side.RELAY else State.ANSWERING)
        ]
        if able:
            stream = data.draw(st.sampled_from(able))
            payload = bytes([stream % 256, len(able) % 256]) * (size // 2)
            assert link.send(Data(stream, payload, end=end))
            self.sent.setdefault((side, stream), bytearray()).extend(payload)

    @rule(side=st.sampled_from(Side), frames=st.integers(1, 8))
    def write(self, side: Side, frames: int) -> None:
        for _ in range(frames):
            message = self.ends[side].next_frame()
            if message is not None:
                self.wire[side].append(message)

    @rule(side=st.sampled_from(Side), frames=st.integers(1, 8))
    def deliver(self, side: Side, frames: int) -> None:
        far = self.ends[side.other]
        for message in self.wire[side][:frames]:
            frame = decode(message)
            assert encode(frame) == message
            handed = far.receive(frame)  # type: ignore[arg-type]
            if isinstance(handed, Data):
                self.got.setdefault((side, handed.stream), bytearray()).extend(handed.payload)
                self.unread[side.other].append((handed.stream, cost(handed.payload)))
        del self.wire[side][:frames]

    @rule(side=st.sampled_from(Side), data=st.data())
    def read(self, side: Side, data: st.DataObject) -> None:
        if self.unread[side]:
            stream, amount = self.unread[side].pop(data.draw(st.integers(0, len(self.unread[side]) - 1)))
            self.ends[side].consumed(stream, amount)

    @rule(side=st.sampled_from(Side), data=st.data())
    def reset(self, side: Side, data: st.DataObject) -> None:
        link = self.ends[side]
        if link.streams:
            stream = data.draw(st.sampled_from(sorted(link.streams)))
            link.send(Reset(stream, Why(Stop.CANCELLED)))

    @invariant()
    def what_arrives_is_a_beginning_of_what_was_sent(self) -> None:
        for key, got in self.got.items():
            assert self.sent[key].startswith(got)

    @invariant()
    def no_window_is_exceeded(self) -> None:
        for link in self.ends.values():
            for stream in link.streams.values():
                assert 0 <= stream.incoming.available <= stream.incoming.window
                assert stream.outgoing.available >= 0

    @invariant()
    def all_that_waits_is_counted(self) -> None:
        for link in self.ends.values():
            waits = sum(stream.held + stream.queued for stream in link.streams.values())
            assert link.held == waits + sum(map(len, link._control))


TestTwoEnds = TwoEnds.TestCase
