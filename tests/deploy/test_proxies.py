"""deploy/nginx.conf and deploy/Caddyfile, run as they are shipped before a real server."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from gateway.doctor.mirror import NOTE_HEADER, note
from gateway.doctor.visit import MIRROR_PATH
from tests.deploy.conftest import Site
from tests.deploy.front import DEPLOY, Front, caddy, nginx, until_written
from tests.nginx import free_port
from tests.serving import session_cookie
from tests.tunnel.kit import DOMAIN

Starts = Callable[[Path, int], AbstractContextManager[Front]]

VISITOR = "127.0.0.9"
CLAIMED = "10.9.9.9"
SECRET = "seat-ticket-7f3a"
QUERY = f"roomId=r&playerSeatId=s&reconnectToken={SECRET}"


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def starts(request: pytest.FixtureRequest) -> Starts:
    """What starts one of the proxies before a port."""
    chosen: Starts = request.param
    return chosen


@pytest.fixture(scope="module")
def front(starts: Starts, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """The proxy before the site."""
    with starts(tmp_path_factory.mktemp("front"), site.port) as running:
        yield running


def session(front: Front) -> str:
    """A browser's cookie, of a page that opens sockets."""
    return session_cookie(front.get("/host").headers.get_all("Set-Cookie", []))


def test_the_doctor_finds_nothing(front: Front, site: Site) -> None:
    """Pages, upgrade, host, scheme, addresses, and a socket that keeps quiet: as an operator examines it."""
    said = site.manage("gateway_doctor", front.url, SSL_CERT_FILE=str(front.folder / "tunnel.pem"))
    assert said.startswith("0 Players can play"), said


def test_the_server_knows_who_asks(front: Front) -> None:
    """The visitor's own address and https; what it says about itself is gone."""
    headers = {NOTE_HEADER.replace("-", "_"): note(), "X_Forwarded_For": CLAIMED, "X_Forwarded_Proto": "http"}
    seen = json.loads(front.get(MIRROR_PATH, source=VISITOR, **headers).body)
    assert (seen["address"], seen["https_known"], seen["trusted"]) == (VISITOR, True, True)
    assert CLAIMED not in str(seen)


def test_what_comes_by_http_is_sent_to_https(front: Front) -> None:
    """Caddy does it by itself, and has its own tests for that."""
    if front.kind == "caddy":
        pytest.skip("its redirects are off here: they would take port 80")
    answer = front.get_plain("/play/ABC234")
    assert (answer.status, answer.headers["Location"]) == (301, "https://127.0.0.1/play/ABC234")


def test_no_query_is_logged(front: Front) -> None:
    """A page, a refused and an accepted socket, a referrer, a redirect: the tickets in them are in no log."""
    front.get(f"/play/abc234?{QUERY}", Referer=f"{front.url}/ws?{QUERY}")
    cookie = session(front)
    with pytest.raises(InvalidStatus), front.socket(QUERY, cookie):
        pass
    with front.socket(f"clientId={SECRET}", cookie) as opened:
        opened.recv(timeout=10)
    if front.plain_port:
        front.get_plain(f"/ws?{QUERY}")
    front.get("/last-of-all")
    written = until_written(front, "/last-of-all")
    assert "/play/abc234" in written
    assert "/ws" in written
    assert SECRET not in written


def test_no_query_is_logged_of_a_server_that_is_down(starts: Starts, tmp_path: Path) -> None:
    """Errors are logged with their request too, and say that it is down."""
    with starts(tmp_path, free_port()) as front:
        assert front.get(f"/ws?{QUERY}").status == 502
        written = until_written(front, "502")
    assert "/ws" in written
    assert SECRET not in written


def test_a_tunnels_host_reaches_the_relay(front: Front) -> None:
    """The wildcard's own block: the relay answers for a name that nobody serves, not the site."""
    answer = front.get("/", name=f"nobody.{DOMAIN}")
    assert (answer.status, answer.headers["X-Tunnel-Error"]) == (404, "no_peer")


def test_nginx_leaves_a_quiet_socket_alone_for_two_minutes() -> None:
    """Its default is 60 s; that the directive governs is shown by the doctor's own tests."""
    said = re.findall(r"proxy_(read|send)_timeout (\w+);", (DEPLOY / "nginx.conf").read_text())
    assert dict(said) == {"read": "120s", "send": "120s"}
