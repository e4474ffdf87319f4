"""How the site logs: to standard error, one event a line, as text or (LOG_FORMAT=json) as JSON.

No secret may pass. Reconnect tokens travel in a URL's query, which the servers' own access lines would print:
`WithoutQueries` sits on the one handler that everything goes through. What to log is each module's business;
fields go into `extra` and come out as `name=value` or JSON members.
"""

import json
import logging
import re
import time
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from quizsite.request_ids import RequestId

OUR_LOGGERS = ("quizsite", "gateway", "rooms", "debugger", "tunnel")

# Loggers that bring their own handlers, levels or formats, and lose them here.
THEIR_LOGGERS = (
    "django",
    "django.server",
    "django.channels.server",
    "daphne",
    "uvicorn",
    "uvicorn.access",
    "uvicorn.error",
)

FORMS = ("text", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def config(form: str, level: str) -> dict[str, Any]:
    """`settings.LOGGING`. `level` is for our own loggers: other people's stay at INFO, whatever it says.

    Below INFO the WebSocket library logs each handshake's headers, cookies included, and Django each query's
    values.
    """
    if form not in FORMS:
        raise ImproperlyConfigured(f"LOG_FORMAT must be one of {', '.join(FORMS)}, not {form!r}.")
    if level.upper() not in LEVELS:
        raise ImproperlyConfigured(f"LOG_LEVEL must be one of {', '.join(LEVELS)}, not {level!r}.")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "refusals_without_traceback": {"()": RefusalsWithoutTraceback},
            "request_id": {"()": RequestId},
            "without_queries": {"()": WithoutQueries},
        },
        "formatters": {"text": {"()": TextFormatter}, "json": {"()": JsonFormatter}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["refusals_without_traceback", "request_id", "without_queries"],
            },
        },
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            **{name: {"handlers": [], "level": "INFO", "propagate": True} for name in THEIR_LOGGERS},
            **{name: {"level": level.upper()} for name in OUR_LOGGERS},
        },
    }


class RefusalsWithoutTraceback(logging.Filter):
    """A request that Django refused (a foreign Host header, say) is one line: no scanner makes it forty."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True


# What a URL's query looks like in the middle of a text: from the question mark of something with a slash to
# the next space, without the quotes and brackets that close around it.
QUERY_IN_TEXT = re.compile(r"""(/[^\s?]*)\?\S*?(?=["')\]>,;:]*(?:\s|$))""")

NEEDS_QUOTES = re.compile(r'[\s="]|^$')
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # runserver paints its lines when a terminal looks on


def without_query(text: str) -> str:
    """`text` with the query cut off each URL in it.

    >>> without_query('"WebSocket /ws?seat=abc" [accepted]')
    '"WebSocket /ws" [accepted]'
    """
    return QUERY_IN_TEXT.sub(r"\1", text)


class WithoutQueries(logging.Filter):
    """Rewrites each record so that no URL in its message, its fields or its traceback has a query."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = without_query(_message(record))
        record.args = None
        if record.exc_info:
            record.exc_text = without_query(logging.Formatter().formatException(record.exc_info))
        for name, value in _fields(record).items():
            if isinstance(value, str):
                setattr(record, name, without_query(value))
        return True


def _message(record: logging.LogRecord) -> str:
    """The message with its arguments in it. A path among the arguments is cut before it is placed.

    A raw client may put quotes and brackets into its query, and only here is it known where the path ends.
    """
    template = COLOURS.sub("", str(record.msg))
    args = record.args
    if isinstance(args, Mapping):
        args = {name: _cut(value) for name, value in args.items()}
    elif args:
        args = tuple(_cut(value) for value in args)
    try:
        return template % args if args else template
    except (TypeError, ValueError, KeyError):
        return f"{template} (arguments do not fit: {len(record.args or ())})"


def _cut(argument: object) -> object:
    if isinstance(argument, bytes):
        argument = argument.decode("latin-1")
    if isinstance(argument, str) and (argument.startswith("/") or "://" in argument.partition("?")[0]):
        return argument.partition("?")[0]
    return argument


# Formats ----------------------------------------------------------------------------------------------------

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_NOT_FIELDS = frozenset({"color_message"})  # uvicorn's second, painted copy of the message


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """What the caller gave as `extra`, plain values only: an object's repr may say more than a log should."""
    return {
        name: value
        for name, value in vars(record).items()
        if name not in _STANDARD | _NOT_FIELDS and isinstance(value, str | int | float | bool | None)
    }


# Control characters, and the invisible ones that turn or break a line: whoever reads the log sees what came.
_ESCAPES = {
    code: f"\\u{code:04x}"
    for code in [
        *range(0x20),
        *range(0x7F, 0xA0),
        0x2028,
        0x2029,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ]
} | {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def escaped(text: str) -> str:
    return text.translate(_ESCAPES)


def _time_of(record: logging.LogRecord) -> str:
    """ISO 8601 in UTC with milliseconds, so that lines of several servers sort."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


class TextFormatter(logging.Formatter):
    """`time level logger: message name=value`; a traceback follows, its lines marked as no events."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={_quoted(escaped(str(value)))}" for name, value in _fields(record).items())
        message = escaped(record.getMessage())
        line = f"{_time_of(record)} {record.levelname:<7} {record.name}: {message}{fields}"
        return "\n".join([line, *(f"    | {escaped(part)}" for part in _traceback(record).splitlines())])


def _quoted(value: str) -> str:
    """A client's words must not read as fields of ours: what holds a space, ``=`` or a quote is quoted."""
    return '"{}"'.format(value.replace('"', "'")) if NEEDS_QUOTES.search(value) else value


class JsonFormatter(logging.Formatter):
    """One JSON object a line, the traceback inside it."""

    def format(self, record: logging.LogRecord) -> str:
        event = {
            **_fields(record),
            "time": _time_of(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if traceback := _traceback(record):
            event["traceback"] = traceback
        return json.dumps(event)


def _traceback(record: logging.LogRecord) -> str:
    if record.exc_info and not record.exc_text:
        record.exc_text = logging.Formatter().formatException(record.exc_info)
    return record.exc_text or ""
