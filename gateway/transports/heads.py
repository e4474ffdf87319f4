"""How long a request's head may take, whichever server reads it, and what one is told that does not end.

A client that connects and says nothing, or one header a minute, holds a descriptor for ever with stock
servers. The adapters say when a head begins and when it is there; how long a body may take, the application
says (``gateway.transports.bodies``).
"""

import asyncio
import logging
from collections.abc import Callable
from typing import ClassVar, Final

from gateway.transports.responses import response

log = logging.getLogger("gateway.transports")

HEAD_S: Final = 10.0
"""From the connection, or the first byte of a later request, to the end of its head. Phones on a bad network
need a second or two."""
TEXTS: Final = {408: b"The request did not come.\n", 431: b"The request's headers are too large.\n"}
PLAIN: Final = ((b"content-type", b"text/plain; charset=utf-8"),)


class HeadClock:
    """Calls ``late`` once a head has taken too long. ``seen`` counts its bytes."""

    head_s: ClassVar[float] = HEAD_S

    def __init__(self, late: Callable[[], None]) -> None:
        self._late = late
        self._timer: asyncio.TimerHandle | None = None
        self.seen = 0
        self.start()

    @property
    def runs(self) -> bool:
        """Whether a head is awaited, or on its way."""
        return self._timer is not None

    def start(self) -> None:
        """A head may begin now, or has."""
        self.seen = 0
        self.extend()

    def extend(self) -> None:
        """As long again, for the same head."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(self.head_s, self._late)

    def stop(self) -> None:
        """The head is here, or nobody waits for it any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def refusal(self, status: int, client: object) -> bytes:
        """What ``client`` is told before its connection ends. Whoever said nothing at all is told nothing: it
        may be a browser's connection in stock.
        """
        self.stop()
        if not self.seen:
            return b""
        log.info("a request's head does not end", extra={"status": status, "client": client})
        return response(status, PLAIN, TEXTS[status])
