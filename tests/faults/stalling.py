"""The toy with less patience for a request's head, so that a test need not wait for it either."""

from gateway.transports.uvicorn_requests import GatewayHttpProtocol
from tests.faults.settings import *  # noqa: F403

HEAD_S = 0.6
GatewayHttpProtocol.head_s = HEAD_S
