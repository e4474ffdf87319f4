"""The site's settings as the bench serves them: a game of the bench or the quiz, limits high or real.

The numbers are in `bench.served.limits`, so that the results can print them.
"""

import os

from quizsite.settings import *  # noqa: F403
from quizsite.settings import GATEWAY, ROOMS

from bench.served import limits

ASGI_APPLICATION = "bench.served.asgi.application"
TOKEN = "bench"
GATEWAY = {**GATEWAY, **(limits.NO_CAPS if os.environ["BENCH_LIMITS"] == "high" else {}), "METRICS_TOKEN": TOKEN}
ROOMS = {**ROOMS, "SNAPSHOT_STORE": None}
