"""``manage.py serve``: the production server, one process, the gateway's transports."""

import argparse
import importlib
import socket
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gateway import server
from gateway.lock import AlreadyServingError, ServeLock, lock_path
from gateway.server import listen
from gateway.transports.uvicorn import uvicorn_config

LAST_PORT: Final = 65_535


class Command(BaseCommand):
    """Serve pages and sockets until a signal; exits 1 with one sentence if it can't start."""

    help = "Serve the site and its WebSockets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--server", choices=("uvicorn", "daphne"), default="uvicorn", help="(default: %(default)s)"
        )
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument(
            "--port", type=_port, default=8000, help="port to listen on, 0 for any (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        lock = ServeLock(lock_path())
        try:
            lock.acquire()
        except AlreadyServingError as error:
            raise CommandError(str(error)) from error
        listener = _listen(options["host"], options["port"])
        shown = f"http://{_host_shown(options['host'])}:{listener.getsockname()[1]}"
        run = _run_daphne if options["server"] == "daphne" else _run_uvicorn
        run(listener, lambda: self.stdout.write(f"Serving on {shown} (stop with Ctrl-C)"))
        lock.release()


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {LAST_PORT}, not {text!r}")
    return int(text)


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


def _run_uvicorn(listener: socket.socket, on_listening: Callable[[], None]) -> None:
    host, port = listener.getsockname()[:2]
    config = uvicorn_config(_application(), host, port, log_config=None, lifespan="off", access_log=True)
    server.run(config, listener, on_listening)


def _run_daphne(listener: socket.socket, on_listening: Callable[[], None]) -> None:
    from gateway import daphne_server  # loads Twisted, which nobody else wants

    daphne_server.run(_application(), listener, on_listening)


def _application() -> Any:
    """The project's ASGI application, wherever its settings say it is."""
    module, _, name = settings.ASGI_APPLICATION.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _host_shown(host: str) -> str:
    """What to put into a browser for a listening address."""
    if host in {"0.0.0.0", "::"}:
        return "localhost"
    return f"[{host}]" if ":" in host else host
