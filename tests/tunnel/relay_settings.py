"""The site as a relay whose patience is short, so that tests see the end of it."""

from quizsite.settings import *  # noqa: F403

TUNNEL = {
    "BASE_DOMAIN": "tunnel.localhost",
    "PATH_ROUTING": True,
    "HEAD_TIMEOUT_MS": 1500,
    "PING_INTERVAL_MS": 1000,
    "DEAD_AFTER_MS": 4000,
}
