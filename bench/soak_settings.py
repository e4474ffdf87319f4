"""The site under `bench.soak`: with a page that tells what the process holds. Never for a real site."""

from quizsite.settings import *  # noqa: F403

ROOT_URLCONF = "bench.soak_urls"
