"""uvicorn, started and stopped the gateway's way.

Stopping: stock uvicorn closes every socket with a bare 1012 before anything of ours runs, so `GatewayServer`
lets the gateway say goodbye first. The transports see to it that its close frames leave and that nobody is
waited for too long.
"""

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

from gateway import live
from gateway.handover import Moments

log = logging.getLogger("gateway.server")


class GatewayServer(uvicorn.Server):
    """A uvicorn server that drains the gateway before it shuts down."""

    def __init__(self, config: uvicorn.Config, moments: Moments) -> None:
        super().__init__(config)
        self._moments = moments

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

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The next process may be started at once: it must find that this one is on its way out."""
        self._moments.draining()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take over from the process before, then listen, and say so."""
        live.start().start()
        await super().startup(sockets)
        if self.started:
            self._moments.listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain the gateway, then let uvicorn stop."""
        runtime = live.runtime()
        log.info("draining", extra={"sockets": len(runtime.sockets.live)})
        if self._moments.inherited:
            await self._stop_listening(sockets)  # whoever comes now waits for the next process
        drained = asyncio.Event()
        runtime.drain(drained.set)
        await drained.wait()
        await self._stop_listening(sockets)
        live.stop()
        self._moments.drained()
        # Waits for the close frames to be answered, at most as long as a transport does.
        await super().shutdown(sockets)

    async def _stop_listening(self, sockets: list[socket.socket] | None) -> None:
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        await asyncio.sleep(0)  # uvloop closes in its next turn


def run(config: uvicorn.Config, listener: socket.socket, moments: Moments) -> None:
    """Serve until a signal ends it."""
    GatewayServer(config, moments).run([listener])


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
