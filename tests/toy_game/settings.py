"""The site's settings with the toy game in place of the quiz, sessions in files (no database to migrate)."""

import json
import os

from quizsite.settings import *  # noqa: F403
from quizsite.settings import DATA_DIR

INSTALLED_APPS = [
    "gateway",
    "channels",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
TEMPLATES: list[object] = []
ROOT_URLCONF = "tests.toy_game.urls"
ASGI_APPLICATION = "tests.toy_game.asgi.application"
MIGRATION_MODULES = {"auth": None, "contenttypes": None, "gateway": None, "sessions": None}
SESSION_ENGINE = "django.contrib.sessions.backends.file"
SESSION_FILE_PATH = str(DATA_DIR)
GATEWAY = {"IP_CAP": 20, **json.loads(os.environ.get("TOY_GATEWAY", "{}"))}
