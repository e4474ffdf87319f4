"""The site as one ASGI application: pages by Django, sockets by the gateway with the quiz on it.

The only file that knows all apps. Importing it builds the gateway of this process; nothing runs before a loop
does.
"""

import os
from functools import partial
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quizsite.settings")
pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402  (the apps must be loaded first)

from gateway import blocking, bus, conf, live, sessions  # noqa: E402
from gateway.alarm import LoopClock  # noqa: E402
from gateway.duties import WATCH_LAG  # noqa: E402
from gateway.routing import websocket_application  # noqa: E402
from gateway.runtime import Runtime  # noqa: E402
from quizsite.bodies import WithBodyLimit  # noqa: E402
from rooms.archive import archive  # noqa: E402
from rooms.questions import sources  # noqa: E402
from rooms.recorder import recorder  # noqa: E402
from rooms.service import QuizGame  # noqa: E402
from rooms.snapshots.keeper import keeper  # noqa: E402

sources.preload()

clock = LoopClock()
make_game = partial(QuizGame, archive=archive, recorder=recorder(), keeper=keeper(clock))
duties = [WATCH_LAG, sessions.WATCH, *blocking.DUTIES, *bus.duties()]
live.install(Runtime(make_game, conf.config(), clock), duties)

application: Any = WithBodyLimit(ProtocolTypeRouter({"http": pages, "websocket": websocket_application()}))

if settings.TUNNEL is not None:
    from tunnel.asgi import around

    application = around(application)  # outermost: a tunnel's host never reaches Django
