"""Where questions come from: one function for every source that a room's settings can name."""

from rooms.core.questions import FlagSource, Question, QuestionSource
from rooms.questions import flags


def available(source: QuestionSource) -> bool:
    """Whether questions can be drawn from the source. Stored question sets come with their models."""
    return isinstance(source, FlagSource)


def preload() -> None:
    """Read what questions are made of, so that the first game does not do it on the loop (20 ms of files)."""
    flags.atlas()


def draw(source: QuestionSource, count: int, seed: int) -> tuple[Question, ...]:
    """Up to ``count`` questions; the same seed draws the same. Empty if the source is not `available`."""
    return flags.draw(source, count, seed) if isinstance(source, FlagSource) else ()
