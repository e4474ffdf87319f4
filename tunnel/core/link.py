"""One tunnel connection as data: its streams, what waits to be sent, and in whose turn (spec 6.2).

The same machine at both ends. A frame that comes in is checked against the stream's state and credit and
handed on, or ignored if its stream is over, or ends the connection (`ProtocolError`). A frame that goes out
waits here until there is credit: control frames first, then the streams round-robin. Knows no sockets; the
shells are ``tunnel.relay.peer`` and ``tunnel.client.session``.
"""

from collections import deque
from typing import Final

from msgspec import Struct

from tunnel.core import states
from tunnel.core.codec import encode
from tunnel.core.credit import FRAME_COST, Incoming, Outgoing, cost
from tunnel.core.frames import (
    CHUNK_BYTES,
    FIRST_WINDOW_BYTES,
    ConnectionFrame,
    Credit,
    Data,
    Open,
    ProtocolError,
    Reset,
    StreamFrame,
    WsClose,
)
from tunnel.core.states import Side, State

MAX_MESSAGE_BYTES: Final = 1_048_576
"""The longest WebSocket message (spec 6.2): its pieces are granted on arrival, so something must end it."""


class Stream(Struct):
    """One request or socket. ``held``: bytes that came in and were not passed on, frame costs included.

    ``early``: the part of ``held`` for which credit was granted on arrival. ``message``: bytes of the
    unfinished WebSocket message.
    """

    id: int
    state: State
    outgoing: Outgoing
    incoming: Incoming
    queue: deque[Data | WsClose]
    queued: int = 0
    held: int = 0
    early: int = 0
    message: int = 0


class Link:
    """One connection, seen from ``side``. ``held``: all bytes that wait in it, in both directions."""

    def __init__(self, side: Side, window: int = FIRST_WINDOW_BYTES) -> None:
        self.side = side
        self.window = window
        self.far_window = FIRST_WINDOW_BYTES
        self.streams: dict[int, Stream] = {}
        self.last_stream = 0
        self.held = 0
        self._control: deque[bytes] = deque()
        self._turns: dict[int, None] = {}  # an ordered set

    # In

    def receive(self, frame: StreamFrame) -> StreamFrame | None:
        """Check a frame of the other end; returns it if somebody has to act on it.

        Credits are used up here; frames of streams that are over are ignored, as they crossed our ending.
        """
        if isinstance(frame, Open):
            return self._opened_by_relay(frame)
        if frame.stream > self.last_stream:
            raise ProtocolError(f"stream {frame.stream} was never opened")
        stream = self.streams.get(frame.stream)
        if stream is None:
            return None
        if isinstance(frame, Credit):
            stream.outgoing.grant(frame.increment)
            self._take_turns(stream)
            return None
        if stream.state is State.CLOSED:
            if isinstance(frame, Reset):
                self._drop_queue(stream)
                self._forget_if_done(stream)
            return None
        following = states.after(stream.state, frame, self.side.other)
        if isinstance(frame, Data):
            self._arrived(stream, frame)
        self._enter(stream, following)
        return frame

    def consumed(self, stream_id: int, amount: int) -> None:
        """So many bytes (frame costs included) of a stream were passed on: grants credit in time."""
        stream = self.streams.get(stream_id)
        if stream is None:
            return
        amount = min(amount, stream.held)
        stream.held -= amount
        self.held -= amount
        early = min(stream.early, amount)
        stream.early -= early
        self._grant(stream, amount - early)
        self._forget_if_done(stream)

    # Out

    def announce(self, frame: ConnectionFrame) -> None:
        """Queue a frame of the connection."""
        self._put_control(encode(frame))

    def open(self, frame: Open) -> None:
        """Queue a new stream of ours, with the id `next_stream`; may raise `FrameTooLargeError`."""
        encoded = encode(frame)
        self._add(frame)
        self._put_control(encoded)

    @property
    def next_stream(self) -> int:
        """The id of the next stream; ids rise and are never used again."""
        return self.last_stream + 1

    def send(self, frame: StreamFrame) -> bool:
        """Queue a frame of a stream; False if the stream is over, `ProtocolError` for our own fault."""
        stream = self.streams.get(frame.stream)
        if stream is None or stream.state is State.CLOSED:
            return False
        following = states.after(stream.state, frame, self.side)
        if isinstance(frame, Data | WsClose):
            self._put(stream, frame)
        else:
            self._put_control(encode(frame))
        if isinstance(frame, Reset):
            self._drop_queue(stream)
        stream.state = following
        self._forget_if_done(stream)
        return True

    def abandon(self, stream_id: int) -> None:
        """Nobody will take what has come in for this stream; a stream that is not over is not touched."""
        stream = self.streams.get(stream_id)
        if stream is not None and stream.state is State.CLOSED:
            self.consumed(stream_id, stream.held)

    def queued(self, stream_id: int) -> int:
        """Bytes of a stream that wait to be sent."""
        stream = self.streams.get(stream_id)
        return 0 if stream is None else stream.queued

    def next_frame(self) -> bytes | None:
        """The next message to write, None if there is none or nothing has credit."""
        if self._control:
            encoded = self._control.popleft()
            self.held -= len(encoded)
            return encoded
        while self._turns:
            stream = self._next_in_turn()
            if stream is None or not stream.queue:
                continue
            frame = self._take(stream)
            if frame is not None:
                self._take_turns(stream)
                self._forget_if_done(stream)
                return encode(frame)
        return None

    def heaviest(self) -> int | None:
        """The stream for which most waits."""
        if not self.streams:
            return None
        return max(self.streams.values(), key=lambda stream: stream.held + stream.queued).id

    # Inside

    def _opened_by_relay(self, frame: Open) -> Open:
        if self.side is Side.RELAY:
            raise ProtocolError(f"the client opened stream {frame.stream}")
        if frame.stream <= self.last_stream:
            raise ProtocolError(f"stream {frame.stream} after stream {self.last_stream}")
        self._add(frame)
        return frame

    def _add(self, frame: Open) -> None:
        state = states.opened(frame)
        self.last_stream = frame.stream
        self.streams[frame.stream] = Stream(
            frame.stream, state, Outgoing(self.far_window), Incoming.fresh(self.window), deque()
        )

    def _arrived(self, stream: Stream, frame: Data) -> None:
        stream.incoming.arrive(frame.payload)
        stream.held += cost(frame.payload)
        self.held += cost(frame.payload)
        if stream.state is not State.SOCKET:
            return
        stream.message += len(frame.payload)
        if stream.message > MAX_MESSAGE_BYTES:
            raise ProtocolError(f"a message of more than {MAX_MESSAGE_BYTES} bytes on stream {stream.id}")
        if frame.fin:
            stream.message = 0
        else:
            stream.early += cost(frame.payload)
            self._grant(stream, cost(frame.payload))

    def _grant(self, stream: Stream, amount: int) -> None:
        if stream.state is State.CLOSED:
            return
        granted = stream.incoming.consume(amount)
        if granted:
            self._put_control(encode(Credit(stream.id, granted)))

    def _enter(self, stream: Stream, state: State) -> None:
        """The other end's frame moves the stream; after its ending nothing of ours is wanted any more."""
        stream.state = state
        if state is State.CLOSED:
            self._drop_queue(stream)
            self._forget_if_done(stream)

    def _put_control(self, encoded: bytes) -> None:
        self._control.append(encoded)
        self.held += len(encoded)

    def _put(self, stream: Stream, frame: Data | WsClose) -> None:
        stream.queue.append(frame)
        self._count(stream, _weight(frame))
        self._turns.setdefault(stream.id)

    def _count(self, stream: Stream, weight: int) -> None:
        stream.queued += weight
        self.held += weight

    def _take_turns(self, stream: Stream) -> None:
        if stream.queue:
            self._turns.setdefault(stream.id)

    def _next_in_turn(self) -> Stream | None:
        first = next(iter(self._turns))
        del self._turns[first]
        return self.streams.get(first)

    def _take(self, stream: Stream) -> Data | WsClose | None:
        """The stream's next frame, no larger than its credit; None if it has to wait for more."""
        first = stream.queue[0]
        if isinstance(first, Data):
            room = stream.outgoing.room()
            if room is None or (room == 0 and first.payload):
                return None
            size = min(room, CHUNK_BYTES)
            if len(first.payload) > size:
                stream.queue[0] = Data(first.stream, first.payload[size:], first.end, first.fin, first.text)
                self._count(stream, -size)
                first = Data(first.stream, first.payload[:size], text=first.text)
                stream.outgoing.spend(first.payload)
                return first
            stream.outgoing.spend(first.payload)
        stream.queue.popleft()
        self._count(stream, -_weight(first))
        return first

    def _drop_queue(self, stream: Stream) -> None:
        stream.queue.clear()
        self._count(stream, -stream.queued)

    def _forget_if_done(self, stream: Stream) -> None:
        if stream.state is State.CLOSED and not stream.queue and not stream.held:
            self.streams.pop(stream.id, None)


def _weight(frame: Data | WsClose) -> int:
    return cost(frame.payload) if isinstance(frame, Data) else FRAME_COST
