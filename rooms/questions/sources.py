"""Where questions come from: one function for every source that a room's settings can name."""

from typing import assert_never

from rooms.core.questions import FlagSource, Question, QuestionSource, SetSource
from rooms.questions import flags, sets


def preload() -> None:
    """Read what questions are made of, so that the first game does not do it on the loop (20 ms of files)."""
    flags.atlas()


def waits(source: QuestionSource) -> bool:
    """Whether a draw asks the database, and so must not be made on the loop."""
    return isinstance(source, SetSource)


def draw(source: QuestionSource, count: int, seed: int) -> tuple[Question, ...]:
    """Up to ``count`` questions; the same seed draws the same. Empty if there are none."""
    match source:
        case FlagSource():
            return flags.draw(source, count, seed)
        case SetSource(id):
            return sets.draw(id, count, seed)
        case _ as unreachable:
            assert_never(unreachable)
