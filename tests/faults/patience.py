"""The toy's pages with the site's bound of a body, whose patience is short."""

from typing import Final

from quizsite.bodies import WithBodyLimit
from tests.faults.asgi import application as toy

STALLED_S: Final = 1.0
application: Final = WithBodyLimit(toy, STALLED_S)
