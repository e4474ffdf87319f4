"""Keeps query strings out of the servers' own log lines: that of ``/ws`` holds a reconnect token (spec 1.2).

uvicorn logs it in two places: its access log, and its WebSocket lines at INFO, which no access log setting
turns off.
"""

import logging
from typing import Final

UVICORN_LOGGERS: Final = ("uvicorn.access", "uvicorn.error")
CHATTER: Final = ("connection open", "connection closed", "connection rejected")
"""What the library says beside uvicorn's own line of each handshake: one event is one line."""


class PathOnly(logging.Filter):
    """Cuts what follows a ``?`` from every string argument of a record. Lets all but `CHATTER` pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(without_query(arg) for arg in record.args)
        return not str(record.msg).startswith(CHATTER)


def without_query(value: object) -> object:
    """``value`` up to its first ``?`` if it is a string."""
    return value.partition("?")[0] if isinstance(value, str) else value


def hide_query_strings() -> None:
    """Install the filter on uvicorn's loggers, once.

    Filters stay through ``dictConfig``, unlike handlers and levels.
    """
    for name in UVICORN_LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, PathOnly) for known in logger.filters):
            logger.addFilter(PathOnly())
