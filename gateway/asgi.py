"""ASGI's shapes, as the gateway's middleware, consumer and transports use them."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Coroutine[Any, Any, None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
