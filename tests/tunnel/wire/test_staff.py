"""The admin of a running relay (spec 6.1): it sees live peers and sends them away."""

import http.cookiejar
import re
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from tests.tunnel.kit import RawPeer, hello
from tests.tunnel.wire.conftest import Relay
from tunnel.core.frames import Fatal

MAKE_STAFF = (
    "from django.contrib.auth.models import User; "
    "User.objects.create_superuser('staff', password='only a test')"
)


class Browser:
    """Somebody of the staff, logged in."""

    def __init__(self, relay: Relay) -> None:
        self.home = relay.served.http
        self._jar = http.cookiejar.CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self._jar))
        self.get("/admin/login/")
        self.post("/admin/login/", username="staff", password="only a test", next="/admin/")

    def get(self, path: str) -> str:
        """A page."""
        return str(self._opener.open(self.home + path, timeout=20).read().decode())

    def post(self, path: str, **form: str) -> str:
        """A form, with the token that Django asks for."""
        (token,) = (cookie.value for cookie in self._jar if cookie.name == "csrftoken")
        data = urlencode({**form, "csrfmiddlewaretoken": token or ""}).encode()
        request = Request(self.home + path, data, {"Referer": self.home + path})
        return str(self._opener.open(request, timeout=20).read().decode())


def test_staff_see_a_live_peer_and_send_it_away(relay: Relay) -> None:
    """The peer learns why and does not come back; its name can be banned with it."""
    relay.manage("shell", "-c", MAKE_STAFF)
    browser = Browser(relay)
    with RawPeer(relay.port, relay.token, hello("noisy")) as peer:
        peer.ready()
        page = browser.get("/admin/tunnel/token/")
        assert re.search(r"<td>noisy</td><td>[a-z0-9]{12}</td>", page)
        assert "Sent away: noisy" in browser.post("/admin/tunnel/token/kick/", name="noisy", ban="1")
        fatal = peer.next_of(Fatal)
        assert (fatal.code, fatal.retry) == ("kicked", False)
        assert peer.ended().rcvd.code == 1008  # type: ignore[union-attr]
    with RawPeer(relay.port, relay.token, hello("noisy")) as again:
        assert "banned" in again.next_of(Fatal).reason
