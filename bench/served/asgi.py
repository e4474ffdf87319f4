"""The site's ASGI application as the bench serves it: everything of the product, the limits and the game
from the environment.

``BENCH_GAME`` is ``table`` (`bench.served.table`) or ``quiz``; ``BENCH_LIMITS`` is ``high`` or ``real``. What
the product wires together is wired the same way here (compare ``quizsite.asgi``).
"""

import os
from typing import Any

from django.core.asgi import get_asgi_application

pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402  (the apps must be loaded first)
from msgspec.structs import replace  # noqa: E402

from bench.served import limits  # noqa: E402
from bench.served.table import Table  # noqa: E402
from gateway import bus, conf, live  # noqa: E402
from gateway.alarm import Clock, LoopClock  # noqa: E402
from gateway.contract import Sockets  # noqa: E402
from gateway.core.inbound import InboundPolicy  # noqa: E402
from gateway.routing import websocket_application  # noqa: E402
from gateway.runtime import GameFactory, Runtime  # noqa: E402
from gateway.serving import DUTIES  # noqa: E402
from quizsite.bodies import WithBodyLimit  # noqa: E402
from rooms import wire  # noqa: E402
from rooms.questions import sources  # noqa: E402
from rooms.recorder import recorder  # noqa: E402
from rooms.service import QuizGame  # noqa: E402

HIGH = os.environ["BENCH_LIMITS"] == "high"


class Quiz(QuizGame):
    """The quiz, with the bench's budgets if it asks for them."""

    limits = dict.fromkeys(wire.LIMITS, limits.HIGH) if HIGH else wire.LIMITS  # type: ignore[assignment]


def table(sockets: Sockets, clock: Clock) -> Table:
    return Table(sockets, clock, limits.HIGH if HIGH else limits.REAL)


def quiz(sockets: Sockets, clock: Clock) -> Any:  # its class attributes are narrower than the contract's
    sources.preload()
    return Quiz(sockets, clock, recorder=recorder())


def config() -> conf.Config:
    """The site's, without the budget of a connection's frames if the limits are high."""
    site = conf.config()
    inbound = replace(InboundPolicy(), frames=limits.NEVER, heartbeats=limits.NEVER)
    return replace(site, connection=replace(site.connection, inbound=inbound)) if HIGH else site


GAMES: dict[str, GameFactory] = {"table": table, "quiz": quiz}
live.install(Runtime(GAMES[os.environ["BENCH_GAME"]], config(), LoopClock()), [*DUTIES, *bus.duties()])
application = WithBodyLimit(ProtocolTypeRouter({"http": pages, "websocket": websocket_application()}))
