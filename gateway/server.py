"""uvicorn, started and stopped the gateway's way.

Stopping: stock uvicorn closes every socket with a bare 1012 before anything of ours runs, so `GatewayServer`
lets the gateway say goodbye first. The transports see to it that its close frames leave and that nobody is
waited for too long.
"""

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from gateway import live

log = logging.getLogger("gateway.server")


class GatewayServer(uvicorn.Server):
    """A uvicorn server that drains the gateway before it shuts down."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stock raises the signal again after a clean stop, so that a supervisor would see a process that was
        killed.
        """
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        live.start()
        await super().startup(sockets)
        if self.started:
            self._on_listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain the gateway, then let uvicorn stop."""
        runtime = live.runtime()
        log.info("draining", extra={"sockets": len(runtime.sockets.live)})
        runtime.drain()
        live.stop()
        await super().shutdown(
            sockets
        )  # waits for the close frames to be answered, at most as long as a transport does


def run(config: uvicorn.Config, listener: socket.socket, on_listening: Callable[[], None]) -> None:
    """Serve until a signal ends it."""
    GatewayServer(config, on_listening).run([listener])


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises `OSError` if the address can't be had."""
    family: Any = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener
