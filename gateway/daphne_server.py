"""Daphne, started and stopped the gateway's way (``serve --server daphne``). Only this module loads it.

Speed is promised on uvicorn; here everything works, more slowly.
"""

import logging
import socket
from collections.abc import Callable
from typing import Any, Final

from gateway import live
from gateway.transports.daphne import GatewayServer  # first: it installs Twisted's reactor
from gateway.transports.logs import without_query

access = logging.getLogger("daphne.access")
log = logging.getLogger("gateway.server")

PING_INTERVAL_S: Final = 120
"""The server's own pings are a backstop behind the heartbeats (spec 1.4)."""


class DrainingServer(GatewayServer):
    """A Daphne server that lets the gateway say goodbye before its applications end."""

    def kill_all_applications(self) -> Any:
        """Twisted is about to stop."""
        runtime = live.runtime()
        log.info("draining", extra={"sockets": len(runtime.sockets.live)})
        runtime.drain()
        live.stop()
        return super().kill_all_applications()


def run(application: Any, listener: socket.socket, on_listening: Callable[[], None]) -> None:
    """Serve until a signal ends it."""

    def ready() -> None:
        live.start()
        on_listening()

    DrainingServer(
        application,
        endpoints=[f"fd:fileno={listener.fileno()}"],
        action_logger=_log_access,
        ping_interval=PING_INTERVAL_S,
        ready_callable=ready,
        server_name="",
        verbosity=1,
    ).run()


def _log_access(protocol: str, action: str, details: dict[str, Any]) -> None:
    """One line a request, like uvicorn's, and never a query string: it may hold a ticket."""
    path = without_query(str(details.get("path", "")))
    status = details.get("status", action)
    access.info('%s - "%s %s" %s', details.get("client"), details.get("method", protocol), path, status)
