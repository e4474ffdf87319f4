"""Ends a visitor's connection so that a response that broke off looks broken off.

ASGI has no word for it. uvicorn's ``send`` is a method of what holds the connection, which a test pins down;
to any other server all that can be said is an exception. Just returning would not do: Daphne leaves the
visitor waiting, and uvicorn's close waits for a visitor that does not read.
"""

from typing import Any


class BrokenOffError(Exception):
    """For the server: the response cannot be finished, end its connection."""


def reset(send: Any) -> bool:
    """Reset the connection on which ``send`` writes; False if this server hides it."""
    owner = getattr(send, "__self__", None)
    transport = getattr(owner, "transport", None)
    if owner is None or transport is None:
        return False
    transport.abort()
    owner.disconnected = True  # uvicorn: nothing more is expected of this response
    return True


def break_off(send: Any) -> None:
    """End the connection, by an exception if there is no better way."""
    if not reset(send):
        raise BrokenOffError("the tunnel's other end broke off in the middle of a response")
