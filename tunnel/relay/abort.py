"""Ends a visitor's connection so that a response that broke off looks broken off.

ASGI has no word for it. Our Daphne offers a function; uvicorn's ``send`` is a method of what holds the
connection, which a test pins down; to any other server all that can be said is an exception. Just returning
would not do: uvicorn's close waits for a visitor that does not read, others take it for the response's end.
"""

from typing import Any

from gateway.transports.bodies import ABORT


class BrokenOffError(Exception):
    """For the server: the response cannot be finished, end its connection."""


class VisitorConnection:
    """The connection under one HTTP request, by the request's own ``scope`` and the server's own ``send``."""

    def __init__(self, scope: Any, send: Any) -> None:
        self._abort = (scope.get("extensions") or {}).get(ABORT)
        self._owner = getattr(send, "__self__", None)

    def reset(self) -> bool:
        """Reset it; False if this server hides it."""
        if self._abort is not None:
            self._abort()
            return True
        transport = getattr(self._owner, "transport", None)
        if self._owner is None or transport is None:
            return False
        transport.abort()
        self._owner.disconnected = True  # uvicorn: nothing more is expected of this response
        return True

    def break_off(self) -> None:
        """End it, by an exception if there is no better way."""
        if not self.reset():
            raise BrokenOffError("the tunnel's other end broke off in the middle of a response")
