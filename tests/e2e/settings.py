"""The real site with other numbers: SITE_GATEWAY of the environment is JSON that goes over ``GATEWAY``."""

import json
import os

from quizsite.settings import *  # noqa: F403
from quizsite.settings import GATEWAY as OWN

GATEWAY = {**OWN, **json.loads(os.environ.get("SITE_GATEWAY", "{}"))}
