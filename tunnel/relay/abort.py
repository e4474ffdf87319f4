"""Ends a visitor's connection so that a response that broke off looks broken off.

ASGI has no word for it. An application that just returns is noted by uvicorn as an error of ours, and its
close waits for a visitor that does not read. uvicorn's and Daphne's ``send`` are methods of what holds the
connection; that they still are is tested. Elsewhere the server does what it does.
"""

from typing import Any


def break_off(send: Any) -> None:
    """Reset the connection on which ``send`` writes, if the server lets us find it."""
    owner = getattr(send, "__self__", None)
    transport = getattr(owner, "transport", None)
    if owner is not None and transport is not None:
        transport.abort()
        owner.disconnected = True  # uvicorn: nothing more is expected of this response
