"""The site itself, with what a test of its faults sets: ``SITE_GATEWAY`` and ``SITE_ROOMS`` are JSON."""

import json
import os

from quizsite import settings as site
from quizsite.settings import *  # noqa: F403

GATEWAY = {**site.GATEWAY, **json.loads(os.environ.get("SITE_GATEWAY", "{}"))}
ROOMS = {**site.ROOMS, **json.loads(os.environ.get("SITE_ROOMS", "{}"))}
