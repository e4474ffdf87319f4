"""Whose request is it: the one place that reads a ``Host`` header (spec 6.5).

Total on hostile input. A host is the site's, a peer's or bad; nothing under the base domain is ever the
site's, and nothing else is ever a peer's.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct

LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
"""A DNS label in lower case (RFC 1035), and so a peer's name."""
DEFAULT_NAME: Final = "default"
PATH_PREFIX: Final = "/_bifrost/"

_NAME: Final = re.compile(r"(?P<name>[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\.?(?::[0-9]{1,5})?", re.ASCII)
_LITERAL: Final = re.compile(r"\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?", re.ASCII)


class Site(Struct, frozen=True):
    """The site's own business."""


class Peer(Struct, frozen=True):
    """For the peer ``name``, whether or not there is one."""

    name: str


class Bad(Struct, frozen=True):
    """For nobody."""

    reason: str


Whose = Site | Peer | Bad


class HostPolicy(Struct, frozen=True):
    """``base`` is the base domain in lower case, empty for none. ``default``: it is a peer's host itself."""

    base: str
    reserved: Collection[str] = ()
    default: bool = False


def whose(hosts: Sequence[str], policy: HostPolicy) -> Whose:
    """Whom the request's ``Host`` lines mean. ``hosts`` are all of them, in order."""
    if len(hosts) != 1:
        return Bad(f"{len(hosts)} Host headers, not 1")
    found = _NAME.fullmatch(hosts[0])
    if found is None:
        return Site() if _LITERAL.fullmatch(hosts[0]) else Bad(f"no host: {hosts[0][:80]!r}")
    name = found["name"].lower()
    if not policy.base:
        return Site()
    if name == policy.base:
        return Peer(DEFAULT_NAME) if policy.default else Site()
    if not name.endswith(f".{policy.base}"):
        return Site()
    label = name[: -len(policy.base) - 1]
    fault = name_fault(label, policy.reserved)
    return Bad(fault) if fault else Peer(label)


def name_fault(name: str, reserved: Collection[str] = ()) -> str:
    """Why a peer cannot have this name; empty if it can."""
    if LABEL.fullmatch(name) is None:
        return f"not a name: {name[:80]!r}"
    return f"a reserved name: {name!r}" if name in reserved else ""


def by_path(raw_path: str) -> tuple[str, str] | None:
    """The peer's name and the path that is left of ``/_bifrost/<name>/…``; None for any other path.

    The path is taken as it came: an encoded slash is no slash.
    """
    if not raw_path.startswith(PATH_PREFIX):
        return None
    name, slash, rest = raw_path[len(PATH_PREFIX) :].partition("/")
    return (name, f"/{rest}") if slash and LABEL.fullmatch(name) else None
