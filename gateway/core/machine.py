"""The shape that everything which decides or keeps time has here, and how its state is saved.

A machine is plain data with three verbs: ``apply(event, now)`` (something happened), ``wake(now)`` (time
passed; early, late and double calls are harmless) and ``deadline()`` (the first moment at which ``wake``
would do something). The first two return effects for the shell to perform. ``now`` is in seconds on a
monotonic clock.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def to_state(machine: Any) -> Any:
    """The machine as builtin values that JSON can hold. Changes nothing."""
    return msgspec.to_builtins(machine)


def from_state(state: Any, type_: type[T]) -> T:
    """The machine that `to_state` was given; raises `msgspec.ValidationError` on anything else."""
    return msgspec.convert(state, type_)


def earliest(deadlines: Iterable[float | None]) -> float | None:
    """The first of several deadlines; None if none is set."""
    return min((deadline for deadline in deadlines if deadline is not None), default=None)
