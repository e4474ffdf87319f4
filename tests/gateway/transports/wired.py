"""A port on virtual time over a carrier that only remembers, and a client that speaks to it in frames."""

import asyncio

from websockets.frames import Close, Frame, Opcode

from gateway.testing import VirtualClock
from gateway.transports.delivery import Delivery, Events
from gateway.transports.framed import FramedPort
from gateway.transports.port import PeerClose
from gateway.transports.watch import WireLimits


class RecordingCarrier:
    """Implements `gateway.transports.carriers.Carrier`. ``ends``: how the connection was ended, in order."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.unread_bytes = 0
        self.reading = True
        self.ends: list[str] = []

    def write(self, data: bytes, /) -> None:
        """Remember what is no empty write."""
        if data:
            self.written.append(data)

    def buffered(self) -> int:
        """What the peer has not taken."""
        return self.unread_bytes

    def pause(self) -> None:
        """Stop reading."""
        self.reading = False

    def resume(self) -> None:
        """Read again."""
        self.reading = True

    def finish(self) -> None:
        """End our side."""
        self.ends.append("finish")

    def close(self) -> None:
        """End after the flush."""
        self.ends.append("close")

    def reset(self) -> None:
        """End now."""
        self.ends.append("reset")


class Wired:
    """A port, everything below it and the client at the other end. Used inside a running loop."""

    def __init__(self, limits: WireLimits | None = None, *, opened: bool = True) -> None:
        self.clock = VirtualClock()
        self.carrier = RecordingCarrier()
        self.events = Events()
        app = Delivery(self.events)
        self.port = FramedPort(self.carrier, app, limits or WireLimits(), self.clock)
        self.messages: list[bytes] = []
        self.drains = 0
        if opened:
            self.port.opened()

    def sends(self, opcode: Opcode, data: bytes = b"", fin: bool = True) -> None:
        """The client sends one frame."""
        self.port.received(Frame(opcode, data, fin).serialize(mask=True))

    def closes(self, code: int, reason: str = "") -> None:
        """The client sends a close frame."""
        self.sends(Opcode.CLOSE, Close(code, reason).serialize())

    async def running(self) -> "asyncio.Task[PeerClose]":
        """The application runs the port, and has got what waited for it."""
        task = asyncio.create_task(self.port.run(self.messages.append, self._drained))
        await asyncio.sleep(0)
        return task

    def _drained(self) -> None:
        self.drains += 1


def close_frame(code: int, reason: str) -> bytes:
    """The bytes of a server's close frame."""
    return Frame(Opcode.CLOSE, Close(code, reason).serialize()).serialize(mask=False)
