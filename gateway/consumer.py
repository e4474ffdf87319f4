"""The Channels consumer: hands an admitted socket to the runtime and waits for its end.

``__call__`` is overridden. Channels' own gives every socket a channel of its own and closes old database
connections in a thread for every message, the largest single cost measured; here a frame goes by callback
from the transport into the runtime, without a task, a thread or an await in between.
"""

import logging
from typing import Any

from channels.generic.websocket import AsyncJsonWebsocketConsumer

from gateway import live
from gateway.asgi import Receive, Scope, Send
from gateway.core import closing
from gateway.core.closing import ending_of
from gateway.middleware import admission_of
from gateway.transports.plain import port_for
from gateway.turns import turn

log = logging.getLogger("gateway")


class GatewayConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """One socket, from accept to its end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The end of a socket has one order and one place: this ``finally``, then the slot in
        `gateway.middleware.Gate`.
        """
        runtime = live.runtime()
        admission = admission_of(scope)
        await receive()
        await send({"type": "websocket.accept"})
        port = port_for(scope, receive, send)
        socket = runtime.accept(admission, port)
        ending = closing.INTERNAL_ERROR
        try:
            runtime.open(admission, socket)
            over = await port.run(socket.received, socket.drained)
            ending = ending_of(over.code, over.reason, over.by)
            socket.over(ending)  # how it ended is settled, what follows from that takes its turn
            await turn()
        except Exception:
            log.exception("socket failed", extra={"conn": socket.peer.conn_id})
            socket.end(closing.INTERNAL_ERROR)
        finally:
            runtime.close(admission, socket, ending)

    @classmethod
    def as_asgi(cls, **initkwargs: Any) -> Any:
        """The consumer as an ASGI application; it keeps no state, so one object serves every socket."""
        return cls(**initkwargs)
