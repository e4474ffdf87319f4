"""The toy game with the duties of the block list and of the bus.

``LOOK_S`` sets how often the list is looked at: a test of the bus must not be passed by the look.
"""

import os

from gateway import blocking, bus, live
from gateway.duties import Duty
from tests.toy_game.asgi import application as application

look = Duty(
    "the look at the block list", float(os.environ.get("LOOK_S", blocking.LOOK_EVERY_S)), blocking.watch
)
live.install(live.runtime(), [look, *bus.duties()])
