"""The site under `bench.storm`: as it is, but that its loop is watched closely. Never for a real site."""

from quizsite.settings import *  # noqa: F403

ASGI_APPLICATION = "bench.storm_asgi.application"
ROOT_URLCONF = "bench.storm_urls"
"""The site's pages, and ``/turns``: the longest turn of the loop."""
