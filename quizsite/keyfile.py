"""The site's secret key, when the environment gives none: made once, in a file that only its owner reads.

Nothing here reads settings, for settings are what asks. Who asks: `quizsite.settings`.
"""

import os
import secrets
import tempfile
from pathlib import Path

KEY_BYTES = 48  # 64 characters; `check --deploy` (security.W009) wants at least 50
OWNER_ONLY = 0o700


def read_or_create(path: Path) -> str:
    """The key in `path`; the first caller makes it, and of many at once all get the same one."""
    if not path.exists():
        path.parent.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        _create(path)
    return path.read_text(encoding="ascii").strip()


def _create(path: Path) -> None:
    """Write the key beside its place, then link it there.

    Opening `path` itself with O_EXCL would let a second process read the file between the first one's open
    and write, and run with an empty key. mkstemp opens with O_EXCL and mode 0600; link is all or nothing.
    """
    descriptor, draft = tempfile.mkstemp(prefix=".secret-key-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(KEY_BYTES) + "\n")
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first: its key is the site's key
    finally:
        os.unlink(draft)
