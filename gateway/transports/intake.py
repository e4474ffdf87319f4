"""From bytes to whole messages, in turns: the parsing half of `gateway.transports.framed`.

The frames are parsed by websockets' sans-I/O protocol; joining fragments, checking text and sharing the loop
fairly is done here. What a message, a ping or a close means is the `Listener`'s to decide.
"""

from typing import Final, Protocol

from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from gateway.core.closing import INVALID_UTF8

SLICE_BYTES: Final = 512
"""What is parsed in one go: at most 85 empty frames, so that a turn can end between them."""
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

    __slots__ = ("_fragments", "_is_text", "arrived", "conn", "max_fragments")

    def __init__(self, conn: ServerProtocol, max_fragments: int) -> None:
        self.conn = conn
        self.max_fragments = max_fragments
        self.arrived = bytearray()
        self._fragments: list[bytes] = []
        self._is_text = False

    @property
    def mid_message(self) -> bool:
        """Whether the peer owes the rest of a message, or of a frame."""
        return bool(self._fragments or self.conn.reader.buffer)

    @property
    def may_wait(self) -> bool:
        """Whether what has arrived is little enough to be kept for later."""
        return len(self.arrived) <= EARLY_BYTES

    def take_turn(self, listener: Listener) -> None:
        """Parse what has arrived, but not more than one turn's worth of it."""
        frames = 0
        while self.arrived and frames < FRAMES_PER_TURN and not listener.behind():
            frames += self._parse(self._next_slice(), listener)

    def _next_slice(self) -> bytes | bytearray:
        if len(self.arrived) <= SLICE_BYTES:  # nearly always: one message
            piece, self.arrived = self.arrived, bytearray()
        else:
            piece = self.arrived[:SLICE_BYTES]
            del self.arrived[:SLICE_BYTES]
        return piece

    def _parse(self, data: bytes | bytearray, listener: Listener) -> int:
        self.conn.receive_data(data)
        frames = self.conn.events_received()
        for frame in frames:
            self._on_frame(frame, listener)  # type: ignore[arg-type]  # no requests after the handshake
        if not listener.listening():
            self.conn.data_to_send()  # pongs for a socket that is over
        elif self.conn.parser_exc is not None and self.conn.close_sent is not None:
            listener.on_fault(int(self.conn.close_sent.code), self.conn.close_sent.reason)
        return len(frames)

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
        if len(self._fragments) >= self.max_fragments:
            listener.on_unfinished()
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        self._fragments.append(bytes(frame.data))
        if frame.fin:
            self._on_last_fragment(listener)

    def _on_last_fragment(self, listener: Listener) -> None:
        data = self._fragments[0] if len(self._fragments) == 1 else b"".join(self._fragments)
        self._fragments.clear()
        if self._is_text and not _is_utf8(data):  # RFC 6455, 8.1
            self.conn.fail(INVALID_UTF8.code, INVALID_UTF8.reason)
            listener.on_fault(INVALID_UTF8.code, INVALID_UTF8.reason)
        else:
            listener.on_message(data, self._is_text)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
