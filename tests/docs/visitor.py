"""Somebody at a site that a tutorial made: fetches its pages, opens its socket, waits for frames."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.serving import Served

ANSWER_S = 20.0


class Visitor:
    """One browser's session. ``get`` keeps the cookie as a browser does."""

    def __init__(self, site: Served) -> None:
        self.site = site
        self.cookie = ""

    def get(self, path: str) -> tuple[int, str]:
        """A page's status and text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=ANSWER_S)
        try:
            connection.request("GET", path, headers={"Cookie": self.cookie} if self.cookie else {})
            response = connection.getresponse()
            if given := response.headers["Set-Cookie"]:
                self.cookie = given.partition(";")[0]
            return response.status, response.read().decode()
        finally:
            connection.close()

    @contextmanager
    def socket(self, origin: str | None = None) -> Iterator["Line"]:
        """A WebSocket, as the page at the site's own address opens it."""
        with connect(
            self.site.ws,
            origin=Origin(origin or self.site.http),
            additional_headers={"Cookie": self.cookie} if self.cookie else {},
            open_timeout=ANSWER_S,
            proxy=None,
        ) as opened:
            yield Line(opened)


class Line:
    """An open socket."""

    def __init__(self, opened: ClientConnection) -> None:
        self.opened = opened

    def says(self, type: str, **fields: Any) -> None:
        """Send one frame."""
        self.opened.send(json.dumps({"type": type, **fields}))

    def hears(self, type: str) -> dict[str, Any]:
        """The next frame of this type; what comes before it is not looked at."""
        give_up = time.monotonic() + ANSWER_S
        heard = []
        while (left := give_up - time.monotonic()) > 0:
            frame: dict[str, Any] = json.loads(self.opened.recv(timeout=left))
            heard.append(frame["type"])
            if frame["type"] == type:
                return frame
        raise AssertionError(f"no {type} came, but {heard}")
