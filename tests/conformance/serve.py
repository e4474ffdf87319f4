"""``python -m tests.conformance.serve KIND``: one server on a free port, which it prints.

The kinds are in `KINDS`. Each is started as its server's own command starts it; an adapter logs all it can.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

from gateway.transports.install import install_if_daphne
from gateway.transports.watch import WireLimits
from tests.conformance.app import application

UNFINISHED_S = 0.4
"""Stands for 30 s."""
CLOSE_TIMEOUT_S = 1.0
"""Stands for 2 s, which the cases allow, so that a busy machine makes none fail."""


def announce(port: int) -> None:
    """Tell the test where we are, and turn whatever is printed from now on into log lines."""
    os.write(1, b"%d\n" % port)  # not print: Twisted turns that into log lines already
    os.dup2(2, 1)


def run_uvicorn(config: Any) -> None:
    import uvicorn

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            announce(self.servers[0].sockets[0].getsockname()[1])

    asyncio.Runner(loop_factory=config.get_loop_factory()).run(Announcing(config).serve())


WRONG: Any = {"lifespan": "off", "ws_ping_interval": 0.1, "ws_ping_timeout": 0.1, "ws_max_size": 1 << 24}
"""Options of the command line that would break the rules if the adapter obeyed them."""


def limits() -> WireLimits:
    return WireLimits(unfinished_s=UNFINISHED_S, close_timeout_s=CLOSE_TIMEOUT_S)


def uvicorn_adapter() -> None:
    import uvicorn

    from gateway.transports.uvicorn import GatewayWebSocketProtocol as ws

    ws.limits = limits()
    # As the stock command has it, with options that are wrong for us: the adapter knows better.
    run_uvicorn(uvicorn.Config(application, "127.0.0.1", 0, ws=ws, log_level="debug", **WRONG))


def fast_adapter() -> None:
    import uvicorn

    from gateway.transports.fast import FastWebSocketProtocol as ws

    ws.limits = limits()
    run_uvicorn(uvicorn.Config(application, "127.0.0.1", 0, ws=ws, log_level="debug", **WRONG))


def uvicorn_stock() -> None:
    import uvicorn

    run_uvicorn(uvicorn.Config(application, "127.0.0.1", 0, lifespan="off", loop="uvloop", http="httptools"))


def run_daphne(server_class: Any, verbosity: int) -> None:
    from daphne.access import AccessLogGenerator

    logging.basicConfig(level=logging.DEBUG if verbosity > 1 else logging.INFO)
    server = server_class(
        application=application,
        endpoints=["tcp:port=0:interface=127.0.0.1"],
        action_logger=AccessLogGenerator(sys.stderr),
        ready_callable=lambda: announce(server.listening_addresses[0][1]),
        verbosity=verbosity,
    )
    server.run()


def daphne_adapter() -> None:
    import daphne.server  # as the stock command has it when it imports asgi.py

    assert install_if_daphne()
    daphne.server.Server.limits = limits()
    run_daphne(daphne.server.Server, verbosity=2)


def daphne_stock() -> None:
    from daphne.server import Server

    run_daphne(Server, verbosity=1)


KINDS: dict[str, Callable[[], None]] = {
    "fast": fast_adapter,
    "uvicorn": uvicorn_adapter,
    "daphne": daphne_adapter,
    "stock-uvicorn": uvicorn_stock,
    "stock-daphne": daphne_stock,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()
