"""From the bytes of one frame to a command, strictly: steps 4 and 5 of the inbound pipeline (spec 1.3).

One class turns everything that a JSON library lets pass or words oddly into our one error: repeated keys,
invalid UTF-8 in a skipped field, nesting that exhausts the stack, an unknown field named by its parent only.
What a frame must pass before is in ``gateway.core.inbound``, what a command may cost in
``gateway.core.actions``.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, Union

import msgspec

from gateway.contract import ClientError

_WHERE: Final = re.compile(r"(?P<what>.*) - at `(?P<path>\$[^`]*)`", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<field>.*)`", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(?P<field>.*)`", re.DOTALL)
ECHO_MAX_CHARS: Final = 120
"""A field's name is the client's text: echo enough to find it, not a frame's worth."""


class Decoder:
    """Decodes one closed union of commands, each tagged by ``type``."""

    def __init__(self, commands: tuple[type[msgspec.Struct], ...]) -> None:
        self._decoder = msgspec.json.Decoder(Union[commands])  # noqa: UP007  # a union that is known at run time
        self._types = {str(command.__struct_config__.tag) for command in commands}
        self._pairs = {command: _least_pairs(command) for command in commands}

    def decode(self, data: bytes) -> Any:
        """The command in ``data``; raises `ClientError` ``VALIDATION_ERROR`` with ``details.path``."""
        try:
            command = self._decoder.decode(data)
            if data.count(b":") != self._pairs[type(command)]:
                _check_keys(_text(data))
        except msgspec.ValidationError as error:
            raise self._shape_error(str(error), _text(data)) from None
        except (msgspec.DecodeError, RecursionError) as error:
            _text(data)
            too_deep = isinstance(error, RecursionError)
            problem = "The message is nested too deeply." if too_deep else "The message is not valid JSON."
            raise invalid(problem) from None
        return command

    def _shape_error(self, problem: str, text: str) -> ClientError:
        """Our words for msgspec's; a known command is named, as in every other error that it causes."""
        action = _tag_of(text)
        named = {"action": action} if action in self._types else {}
        what, path = _located(problem)
        return invalid(f"{_clip(what)}: {_clip(path)}", _clip(path), **named)


def _least_pairs(command: type[msgspec.Struct]) -> int:
    """The tag and all that a command must have.

    A text with just as many colons has no more pairs than these, and so none twice: nobody has to look.
    """
    return 1 + sum(field.required for field in msgspec.structs.fields(command))


def _text(data: bytes) -> str:
    """The text, which msgspec only looks at where a command has a place for it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise invalid("The message is not valid UTF-8.") from None


class _Tagged(msgspec.Struct):
    """Any object, for its tag alone."""

    type: str


_TAGGED: Final = msgspec.json.Decoder(_Tagged)


def _tag_of(text: str) -> str:
    """The ``type`` of the object in ``text``, empty if it has none."""
    try:
        return _TAGGED.decode(text).type
    except (msgspec.DecodeError, RecursionError):  # a shape may be refused before the text is read to its end
        return ""


def invalid(message: str, path: str | None = None, **details: str) -> ClientError:
    """The error for a frame that is not a command."""
    where = {} if path is None else {"path": path}
    return ClientError("VALIDATION_ERROR", message, 400, {**where, **details})


def _located(problem: str) -> tuple[str, str]:
    """What is wrong and where: the field's own path, where msgspec names its parent's."""
    found = _WHERE.fullmatch(problem)
    what, path = (found["what"], found["path"]) if found else (problem, "$")
    if unknown := _UNKNOWN.fullmatch(what):
        return "There is no such field", f"{path}.{unknown['field']}"
    if missing := _MISSING.fullmatch(what):
        return "This field is missing", f"{path}.{missing['field']}"
    return what, path


def _clip(text: str) -> str:
    return text if len(text) <= ECHO_MAX_CHARS else text[: ECHO_MAX_CHARS - 1] + "…"


# ---------- repeated keys: msgspec keeps the last one in silence, so two layers could see two different
# commands


class _RepeatedKeyError(Exception):
    pass


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _RepeatedKeyError


def _walker(on_object: Callable[[list[tuple[str, Any]]], Any]) -> json.JSONDecoder:
    """Reads JSON for its keys only; numbers stay text, as Python refuses to read very long ones."""
    return json.JSONDecoder(object_pairs_hook=on_object, parse_int=str, parse_float=str)


_KEYS: Final = _walker(_refuse_repeated)
_PAIRS: Final = _walker(tuple)


def _check_keys(text: str) -> None:
    """Raise `ClientError` if an object in ``text`` has a key twice, however it is spelled."""
    try:
        _KEYS.decode(text)
    except _RepeatedKeyError:
        path = _clip(next(_repeated(_PAIRS.decode(text), "$")))
        raise invalid(f"A key stands twice in one object: {path}", path) from None


def _repeated(node: Any, path: str) -> Iterator[str]:
    """The paths of repeated keys below ``node``, in order; objects are tuples of pairs here."""
    if isinstance(node, tuple):
        seen = set()
        for key, value in node:
            here = f"{path}.{key}"
            if key in seen:
                yield here
            seen.add(key)
            yield from _repeated(value, here)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _repeated(value, f"{path}[{index}]")
