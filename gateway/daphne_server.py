"""Daphne, started and stopped the gateway's way (``serve --server daphne``). Only this module loads it.

Speed is promised on uvicorn; here everything works, more slowly.
"""

import asyncio
import logging
import socket
from typing import Any, Final

from daphne import server as stock  # first: it installs Twisted's reactor

from gateway import live
from gateway.handover import Moments
from gateway.transports.daphne import GatewayServer
from gateway.transports.logs import without_query

access = logging.getLogger("daphne.access")
log = logging.getLogger("gateway.server")

ANSWER_S: Final = 2.0
"""Seconds for requests that are under way when the sockets are closed."""
FINISH_S: Final = 1.0
"""Seconds for cancelled tasks to end; a stop has 10 (spec 4.4)."""
PING_INTERVAL_S: Final = 120
"""The server's own pings are a backstop behind the heartbeats (spec 1.4)."""


class DrainingServer(GatewayServer):
    """A Daphne server that lets the gateway say goodbye before its applications end."""

    endpoints: list[str]
    listeners: list[Any]

    def __init__(self, moments: Moments, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._moments = moments
        self._failure: Exception | None = None

    def run(self) -> None:
        """Stock listens before its loop runs, on which the gateway has still to take over."""
        endpoints, self.endpoints = self.endpoints, []
        stock.reactor.callLater(0, self._begin, endpoints)
        super().run()
        _finish_tasks(stock.twisted_loop)
        if self._failure is not None:
            raise self._failure

    def _begin(self, endpoints: list[str]) -> None:
        try:
            live.start().start()
        except Exception as failure:
            self._failure = failure
            stock.reactor.stop()
            return
        for endpoint in endpoints:
            listening = stock.serverFromString(stock.reactor, endpoint).listen(self.http_factory)
            self.listeners.append(listening.addCallback(self._listens))
        self._moments.listening()

    def _listens(self, port: Any) -> Any:
        self.listen_success(port)
        return port

    def kill_all_applications(self) -> Any:
        """Twisted is about to stop, and waits for what this returns."""
        self._moments.draining()
        runtime = live.runtime()
        log.info("draining", extra={"sockets": len(runtime.sockets.live)})
        if self._moments.inherited:
            self._stop_listening()  # whoever comes now waits for the next process
        drained = stock.defer.Deferred()
        runtime.drain(lambda: drained.callback(None))
        return drained.addCallback(self._drained)

    def _drained(self, _: Any) -> Any:
        self._stop_listening()
        live.stop()
        self._moments.drained()
        self.stop_sockets()  # a tunnel's client gets its farewell while its requests have still their moment
        return self._answered().addCallback(lambda _: super(DrainingServer, self).kill_all_applications())

    def _answered(self) -> Any:
        """Stock kills what is being answered; requests that are under way get a moment."""
        running = [
            task
            for details in self.connections.values()
            if (task := details.get("application_instance")) is not None and not task.done()
        ]
        if not running:
            return stock.defer.succeed(None)
        return stock.defer.Deferred.fromFuture(asyncio.ensure_future(asyncio.wait(running, timeout=ANSWER_S)))

    def _stop_listening(self) -> None:
        for listening in self.listeners:
            listening.addCallback(_stopped)
        self.listeners = []


def _stopped(port: Any) -> None:
    port.stopListening()


def _finish_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Let what was cancelled see it, as `asyncio.run` does and Twisted does not: tasks that still wait while
    the interpreter goes down can crash it.
    """
    waiting = asyncio.all_tasks(loop)
    for task in waiting:
        task.cancel()
    if waiting:
        loop.run_until_complete(asyncio.wait(waiting, timeout=FINISH_S))


def run(application: Any, listener: socket.socket, moments: Moments) -> None:
    """Serve until a signal ends it."""
    DrainingServer(
        moments,
        application,
        endpoints=[f"fd:fileno={listener.fileno()}"],
        action_logger=_log_access,
        ping_interval=PING_INTERVAL_S,
        server_name="",
        verbosity=1,
    ).run()


def _log_access(protocol: str, action: str, details: dict[str, Any]) -> None:
    """One line a request, like uvicorn's, and never a query string: it may hold a ticket."""
    path = without_query(str(details.get("path", "")))
    status = details.get("status", action)
    access.info('%s - "%s %s" %s', details.get("client"), details.get("method", protocol), path, status)
