"""A relay that waits long for a response and not long for a peer: a request is ended by its peer's end."""

from quizsite.settings import *  # noqa: F403

TUNNEL = {
    "BASE_DOMAIN": "tunnel.localhost",
    "HEAD_TIMEOUT_MS": 60_000,
    "PING_INTERVAL_MS": 500,
    "DEAD_AFTER_MS": 2000,
}
