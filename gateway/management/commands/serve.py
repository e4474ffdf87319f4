"""``manage.py serve``: the production server, one process, the gateway's transports."""

import importlib
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gateway.lock import AlreadyServingError, ServeLock, lock_path
from gateway.server import listen, run
from gateway.transports.uvicorn import uvicorn_config


class Command(BaseCommand):
    """Serve pages and sockets until a signal; exits 1 with one sentence if it can't start."""

    help = "Serve the site and its WebSockets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument(
            "--port", type=int, default=8000, help="port to listen on, 0 for any (default: 8000)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        lock = ServeLock(lock_path())
        try:
            lock.acquire()
        except AlreadyServingError as error:
            raise CommandError(str(error)) from error
        host, port = options["host"], options["port"]
        try:
            listener = listen(host, port)
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}): "
                f"stop what uses it, or choose another with --port."
            ) from error
        shown = f"http://{_host_shown(host)}:{listener.getsockname()[1]}"
        config = uvicorn_config(_application(), host, port, log_config=None, lifespan="off", access_log=True)
        run(
            config, listener, lambda: self.stdout.write(f"Serving on {shown} (stop with Ctrl-C)", ending="\n")
        )
        lock.release()


def _application() -> Any:
    """The project's ASGI application, wherever its settings say it is."""
    module, _, name = settings.ASGI_APPLICATION.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _host_shown(host: str) -> str:
    """What to put into a browser for a listening address."""
    if host in {"0.0.0.0", "::"}:
        return "localhost"
    return f"[{host}]" if ":" in host else host
