"""The toy game served: Django's pages and the gateway, started by the tests in a process of its own."""

import django

django.setup()

from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402

from gateway import conf, live, sessions  # noqa: E402
from gateway.alarm import LoopClock  # noqa: E402
from gateway.routing import websocket_application  # noqa: E402
from gateway.runtime import Runtime  # noqa: E402
from tests.toy_game.game import Parlour  # noqa: E402

live.install(Runtime(Parlour, conf.config(), LoopClock()), [sessions.WATCH])
application = ProtocolTypeRouter({"http": get_asgi_application(), "websocket": websocket_application()})
