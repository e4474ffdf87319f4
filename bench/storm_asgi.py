"""The site's application with one duty more: it watches each turn of the loop (`bench.storm_turns`)."""

from bench import storm_turns
from gateway import bus, live
from gateway.duties import Duty
from gateway.serving import DUTIES
from quizsite.asgi import application

__all__ = ["application"]

storm_turns.begin()
live.install(live.runtime(), [*DUTIES, *bus.duties(), Duty("the longest turn", 0.0, storm_turns.watch)])
