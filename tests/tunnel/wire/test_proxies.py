"""The relay behind nginx and behind Caddy, with the very lines of ``docs/tunnel.md``."""

import asyncio
import os
import re
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from socket import create_connection

import pytest
from websockets.sync.client import connect
from websockets.sync.server import Server

from tests.nginx import free_port
from tests.proxies import certify, listens
from tests.serving import ROOT, manage, serving
from tests.tunnel.kit import DOMAIN, START_S, Client, SiteBehind, Visitor, serving_client
from tests.tunnel.wire.test_sockets import site  # noqa: F401  (a fixture)

SETTINGS = "quizsite.settings"
VISITOR = "127.0.0.9"
CLAIMED = "10.9.9.9"
MIB = 1 << 20


class Proxied:
    """A relay behind a proxy. ``client`` serves the site behind as ``page``."""

    def __init__(self, port: int, trusting: ssl.SSLContext, certificate: Path, token: str) -> None:
        self.port = port
        self.trusting = trusting
        self.certificate = certificate
        self.token = token

    def serving(self, name: str, target_port: int) -> AbstractContextManager[Client]:
        """A client that comes in through the proxy."""
        trusted = {"SSL_CERT_FILE": str(self.certificate)}
        return serving_client(f"wss://localhost:{self.port}", name, target_port, self.token, **trusted)


class SecureVisitor(Visitor):
    """Somebody who visits a peer by https, from an address of its own."""

    def __init__(self, proxied: Proxied, name: str) -> None:
        super().__init__(proxied.port, name)
        self.socket.close()
        plain = create_connection(("127.0.0.1", proxied.port), START_S, (VISITOR, 0))
        self.socket = proxied.trusting.wrap_socket(plain, server_hostname=f"{name}.{DOMAIN}")

    def hears_within(self, seconds: float) -> bool:
        """Whether something comes; what does is kept for `reply`."""
        self.socket.settimeout(seconds)
        try:
            return self._more()
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(START_S)


def documented(beginning: str, port: int, relay_port: int, folder: Path) -> str:
    """The lines of the documentation, for this machine: its names, ports and files."""
    blocks = re.findall(r"(?:^    .*\n)+", (ROOT / "docs" / "tunnel.md").read_text(), re.MULTILINE)
    (found,) = (block for block in blocks if block.strip().startswith(beginning))
    for written, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("quiz.example.org, *", f"https://localhost:{port}, https://*"),
        (".tunnel.example.org {", f".{DOMAIN}:{port} {{"),
        ("quiz.example.org", "localhost"),
        ("tunnel.example.org", DOMAIN),
        ("127.0.0.1:8000", f"127.0.0.1:{relay_port}"),
        ("/etc/ssl", str(folder)),
    ):
        found = found.replace(written, here)
    return found


def nginx(port: int, relay_port: int, folder: Path) -> list[str]:
    """Its configuration, checked by itself; the command that runs it."""
    own = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("proxy", "client_body", "fastcgi"))
    more = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("uwsgi", "scgi"))
    block = documented("map $http_upgrade", port, relay_port, folder)
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr;\n"
        f"events {{}} http {{ access_log off; {own} {more}\n{block} }}"
    )
    command = ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(config)]
    subprocess.run([*command, "-t"], check=True, capture_output=True, timeout=START_S)
    return command


def caddy(port: int, relay_port: int, folder: Path) -> list[str]:
    """The same for Caddy."""
    config = folder / "Caddyfile"
    block = documented("quiz.example.org, *", port, relay_port, folder)
    config.write_text(f"{{\n admin off\n auto_https disable_redirects\n}}\n{block}")
    adapted = ["--config", str(config), "--adapter", "caddyfile"]
    subprocess.run(["caddy", "validate", *adapted], check=True, capture_output=True, timeout=START_S)
    return ["caddy", "run", *adapted]


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """A relay as in production, with the proxy in front."""
    program = request.param.__name__
    if shutil.which(program) is None:
        missing = f"there is no {program} here; get it with: sudo apt-get install {program}"
        # In CI a test that did not run must not look like one that passed.
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    folder: Path = tmp_path_factory.mktemp(program)
    certificate, port = certify(folder), free_port()
    assert manage(SETTINGS, folder, "migrate", "--no-input").returncode == 0
    token = manage(SETTINGS, folder, "tunnel_token", "issue", "x", "--scope", "*").stdout.strip()
    environment = {"TUNNEL_BASE_DOMAIN": DOMAIN, "TRUSTED_PROXIES": "127.0.0.1/32"}
    with serving(SETTINGS, folder, **environment, ALLOWED_HOSTS="localhost") as relay:
        command = request.param(port, relay.port, folder)
        with subprocess.Popen(command, env={"PATH": os.environ["PATH"], "HOME": str(folder)}) as process:
            try:
                assert listens(port, process)
                trusting = ssl.create_default_context(cafile=str(certificate))
                yield Proxied(port, trusting, certificate, token)
            finally:
                process.terminate()


@pytest.fixture(scope="module")
def page(proxied: Proxied, behind: SiteBehind) -> Iterator[Client]:
    """A client that serves the site behind as ``page``."""
    with proxied.serving("page", behind.port) as client:
        yield client


def test_a_client_comes_in_by_tls_and_is_told_its_true_address(proxied: Proxied, page: Client) -> None:
    """What it prints can be opened."""
    assert page.says(f"serving https://page.{DOMAIN}:{proxied.port}/ from")


@pytest.mark.usefixtures("page")
def test_who_asks_and_how_is_known_behind_both(proxied: Proxied, behind: SiteBehind) -> None:
    """The visitor's own address and https; what it claims about itself is gone."""
    behind.heads.clear()
    with SecureVisitor(proxied, "page") as visitor:
        assert visitor.ask("/a%2Fb?x=1", f"X-Forwarded-For: {CLAIMED}").reply().body == b"hello"
    head = behind.heads[0].decode().lower()
    assert head.startswith("get /a%2fb?x=1 http/1.1\r\n")
    assert f"host: page.{DOMAIN}:{proxied.port}\r\n" in head
    assert f"x-forwarded-for: {VISITOR}\r\n" in head
    assert "x-forwarded-proto: https\r\n" in head
    assert CLAIMED not in head


@pytest.mark.usefixtures("page")
def test_events_are_not_held_back(proxied: Proxied, behind: SiteBehind) -> None:
    """Each arrives before the next is sent."""
    seen = threading.Semaphore(0)

    async def events(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for number in range(3):
            writer.write(b"data: %d\n\n" % number)
            await writer.drain()
            assert await asyncio.to_thread(seen.acquire, timeout=20)

    behind.on("/proxied-events", events)
    with SecureVisitor(proxied, "page") as visitor:
        visitor.ask("/proxied-events").head()
        for number in range(3):
            assert visitor.chunk() == b"data: %d\n\n" % number
            seen.release()


@pytest.mark.usefixtures("page")
def test_a_body_that_is_too_large_is_refused_while_it_arrives(proxied: Proxied) -> None:
    """To a sender that goes on sending: Caddy itself throws away a piece of the body before it answers."""
    with SecureVisitor(proxied, "page") as visitor:
        visitor.ask("/", f"Content-Length: {50 * MIB}", method="POST", body=bytes(200_000))
        while not visitor.hears_within(0.05):
            visitor.socket.sendall(bytes(40_000))
        reply = visitor.reply()
        assert (reply.status, reply.error) == (413, "too_large")


def test_a_socket_comes_through(proxied: Proxied, site: Server) -> None:  # noqa: F811
    """Two upgrades, one in the other: the visitor's, and the client's."""
    plain = create_connection(("127.0.0.1", proxied.port))
    with (
        proxied.serving("socket", site.socket.getsockname()[1]),
        connect(
            f"wss://socket.{DOMAIN}:{proxied.port}/", sock=plain, ssl=proxied.trusting, proxy=None
        ) as visitor,
    ):
        for message in ("hello", bytes(100_000)):
            visitor.send(message)
            assert visitor.recv(START_S) == message


def test_the_sites_own_host_reaches_the_site(proxied: Proxied) -> None:
    """And a name that nobody serves is told so by the relay."""
    for host, error in ((f"localhost:{proxied.port}", ""), (f"nobody.{DOMAIN}:{proxied.port}", "no_peer")):
        with SecureVisitor(proxied, "nobody") as visitor:
            visitor.host = host
            assert visitor.ask("/readyz").reply().error == error
