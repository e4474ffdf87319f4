"""Exporters, one file a format behind one interface: ``write(sheaf) -> Exported``.

What a format can't hold is left out and named; what it can hold comes back the same from its importer.
"""

from collections.abc import Callable
from typing import Final

from rooms.questions.exporters import gift, kahoot, own
from rooms.questions.exporters.base import Exported, Sheaf

__all__ = ("FORMATS", "Exported", "Sheaf")

FORMATS: Final[dict[str, Callable[[Sheaf], Exported]]] = {
    "halyard": own.write,
    "gift": gift.write,
    "kahoot": kahoot.write,
}
"""Every format by its name, as the importers call it."""
