"""One simulated socket: the server's port on one end, a player's browser on the other, a network in between.

Without delay, but in turns: what one side sends, the other hears in a turn of its own at the same instant, as
on a loop. The only place that knows what the three ways of not arriving do: a silent network, a page that
stands still, and a cable that is out.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol

from debugger.clock import SimulationClock
from debugger.recorder import Recorder
from gateway.core import closing
from gateway.core.closing import By, Ending, ending_of
from gateway.core.outbox import WRITE_THROUGH_BYTES
from gateway.runtime import Admission, Runtime
from gateway.socket import Socket
from gateway.transports.port import PeerClose


class Flow(Enum):
    """Whether what is sent arrives."""

    OPEN = "open"
    SILENT = "silent"
    """Nothing arrives on either side, and nobody is told: a half-open connection."""
    STALLED = "stalled"
    """The page stands still: it reads nothing and says nothing, and the server's buffer fills."""


class Ear(Protocol):
    """The browser's end."""

    def hears(self, line: "Line", frame: dict[str, Any]) -> None:
        """A frame arrived."""

    def hung_up(self, line: "Line", code: int, reason: str) -> None:
        """The socket is closed."""


class Line:
    """Implements `gateway.transports.port.Port`, and does what the consumer does at the end of a socket."""

    def __init__(self, player: str, runtime: Runtime, clock: SimulationClock, recorder: Recorder) -> None:
        self.flow = Flow.OPEN
        self.ended: Ending | None = None
        self.socket: Socket | None = None
        self._player = player
        self._runtime = runtime
        self._clock = clock
        self._recorder = recorder
        self._ear: Ear | None = None
        self._admission: Admission | None = None
        self._unread: list[tuple[dict[str, Any], int]] = []
        self._unread_bytes = 0
        self._was_full = False
        self._unsent: list[tuple[str, bytes]] = []
        self._farewell: Ending | None = None

    def open(self, admission: Admission, ear: Ear) -> None:
        """Complete the handshake of an admitted upgrade: the consumer's first half."""
        self._ear = ear
        self._admission = admission
        self.socket = self._runtime.accept(admission, self)
        self._runtime.open(admission, self.socket)

    # ---------- the server's end: the port

    def buffered(self) -> int:
        """What the browser has not taken."""
        return self._unread_bytes

    def write(self, payload: bytes) -> None:
        """On its way; it arrives in a turn of its own."""
        if self.ended is None:
            frame = self._recorder.sent(self._player, payload)
            if self.flow is Flow.OPEN:
                self._clock.soon(lambda: self._arrive(frame, len(payload)))
            else:
                self._keep(frame, len(payload))

    def close(self, code: int, reason: str) -> None:
        """The server ends the socket; a browser that does not listen will not know."""
        if self.ended is None:
            self._clock.after_turn()  # what led to the end is told before it
            heard = self.flow is Flow.OPEN
            note = "" if heard else "the player does not hear it; slot and memory are free now"
            self._end(ending_of(code, reason, By.SERVER), note)
            if heard:
                self._tell_ear(code, reason)

    def abort(self) -> None:
        """Nothing is left to reset here: `close` gave everything back."""

    async def run(self, on_message: Callable[[bytes], None], on_drain: Callable[[], None]) -> PeerClose:
        """A line is driven by its browser and its clock."""
        raise NotImplementedError("a simulated line is driven, not run")

    # ---------- the browser's end

    def say(self, type_: str, payload: bytes) -> None:
        """A frame for the server; in silence it waits to be sent again, as TCP does."""
        if self.flow is Flow.SILENT:
            self._unsent.append((type_, payload))
        elif self.ended is None and self.socket is not None:
            self._recorder.received(self._player, type_, len(payload))
            self.socket.received(payload)

    def hang_up(self, code: int, reason: str) -> None:
        """The browser closes; in silence the server does not know."""
        self._ear = None
        ending = ending_of(code, reason, By.CLIENT)
        if self.flow is Flow.OPEN:
            self._end(ending, "by the player's browser")
        else:
            self._farewell = ending

    def cut(self) -> None:
        """The cable is out, and both ends know; a page that stands still learns it when it goes on."""
        self._end(closing.DROPPED, "the connection dropped")
        if self.flow is not Flow.STALLED:
            self._tell_ear(closing.DROPPED.code, closing.DROPPED.reason)

    def flow_again(self) -> None:
        """The network, or the page, is back: what waited arrives."""
        if self.flow is Flow.OPEN:
            return
        self.flow = Flow.OPEN
        if self.ended is not None:
            self._tell_ear(closing.DROPPED.code, closing.DROPPED.reason)
        elif self._farewell is not None:
            self._end(self._farewell, "by the player's browser, heard only now")
        else:
            self._catch_up()

    # ---------- details

    def _arrive(self, frame: dict[str, Any], size: int) -> None:
        if self.flow is not Flow.OPEN:
            self._keep(frame, size)
        elif self._ear is not None:
            self._ear.hears(self, frame)

    def _keep(self, frame: dict[str, Any], size: int) -> None:
        self._unread.append((frame, size))
        self._unread_bytes += size
        self._was_full = self._was_full or self._unread_bytes >= WRITE_THROUGH_BYTES

    def _catch_up(self) -> None:
        unsent, self._unsent = self._unsent, []
        unread, self._unread = self._unread, []
        was_full, self._was_full = self._was_full, False
        self._unread_bytes = 0
        for type_, payload in unsent:
            self.say(type_, payload)
        for frame, size in unread:
            self._arrive(frame, size)
        if was_full and self.socket is not None:
            self.socket.drained()

    def _tell_ear(self, code: int, reason: str) -> None:
        ear, self._ear = self._ear, None
        if ear is not None:
            self._clock.soon(lambda: ear.hung_up(self, code, reason))

    def _end(self, ending: Ending, note: str) -> None:
        if self.ended is None:
            self.ended = ending
            self._recorder.closed(self._player, ending.code, ending.reason, note)
            self._clock.soon(self._over)

    def _over(self) -> None:
        """The consumer's and the gate's ``finally``."""
        if self.socket is not None and self._admission is not None and self.ended is not None:
            self._runtime.close(self._admission, self.socket, self.ended)
            self._runtime.release(self._admission)
