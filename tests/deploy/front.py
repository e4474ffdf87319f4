"""The shipped proxy files, really run before a real server: what they need of a machine, and a visitor.

A file is run as it is shipped but for this machine's names, ports and folders, which `nginx_text` and
`caddy_text` put in. Every proxy is ended by its id.
"""

import http.client
import os
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import Struct
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.nginx import NGINX, free_port, running
from tests.proxies import certify, listens
from tests.tunnel.kit import DOMAIN

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
ANSWER_S = 20.0
STOP_S = 10.0

AROUND_NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {text}
}}
"""


class Answer(Struct, frozen=True):
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Front(Struct, frozen=True):
    """A running proxy. ``plain_port`` is where it speaks http, ``folder`` where its logs are."""

    kind: str
    port: int
    plain_port: int
    folder: Path

    @property
    def url(self) -> str:
        """The site's address at this proxy."""
        return f"https://localhost:{self.port}"

    @property
    def trusting(self) -> ssl.SSLContext:
        """Trusts this proxy's certificate and no other."""
        return ssl.create_default_context(cafile=str(self.folder / "tunnel.pem"))

    def get(self, path: str, name: str = "localhost", source: str = "127.0.0.1", **headers: str) -> Answer:
        """A page of ``name``, asked for from the address ``source``. ``_`` in a header's name is a dash."""
        plain = socket.create_connection(("127.0.0.1", self.port), ANSWER_S, (source, 0))
        connection = http.client.HTTPConnection(name, self.port)
        connection.sock = self.trusting.wrap_socket(plain, server_hostname=name)
        return _answer(connection, path, {key.replace("_", "-"): value for key, value in headers.items()})

    def get_plain(self, path: str) -> Answer:
        """The same by http."""
        return _answer(http.client.HTTPConnection("127.0.0.1", self.plain_port, timeout=ANSWER_S), path, {})

    @contextmanager
    def socket(self, query: str, cookie: str) -> Iterator[ClientConnection]:
        """A WebSocket of the site's own page."""
        with connect(
            f"wss://localhost:{self.port}/ws?{query}",
            origin=Origin(self.url),
            additional_headers={"Cookie": cookie},
            ssl=self.trusting,
            proxy=None,
        ) as opened:
            yield opened

    def written(self) -> str:
        """All that it logged so far."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))


def _answer(connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str]) -> Answer:
    try:
        connection.request("GET", path, headers=dict(headers))
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def require(program: str, path: str) -> None:
    """Skip without the program; in CI a test that did not run must not look like one that passed."""
    if shutil.which(path) is None:
        missing = f"there is no {program} here; get it with: sudo apt-get install {program}"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)


def placed(text: str, here: Mapping[str, str]) -> str:
    """A shipped file on this machine; what is to be replaced must be in it."""
    for shipped, value in here.items():
        assert shipped in text, f"{shipped!r} is not in the shipped file"
        text = text.replace(shipped, value)
    return text


def nginx_text(front: Front, upstream: int) -> str:
    """Both shipped files, and what Debian's own nginx.conf has around them."""
    shipped = (DEPLOY / "nginx.conf").read_text() + (DEPLOY / "nginx-tunnel.conf").read_text()
    text = placed(
        shipped,
        {
            "listen 80;": f"listen 127.0.0.1:{front.plain_port};",
            "listen 443 ssl;": f"listen 127.0.0.1:{front.port} ssl;",
            "quiz.example.org": "localhost",
            "tunnel.example.org": DOMAIN,
            "/etc/ssl/halyard.pem": str(front.folder / "tunnel.pem"),
            "/etc/ssl/halyard.key": str(front.folder / "tunnel.key"),
            "/var/log/nginx": str(front.folder),
            "127.0.0.1:8000": f"127.0.0.1:{upstream}",
        },
    )
    return AROUND_NGINX.format(folder=front.folder, text=text)


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[Front]:
    """The shipped files of nginx, running."""
    require("nginx", NGINX)
    front = Front("nginx", free_port(), free_port(), folder)
    certify(folder)
    with running(folder, nginx_text(front, upstream), front.port):
        yield front


def caddy_text(front: Front) -> str:
    """The Caddyfile, with a certificate from a file and without what would touch the rest of the machine."""
    tls = f"\ttls {front.folder}/tunnel.pem {front.folder}/tunnel.key\n"
    site = "{$SITE_HOST:quiz.example.org} {\n"
    return placed(
        (DEPLOY / "Caddyfile").read_text(),
        {"\n{\n": "\n{\n\tadmin off\n\tauto_https disable_redirects\n", site: site + tls},
    )


@contextmanager
def caddy(folder: Path, upstream: int) -> Iterator[Front]:
    """The shipped files of Caddy, validated and running; its log is standard error."""
    require("caddy", "caddy")
    front = Front("caddy", free_port(), 0, folder)
    certify(folder)
    (folder / "Caddyfile").write_text(caddy_text(front))
    shutil.copy(DEPLOY / "tunnel.caddy", folder)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "SITE_HOST": front.url,
        "HALYARD": f"127.0.0.1:{upstream}",
        "TUNNEL_BASE_DOMAIN": f"{DOMAIN}:{front.port}",
        "TUNNEL_CERTIFICATE": str(folder / "tunnel.pem"),
        "TUNNEL_KEY": str(folder / "tunnel.key"),
    }
    config = ["--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    checked = subprocess.run(
        ["caddy", "validate", *config], env=environment, capture_output=True, text=True, timeout=ANSWER_S
    )
    assert checked.returncode == 0, checked.stderr
    with (folder / "caddy.log").open("w") as log:
        process = subprocess.Popen(["caddy", "run", *config], env=environment, stderr=log)
        try:
            assert listens(front.port, process), (folder / "caddy.log").read_text()
            yield front
        finally:
            process.terminate()
            process.wait(STOP_S)


def until_written(front: Front, text: str) -> str:
    """What the proxy has logged, once ``text`` is in it: its lines come after the answers."""
    pause = threading.Event()
    for _ in range(100):
        if text in (written := front.written()):
            return written
        pause.wait(0.05)
    raise AssertionError(f"{text!r} is not in the log:\n{front.written()}")
