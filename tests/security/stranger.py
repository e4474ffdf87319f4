"""Somebody who writes requests by hand, each byte as they like, and reads what comes back."""

import socket
from dataclasses import dataclass

from tests.serving import Served, session_cookie

PATIENCE_S = 10.0
AGENT = "Mozilla/5.0 (tests)"


@dataclass(frozen=True)
class Reply:
    """All that came, and its head in parts."""

    raw: bytes

    @property
    def status(self) -> int:
        """0 if nothing came."""
        return int(self.raw.split(b" ", 2)[1]) if self.raw.startswith(b"HTTP/") else 0

    @property
    def lines(self) -> list[str]:
        """The header lines."""
        return self.raw.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]

    @property
    def names(self) -> list[str]:
        """Their names, in lower case."""
        return [line.partition(":")[0].lower() for line in self.lines]

    @property
    def answers(self) -> int:
        """How many responses came on the one connection."""
        return self.raw.count(b"HTTP/1.1 ")

    def value(self, name: str) -> str:
        """Of the first line with this name."""
        return next(iter(self.values(name)), "")

    def values(self, name: str) -> list[str]:
        """Of all lines with this name."""
        return [line.partition(":")[2].strip() for line in self.lines if line.lower().startswith(name + ":")]


def sends(server: Served, request: str | bytes, *, until_end: bool = True) -> Reply:
    """Send it and read to the end of the connection, or to the end of the head."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as peer:
        peer.sendall(request.encode("latin-1") if isinstance(request, str) else request)
        got = b""
        try:
            while (until_end or b"\r\n\r\n" not in got) and (data := peer.recv(65_536)):
                got += data
        except ConnectionResetError:
            pass
        return Reply(got)


def get(server: Served, path: str, *lines: str, method: str = "GET") -> Reply:
    """A request with these lines beside the necessary ones."""
    head = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        *lines,
        "Connection: close",
        "",
        "",
    ]
    return sends(server, "\r\n".join(head))


def upgrade(server: Served, path: str, *lines: str) -> Reply:
    """The answer to an upgrade with these lines; a 101 is read no further."""
    head = [
        f"GET {path} HTTP/1.1",
        *(
            ()
            if any(line.lower().startswith("host:") for line in lines)
            else (f"Host: 127.0.0.1:{server.port}",)
        ),
        *("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
        *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *lines, "", ""),
    ]
    return sends(server, "\r\n".join(head), until_end=False)


def session(server: Served) -> str:
    """The cookie of a new visitor."""
    return session_cookie(get(server, "/host", f"User-Agent: {AGENT}").values("set-cookie"))
