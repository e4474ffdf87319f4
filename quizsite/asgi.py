"""The site as one ASGI application: pages by Django, sockets by the gateway with the quiz on it.

The only file that knows all apps. Importing it builds the gateway of this process; nothing runs before a loop
does.
"""

import os
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quizsite.settings")
pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402  (the apps must be loaded first)

from gateway.serving import websocket_for  # noqa: E402
from quizsite.bodies import WithBodyLimit  # noqa: E402
from quizsite.request_ids import WithRequestId  # noqa: E402
from rooms.serving import quiz  # noqa: E402

site = ProtocolTypeRouter({"http": pages, "websocket": websocket_for(quiz)})
application: Any = WithBodyLimit(WithRequestId(site))

if settings.TUNNEL is not None:
    from tunnel.asgi import around

    application = around(application)  # outermost: a tunnel's host never reaches Django
