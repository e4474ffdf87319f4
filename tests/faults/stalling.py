"""The toy with less patience for a request's head and its body: a test need not wait for them either."""

from gateway.transports.heads import HeadClock
from tests.faults.settings import *  # noqa: F403

ASGI_APPLICATION = "tests.faults.patience.application"

HEAD_S = 0.6
HeadClock.head_s = HEAD_S
