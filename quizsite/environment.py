"""Reads what the environment says, and says in one sentence what it cannot mean: a slip is not "off".

django-environ with stricter answers, for ``quizsite.settings`` alone. Raises `ImproperlyConfigured`, which
`manage.py` shows without a traceback.
"""

import warnings
from typing import Any, Final

import environ
from django.core.exceptions import ImproperlyConfigured

SWITCHED: Final = {
    **dict.fromkeys(environ.Env.BOOLEAN_TRUE_STRINGS, True),
    **dict.fromkeys(("false", "off", "n", "no", "0", ""), False),
}


class Environment(environ.Env):
    """The values of this process's environment and of the `.env` file."""

    def switch(self, name: str) -> bool:
        """On or off; off if it is not set."""
        text: str = self(name, default="")
        value = SWITCHED.get(text.strip().lower())
        if value is None:
            raise ImproperlyConfigured(f"{name} must be on or off, not {text!r}.")
        return value

    def count(self, name: str) -> int:
        """A whole number from 0 up; 0 if it is not set."""
        text: str = self(name, default="0")
        if not (text.isascii() and text.isdigit()):
            raise ImproperlyConfigured(f"{name} must be a whole number, not {text!r}.")
        return int(text)

    def database(self, name: str) -> dict[str, Any]:
        """A database's address, as Django wants it. The value is not repeated: it may hold a password."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about an unknown scheme, with the password in it
                found: dict[str, Any] = self.db(name)
        except (ValueError, ImproperlyConfigured):
            found = {}
        if found.get("ENGINE") not in self.DB_SCHEMES.values():
            raise ImproperlyConfigured(
                f"{name} cannot be read as the address of a database: "
                "write postgres://user:password@host:5432/name or sqlite:////path/of/the/file."
            )
        return found
