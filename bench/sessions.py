"""As many browser sessions as there are clients, made straight in the bench's database: run as a program.

Their cookies go to a file, a line a client, which the load generator reads.
"""

import os
import sys
from datetime import timedelta
from pathlib import Path

import django

KEY_LENGTH = 32
"""As Django's own session keys."""


def make(count: int, to: Path) -> None:
    """Anonymous sessions as a page of the site makes them, in one transaction."""
    from django.conf import settings
    from django.contrib.sessions.backends.base import VALID_KEY_CHARS
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session
    from django.utils import timezone
    from django.utils.crypto import get_random_string

    ends = timezone.now() + timedelta(days=14)
    store = SessionStore()
    data = store.encode({"here": True})
    keys = [get_random_string(KEY_LENGTH, VALID_KEY_CHARS) for _ in range(count)]
    rows = [Session(session_key=key, session_data=data, expire_date=ends) for key in keys]
    Session.objects.all().delete()
    Session.objects.bulk_create(rows, batch_size=500)
    to.write_text("".join(f"{settings.SESSION_COOKIE_NAME}={row.session_key}\n" for row in rows))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.served.settings")
    django.setup()
    make(int(sys.argv[1]), Path(sys.argv[2]))
