"""``manage.py serve``: the production server, one process, the gateway's transports."""

import argparse
import gc
import importlib
import socket
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from gateway import server
from gateway.handover import Moments, inherited
from gateway.lock import AlreadyServingError, ServeLock, lock_path
from gateway.server import listen
from gateway.transports.fast import FastWebSocketProtocol
from gateway.transports.uvicorn import GatewayWebSocketProtocol, uvicorn_config

LAST_PORT: Final = 65_535
TRANSPORTS: Final = {"fast": FastWebSocketProtocol, "uvicorn": GatewayWebSocketProtocol}
"""What carries uvicorn's sockets: the same promises, and writes past its loop or through it."""
REQUESTS_S: Final = 3
"""Seconds that a stop gives to requests that are being answered; the whole stop has 10 (spec 4.4)."""


class Command(BaseCommand):
    """Serve pages and sockets until a signal; exits 1 with one sentence if it can't start."""

    help = "Serve the site and its WebSockets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--server", choices=("uvicorn", "daphne"), default="uvicorn", help="(default: %(default)s)"
        )
        parser.add_argument(
            "--transport",
            choices=tuple(TRANSPORTS),
            default="fast",
            help="what carries the sockets of uvicorn (default: %(default)s)",
        )
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument(
            "--port", type=_port, default=8000, help="port to listen on, 0 for any (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        handed = _inherited()
        run = (
            _run_daphne
            if options["server"] == "daphne"
            else partial(_run_uvicorn, TRANSPORTS[options["transport"]])
        )
        application = _application()  # before the lock: whoever waits for another process is ready then
        _leave_to_rest()
        lock = ServeLock(lock_path())
        try:
            lock.acquire()
        except AlreadyServingError as error:
            raise CommandError(str(error)) from error
        _check_database()
        listener = handed or _listen(options["host"], options["port"])
        host, port = listener.getsockname()[:2]
        shown = f"http://{_host_shown(host if handed else options['host'])}:{port}"
        run(
            application,
            listener,
            Moments(
                listening=lambda: self.stdout.write(f"Serving on {shown} (stop with Ctrl-C)"),
                draining=lock.drain,
                drained=lock.release,
                inherited=handed is not None,
            ),
        )
        lock.release()


def _check_database() -> None:
    """Without its tables the site would start, and break at the first session that a page wants to make."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise CommandError(f"The database cannot be used ({str(error).strip()}).") from error
    finally:
        connection.close()
    if missing:
        raise CommandError(f"The database lacks {len(missing)} migrations: run 'manage.py migrate' first.")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {LAST_PORT}, not {text!r}")
    return int(text)


def _inherited() -> socket.socket | None:
    try:
        return inherited()
    except ValueError as error:
        raise CommandError(str(error)) from error


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except socket.gaierror as error:
        raise CommandError(
            f"{host!r} is no address of this machine: give --host one, such as 0.0.0.0"
        ) from error
    except OSError as error:
        raise CommandError(
            f"Port {port} on {host} cannot be used ({error.strerror}): "
            f"stop what uses it, or choose another with --port."
        ) from error


def _leave_to_rest() -> None:
    """What is loaded by now is never garbage: a full collection that looks at all of it holds the loop up for
    50 ms on an empty server, and longer than the 100 ms that a storm may cost on a full one.
    """
    gc.collect()
    gc.freeze()


def _run_uvicorn(transport: type, application: Any, listener: socket.socket, moments: Moments) -> None:
    host, port = listener.getsockname()[:2]
    config = uvicorn_config(
        application,
        host,
        port,
        ws=transport,
        log_config=None,
        lifespan="off",
        access_log=True,
        timeout_graceful_shutdown=REQUESTS_S,
    )
    server.run(config, listener, moments)


def _run_daphne(application: Any, listener: socket.socket, moments: Moments) -> None:
    from gateway import daphne_server  # loads Twisted, which nobody else wants

    daphne_server.run(application, listener, moments)


def _application() -> Any:
    """The project's ASGI application, wherever its settings say it is."""
    module, _, name = settings.ASGI_APPLICATION.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _host_shown(host: str) -> str:
    """What to put into a browser for a listening address."""
    if host in {"0.0.0.0", "::"}:
        return "localhost"
    return f"[{host}]" if ":" in host else host
