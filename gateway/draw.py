"""Chance, as the shells need it: ids, tokens, seeds, shares.

A machine draws nothing (ARCHITECTURE.md), so its shell does, from the `Draw` that it was given. A live
process draws from the system's own randomness; a simulation draws from a seed (`gateway.testing.SeededDraw`),
and the same seed leads to the same run.
"""

import secrets
from typing import Final, Protocol


class Draw(Protocol):
    """Where a shell gets what nobody may foresee."""

    def text(self, size: int) -> str:
        """URL-safe text that holds ``size`` random bytes."""

    def below(self, limit: int) -> int:
        """A whole number in [0, ``limit``)."""

    def share(self) -> float:
        """A number in [0, 1)."""


class SystemDraw:
    """The draw of a live process: good enough for tokens."""

    def text(self, size: int) -> str:
        """From the system's random bytes."""
        return secrets.token_urlsafe(size)

    def below(self, limit: int) -> int:
        """From the system's random bytes."""
        return secrets.randbelow(limit)

    def share(self) -> float:
        """In steps of a thousandth: it spreads things in time, and hides nothing."""
        return secrets.randbelow(1000) / 1000


SYSTEM: Final = SystemDraw()
