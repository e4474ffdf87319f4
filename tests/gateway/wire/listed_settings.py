"""The toy game with a database for the block list, and behind a proxy: its clients have public addresses."""

from tests.toy_game.settings import *  # noqa: F403
from tests.toy_game.settings import GATEWAY

ASGI_APPLICATION = "tests.gateway.wire.listed_asgi.application"
GATEWAY = {**GATEWAY, "TRUSTED_PROXIES": ["127.0.0.0/8"]}
MIGRATION_MODULES: dict[str, None] = {}
