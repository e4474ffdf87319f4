"""The site's settings as the tests run them: of the developer's own `.env`, data and environment, nothing.

The environment is set before the settings are read, so that the servers which tests start inherit it.
"""

import atexit
import os
import tempfile

_data = tempfile.TemporaryDirectory(prefix="halyard-tests-")
atexit.register(_data.cleanup)

for _name in (
    *("DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "LAN_HOSTS", "DATABASE_URL", "REDIS_URL", "ALLOWED_ORIGINS"),
    *("TRUSTED_PROXIES", "HTTPS", "HSTS_SECONDS", "HSTS_SUBDOMAINS", "HSTS_PRELOAD", "PROXY_PROTO_HEADER"),
    *("LOG_FORMAT", "LOG_LEVEL", "METRICS_TOKEN", "METRICS_NETWORKS", "SNAPSHOT_STORE"),
):
    os.environ.pop(_name, None)
os.environ["ENV_FILE"] = os.devnull
os.environ["DATA_DIR"] = _data.name
os.environ["DJANGO_SETTINGS_MODULE"] = "quizsite.settings"  # for those servers: Django here has read its own

from quizsite.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher"
]  # the tests log in often, and prove no hash
