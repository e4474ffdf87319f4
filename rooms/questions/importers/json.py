"""JSON of strangers: strict, bounded before anything is built of it.

The items of a list come back undecoded, so that a broken one is skipped alone. NaN and Infinity are no JSON
and no number here.
"""

from typing import Any, Final, TypeVar

import msgspec
from django.utils.translation import gettext as _

from rooms.questions.importers.base import UnreadableError

MAX_COMMAS: Final = 200_000
"""Every value but the first of its kind has a comma in front: bounds what is built, 80 bytes each."""

T = TypeVar("T")


def decode(data: bytes, type_: type[T]) -> T:
    """The whole file; raises `UnreadableError` with the place of the fault."""
    if data.count(b",") > MAX_COMMAS:
        raise UnreadableError(_("The file has too many values."))
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableError(_("The JSON can’t be read: %s.") % error) from error


def item(raw: msgspec.Raw, type_: Any) -> Any:
    """One item; raises `msgspec.MsgspecError` or `UnicodeDecodeError`."""
    return msgspec.json.decode(raw, type=type_)
