"""The gateway of a process in one call, for a project's ``asgi.py``: a game on it, and its duties beside the
sockets.

The parts are public too (``gateway.runtime``, ``gateway.live``): who wants other duties puts them together by
hand.
"""

from typing import Final

from gateway import blocking, bus, conf, live, sessions
from gateway.alarm import Clock, LoopClock
from gateway.asgi import App
from gateway.duties import FORGET, WATCH_LAG, Duty
from gateway.routing import websocket_application
from gateway.runtime import GameFactory, Runtime

DUTIES: Final[tuple[Duty, ...]] = (WATCH_LAG, FORGET, sessions.WATCH, *blocking.DUTIES)
"""Its own lateness, those who are long gone, ended sessions, changed blocks; the bus comes with the channel
layer that is set up."""


def websocket_for(make_game: GameFactory, clock: Clock | None = None) -> App:
    """Make the gateway of this process and return it for ``ProtocolTypeRouter``'s ``websocket`` key.

    ``make_game`` is called with the game's `Sockets` and its `Clock`; nothing runs before a loop does.
    """
    live.install(Runtime(make_game, conf.config(), clock or LoopClock()), [*DUTIES, *bus.duties()])
    return websocket_application()
