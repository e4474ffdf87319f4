"""The toy game in a real runtime on a virtual clock, with clients whose port is a list."""

from typing import Any

import msgspec

from gateway import conf
from gateway.admission import Attempt, parse_query
from gateway.core import closing
from gateway.runtime import Admission, Runtime
from gateway.socket import Socket
from gateway.testing import RecordingPort, VirtualClock
from tests.toy_game.game import Parlour

PARLOUR = "roomId=parlour&playerSeatId=seat-{0}&reconnectToken={0}"

ADDRESS = "203.0.113.9"


class Client:
    """One admitted socket of a runtime and its port."""

    def __init__(self, house: "House", session: str = "s", query: str = "", address: str = ADDRESS) -> None:
        self.house = house
        self.port = RecordingPort()
        self._answered = 0
        admission = house.runtime.admit(attempt(session, query, address=address))
        assert isinstance(admission, Admission), admission
        self.admission = admission
        self.socket: Socket = house.runtime.accept(admission, self.port)

    def open(self) -> "Client":
        """Complete the handshake."""
        self.house.runtime.open(self.admission, self.socket)
        return self

    def says(self, type_: str, **fields: Any) -> "Client":
        """Send one command."""
        self.socket.received(msgspec.json.encode({"type": type_, **fields}))
        return self

    def gone(self, ending: closing.Ending = closing.DROPPED) -> None:
        """The transport reports the end, and the slot is released: the consumer's and the gate's finally."""
        self.house.runtime.close(self.admission, self.socket, ending)
        self.house.runtime.release(self.admission)

    def answers_heartbeats(self) -> None:
        """Echo the pings that came since the last call."""
        pings = [frame["timestamp"] for frame in self.port.sent if frame["type"] == "HEARTBEAT"]
        for timestamp in pings[self._answered :]:
            self.says("HEARTBEAT_RESPONSE", timestamp=timestamp)
        self._answered = len(pings)


class House:
    """A runtime with the toy game."""

    def __init__(self, **settings: Any) -> None:
        self.clock = VirtualClock()
        self.runtime = Runtime(Parlour, conf.build(settings), self.clock)

    @property
    def hub(self) -> Any:
        """Its counters."""
        return self.runtime.hub


def attempt(session: str = "s", query: str = "", agent: str = "Firefox", address: str = ADDRESS) -> Attempt:
    """Somebody who wants a socket."""
    return Attempt(session, f"session:{session}", address, agent, parse_query(query))
