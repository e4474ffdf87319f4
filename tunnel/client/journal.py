"""What the client tells its user: the state of the tunnel, each request, how to mend a refusal (spec 6.1).

Paths are shown without their query, which may hold secrets. `Entry` is also what the inspector shows. No
Django.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from tunnel.core.frames import Headers, RequestHead

KEPT: Final = 100
"""Requests that the inspector remembers."""
KEPT_BODY_BYTES: Final = 65_536
"""What is kept of a request's body while the inspector is on; longer ones can't be sent again."""
HOST_REFUSALS: Final = (400, 403)
"""What Django answers to a host or an origin that it does not know."""


class Entry(Struct):
    """One request through the tunnel. ``body`` is its beginning, kept while the inspector is on."""

    id: int
    head: RequestHead
    started: float
    body: bytes = b""
    body_whole: bool = True
    status: int | None = None
    headers: Headers = ()
    sent: int = 0
    ended: float | None = None
    note: str = ""

    @property
    def path(self) -> str:
        """The path without its query."""
        return self.head.target.partition("?")[0]


class Journal:
    """Entries and printed lines."""

    def __init__(
        self,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.time,
        keeps_bodies: bool = False,
    ) -> None:
        self.say = say
        self.keeps_bodies = keeps_bodies
        self.entries: deque[Entry] = deque(maxlen=KEPT)
        self._clock = clock
        self._hinted = False
        self._last = 0

    def begin(self, head: RequestHead) -> Entry:
        """A request has come."""
        self._last += 1
        entry = Entry(self._last, head, self._clock())
        self.entries.append(entry)
        return entry

    def answered(self, entry: Entry, status: int, headers: Headers = ()) -> None:
        """Its response begins."""
        entry.status, entry.headers = status, headers
        if status in HOST_REFUSALS and not self._hinted:
            self._hinted = True
            self.say(settings_hint(entry.head, status))

    def end(self, entry: Entry, note: str = "") -> None:
        """It is over."""
        entry.ended, entry.note = self._clock(), note
        self.say(self._line(entry))

    def keep(self, entry: Entry, piece: bytes) -> None:
        """A piece of the request's body, for a replay."""
        room = KEPT_BODY_BYTES - len(entry.body) if self.keeps_bodies else 0
        entry.body += piece[:room]
        entry.body_whole = entry.body_whole and len(piece) <= room

    def _line(self, entry: Entry) -> str:
        stamp = time.strftime("%H:%M:%S", time.localtime(entry.started))
        took = f"{((entry.ended or entry.started) - entry.started) * 1000:.0f} ms"
        method = "WS" if entry.head.websocket else entry.head.method
        status = "---" if entry.status is None else str(entry.status)
        note = f"  {entry.note}" if entry.note else ""
        return f"{stamp} {status} {method:<4} {entry.path}  {_size(entry.sent)}  {took}{note}"


def settings_hint(head: RequestHead, status: int) -> str:
    """The lines that let a Django site answer under the tunnel's name."""
    host = head.host.rpartition(":")[0] if head.host.rpartition(":")[2].isdigit() else head.host
    return "\n".join(
        (
            f"The site answered {status}. If it does not know its new name, add to its Django settings:",
            f'    ALLOWED_HOSTS += ["{host}"]',
            f'    CSRF_TRUSTED_ORIGINS = ["{head.scheme}://{head.host}"]',
            '    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")',
            '    GATEWAY["TRUSTED_PROXIES"] = ["127.0.0.1/32", "::1/128"]  # quiz rooms: who is who',
            "The last two believe what this client says: only while nobody else can reach the site.",
        )
    )


def _size(count: int) -> str:
    return (
        f"{count} B"
        if count < 1000
        else f"{count / 1000:.1f} kB"
        if count < 10**6
        else f"{count / 10**6:.1f} MB"
    )
