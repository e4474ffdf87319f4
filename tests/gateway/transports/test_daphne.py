"""Daphne's own timeouts under the adapter; everything on the wire is in conformance."""

import pytest

from tests.gateway.transports.fresh import said_by

ROUND = """
from types import SimpleNamespace
from gateway.transports.daphne import GatewayWebSocketProtocol
from gateway.transports.phase import Phase
done = []
protocol = GatewayWebSocketProtocol()
protocol.socket_opened = 0.0  # long ago
protocol.port = SimpleNamespace(phase=Phase({phase!r}), close=lambda *what: done.append(what))
protocol.refuse = lambda *what: done.append(what)
protocol.server = SimpleNamespace(websocket_timeout={timeout}, websocket_connect_timeout={connect})
protocol.check_timeouts()
print(done)
"""


@pytest.mark.parametrize(
    ("given", "kept"), [("", -1), ("websocket_timeout=86400", -1), ("websocket_timeout=60", 60)]
)
def test_the_daily_end_of_every_socket_is_off_unless_somebody_chose_a_time(given: str, kept: int) -> None:
    """86 400 s is only Daphne's default."""
    program = (
        "from gateway.transports.daphne import GatewayServer\n"
        f"print(GatewayServer(None, ['tcp:port=0'], {given}).websocket_timeout)"
    )
    assert said_by(program) == str(kept)


@pytest.mark.parametrize(
    ("phase", "timeout", "connect", "done"),
    [
        ("open", -1, 5, []),
        ("open", 60, 5, [(1000, "")]),
        ("handshake", -1, 5, [(503, (), b"")]),
        ("handshake", -1, -1, []),
    ],
)
def test_a_timeout_closes_or_refuses(phase: str, timeout: int, connect: int, done: list[object]) -> None:
    """A chosen one closes with 1000, as Daphne does; an upgrade that nobody answers is a 503. -1 is never."""
    assert said_by(ROUND.format(phase=phase, timeout=timeout, connect=connect)) == str(done)
