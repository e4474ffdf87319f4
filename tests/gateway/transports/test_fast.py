"""What the fast adapter adds to uvicorn's: the carrier, and where it must not be used."""

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from gateway.management.commands.serve import TRANSPORTS, Command
from gateway.transports.carriers import AsyncioCarrier
from gateway.transports.direct import DirectCarrier
from gateway.transports.fast import FastWebSocketProtocol
from gateway.transports.uvicorn import GatewayWebSocketProtocol


async def application(scope: object, receive: object, send: object) -> None:
    """Never called."""


class Below(asyncio.Transport):
    """uvicorn's transport, with or without TLS. ``sock`` is a real one: its descriptor is shared."""

    def __init__(self, sock: Any, sslcontext: object) -> None:
        super().__init__({"socket": sock, "sslcontext": sslcontext})
        self.write_buffer_high: int | None = None

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Remember it."""
        self.write_buffer_high = high

    def write(self, data: Any) -> None:
        """Never called."""

    def get_write_buffer_size(self) -> int:
        """Nothing waits."""
        return 0


def protocol() -> FastWebSocketProtocol:
    """As uvicorn makes one for an upgrade."""
    config = uvicorn.Config(application, log_config=None)
    config.load()
    return FastWebSocketProtocol(config, ServerState(), {})


async def test_a_socket_is_written_to_directly() -> None:
    """Its transport only holds what the kernel did not take."""
    with socket.socket() as sock:
        made = protocol()
        below = Below(sock, None)
        assert isinstance(made.make_carrier(below), DirectCarrier)
        assert below.write_buffer_high == 0
        assert made.direct is not None
        made.direct.let_go()


async def test_below_tls_every_byte_is_the_transports() -> None:
    """What is sent past it would be sent in the clear."""
    made = protocol()
    assert isinstance(made.make_carrier(Below(None, object())), AsyncioCarrier)
    assert made.direct is None


def test_serve_takes_the_fast_transport_unless_it_is_told_otherwise() -> None:
    """The other one is there for whoever suspects it."""
    parser = Command().create_parser("manage.py", "serve")
    assert TRANSPORTS[parser.parse_args([]).transport] is FastWebSocketProtocol
    assert TRANSPORTS[parser.parse_args(["--transport", "uvicorn"]).transport] is GatewayWebSocketProtocol
