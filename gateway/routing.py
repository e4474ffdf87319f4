"""The gateway's WebSocket side as one ASGI application: entrance, session and user, gate, consumer (spec
1.2).
"""

from typing import Final

from gateway.asgi import App, Receive, Scope, Send
from gateway.consumer import GatewayConsumer
from gateway.lookup import SessionLookup
from gateway.middleware import DENIAL, Entrance, Gate
from gateway.transports.install import install_if_daphne

WS_PATH: Final = "/ws"


def websocket_application() -> App:
    """The application for ``ProtocolTypeRouter``'s ``websocket`` key.

    Built when a server imports ``asgi.py``: the stock ``daphne`` command gets our adapter here.
    """
    install_if_daphne()
    return _only_at(WS_PATH, Entrance(SessionLookup(Gate(GatewayConsumer.as_asgi()))))


def _only_at(path: str, app: App) -> App:
    """Upgrades elsewhere get a plain 404: Channels' router would raise, a traceback for every scanner."""

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == path:
            await app(scope, receive, send)
            return
        await receive()
        if DENIAL in scope.get("extensions", {}):
            await send({"type": f"{DENIAL}.start", "status": 404, "headers": []})
            await send({"type": f"{DENIAL}.body", "body": b"There is no WebSocket here.\n"})
        else:
            await send({"type": "websocket.close"})

    return route
