"""What an application may say of a request's body before the body is there (spec 1.8).

For a server that keeps bodies whole until the application sees them: it asks ``application.body_limit`` as
soon as it has read the request's head, and gives the application's own answers to a body that is longer,
while it is still arriving, and to one that stops arriving. Also `ABORT`, the other thing for which ASGI has
no word.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from gateway.transports.responses import Headers

ABORT: Final = "gateway.abort"
"""The key in ``scope["extensions"]`` of a function that resets the connection of an HTTP request."""

DISCARD_BYTES: Final = 1_048_576
DISCARD_S: Final = 5.0
"""How much and how long of a refused body is read and thrown away: closing a connection with unread bytes is
a reset, which overtakes the answer."""


class Refusal(Struct, frozen=True):
    """An answer of the application's to a body that it does not take."""

    status: int
    headers: Headers
    body: bytes


class BodyLimit(Struct, frozen=True):
    """The longest body that the application takes, and how many seconds may pass between two pieces of it."""

    max_bytes: int
    too_large: Refusal
    stalled_s: float
    stalled: Refusal


BodyLimits = Callable[[Headers, bytes], BodyLimit | None]
"""``body_limit(headers, target)`` of an application; header names are in lower case. None: no limit."""


def unlimited(headers: Headers, target: bytes) -> None:
    """For an application that says nothing of bodies."""
