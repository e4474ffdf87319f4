"""The toy game with a slow session store, and a door that lets a client die where a test wants it to."""

from tests.toy_game.settings import *  # noqa: F403

ASGI_APPLICATION = "tests.faults.asgi.application"
ROOT_URLCONF = "tests.faults.urls"
SESSION_ENGINE = "tests.faults.sessions"
