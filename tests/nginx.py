"""A real nginx in front of a server, for tests of proxies: one worker, a free port, everything in one folder.

Debian's package ``nginx-light`` is enough. `front` writes the configuration, starts it, waits until it
listens, and ends it by its id.
"""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
START_S = 10.0
STOP_S = 5.0

CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://127.0.0.1:{upstream}; {directives} }}
    }}
}}
"""


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def front(folder: Path, upstream: int, directives: str) -> Iterator[str]:
    """nginx with these directives before the port ``upstream``; yields its address."""
    port = free_port()
    text = CONFIGURATION.format(folder=folder, port=port, upstream=upstream, directives=directives)
    with running(folder, text, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running(folder: Path, configuration: str, port: int) -> Iterator[None]:
    """nginx with a whole configuration that listens on ``port``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "nginx.conf"
    path.write_text(configuration)
    process = subprocess.Popen(
        [NGINX, "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _await_listening(process, port)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=STOP_S)


def _await_listening(process: subprocess.Popen[str], port: int) -> None:
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    said = process.communicate(timeout=STOP_S)[0] if process.poll() is not None else "it does not listen"
    raise AssertionError(f"nginx did not start: {said}")
