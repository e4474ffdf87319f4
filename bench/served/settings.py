"""The site's settings as the bench serves them: a game of the bench or the quiz, limits high or real.

The numbers are in `bench.served.limits`, so that the results can print them.
"""

import json
import os

from bench.served import limits
from quizsite.settings import *  # noqa: F403
from quizsite.settings import GATEWAY, ROOMS

ASGI_APPLICATION = "bench.served.asgi.application"
GATEWAY = {
    **GATEWAY,
    **(limits.NO_CAPS if os.environ["BENCH_LIMITS"] == "high" else {}),
    **json.loads(os.environ.get("BENCH_GATEWAY", "{}")),
    "METRICS_TOKEN": "bench",
}
ROOMS = {**ROOMS, "SNAPSHOT_STORE": None}
