"""The site as it stands behind a proxy, with quicker heartbeats: the doctor sits through two of them."""

from quizsite.settings import *  # noqa: F403
from quizsite.settings import GATEWAY as OWN

GATEWAY = {**OWN, "HEARTBEAT_INTERVAL_MS": 1200, "HEARTBEAT_TIMEOUT_MS": 1000}
