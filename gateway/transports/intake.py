"""From bytes to whole messages, in turns: the parsing half of `gateway.transports.framed`.

A frame that is a message by itself goes straight on (`gateway.transports.whole`); every other one is parsed
by websockets' sans-I/O protocol, frame by frame. Joining fragments, checking text and sharing the loop fairly
is done here. What a message, a ping or a close means is the `Listener`'s to decide.
"""

from typing import Final, Protocol

from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from gateway.core.closing import INVALID_UTF8
from gateway.transports.port import MAX_MESSAGE_BYTES
from gateway.transports.whole import frame_end, is_utf8, whole_message

FRAMES_PER_TURN: Final = 64
"""A flooder's 256 KiB of empty frames, parsed at once, would hold up everybody for a quarter of a second."""

EARLY_BYTES: Final = 16_384
"""What a client may send before it has been let in; from then on it is not read until it is."""


class Listener(Protocol):
    """Who is told what has arrived. Each call may change what `listening` says."""

    def listening(self) -> bool:
        """Whether data and pings are still of interest; after the socket's end only the peer's close is."""

    def behind(self) -> bool:
        """Whether the rest should wait for the application."""

    def on_message(self, data: bytes, is_text: bool) -> None:
        """A whole message; text is valid UTF-8."""

    def on_ping(self) -> None:
        """A ping; the library has its pong ready to be sent."""

    def on_pong(self, payload: bytes) -> None:
        """A pong, asked for or not."""

    def on_close(self) -> None:
        """The peer's close frame; the library has its answer ready if one is due."""

    def on_fault(self, code: int, reason: str) -> None:
        """The peer broke the protocol; the library has its close frame ready and parses nothing more."""

    def on_unfinished(self) -> None:
        """A message has more fragments than anybody needs."""


class Intake:
    """What has arrived for one socket and is not yet a message."""

    __slots__ = ("_conn", "_is_text", "arrived", "fragments", "max_fragments", "ready")

    def __init__(self, max_fragments: int) -> None:
        self.max_fragments = max_fragments
        self.arrived = bytearray()
        self.ready = False
        """Whether a turn ended before what is here did."""
        self.fragments: list[bytes] = []
        """Of a message whose last one is not here."""
        self._conn: ServerProtocol | None = None
        self._is_text = False

    @property
    def conn(self) -> ServerProtocol:
        """The library's protocol, between two frames; made when the first frame needs it: most sockets have
        none but plain messages.
        """
        if self._conn is None:
            self._conn = ServerProtocol(state=State.OPEN, max_size=MAX_MESSAGE_BYTES)
            self._conn.debug = False  # no frame in a debug log
        return self._conn

    @property
    def mid_message(self) -> bool:
        """Whether the peer owes the rest of a message, or of a frame."""
        return bool(self.fragments or (self.arrived and not self.ready))

    @property
    def may_wait(self) -> bool:
        """Whether what has arrived is little enough to be kept for later."""
        return len(self.arrived) <= EARLY_BYTES

    def clear(self) -> None:
        """Forget what has arrived."""
        self.arrived.clear()
        self.ready = False

    def take_whole(self, data: bytes, listener: Listener) -> bool:
        """Take new bytes, where nothing is left of older ones. Whether they were plain messages to the last
        one: then there is no more to do.

        Without a copy: what is left of a packet that has more than those waits for `take_turn`.
        """
        at = 0
        for _ in range(FRAMES_PER_TURN):
            found = whole_message(data, at)
            if found is None:
                break
            payload, is_text, at = found
            listener.on_message(payload, is_text)
            if at == len(data):
                return True
            if listener.behind() or not listener.listening():
                break
        self.arrived += data[at:]
        return False

    def take_turn(self, listener: Listener) -> None:
        """Take the frames that are here, but not more than one turn's worth of them."""
        if self._conn is not None and self._conn.parser_exc is not None:
            self.clear()  # behind a fault everything is thrown away
        for _ in range(FRAMES_PER_TURN):
            if listener.behind():
                break
            if not self._take_frame(listener):
                self.ready = False
                return
        self.ready = bool(self.arrived)

    def _take_frame(self, listener: Listener) -> bool:
        """Whether a frame was here, whole."""
        plain = listener.listening() and not self.fragments
        found = whole_message(self.arrived, 0) if plain else None
        if found is not None:
            payload, is_text, end = found
            del self.arrived[:end]
            listener.on_message(payload, is_text)
            return True
        end = frame_end(self.arrived)
        if end:
            frame = self.arrived[:end]
            del self.arrived[:end]
            self._parse(frame, listener)
        return bool(end)

    def _parse(self, data: bytearray, listener: Listener) -> None:
        self.conn.receive_data(data)
        for frame in self.conn.events_received():
            self._on_frame(frame, listener)  # type: ignore[arg-type]  # no requests after the handshake
        if not listener.listening():
            self.conn.data_to_send()  # pongs for a socket that is over
        elif self.conn.parser_exc is not None and self.conn.close_sent is not None:
            listener.on_fault(int(self.conn.close_sent.code), self.conn.close_sent.reason)

    def _on_frame(self, frame: Frame, listener: Listener) -> None:
        opcode = frame.opcode
        if opcode is Opcode.CLOSE:
            listener.on_close()
        elif not listener.listening():
            return
        elif opcode is Opcode.PING:
            listener.on_ping()
        elif opcode is Opcode.PONG:
            listener.on_pong(bytes(frame.data))
        else:
            self._on_data(frame, listener)

    def _on_data(self, frame: Frame, listener: Listener) -> None:
        if len(self.fragments) >= self.max_fragments:
            listener.on_unfinished()
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        self.fragments.append(bytes(frame.data))
        if frame.fin:
            self._on_last_fragment(listener)

    def _on_last_fragment(self, listener: Listener) -> None:
        data = self.fragments[0] if len(self.fragments) == 1 else b"".join(self.fragments)
        self.fragments.clear()
        if self._is_text and not is_utf8(data):  # RFC 6455, 8.1
            self.conn.fail(INVALID_UTF8.code, INVALID_UTF8.reason)
            listener.on_fault(INVALID_UTF8.code, INVALID_UTF8.reason)
        else:
            listener.on_message(data, self._is_text)
