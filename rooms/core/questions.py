"""What a question is, for the engine and for every source of questions.

Plain frozen values: no text is translated here and nothing is drawn at random. Sources (``rooms.questions``)
build them, the engine (``rooms.core.room``) asks them, ``rooms.core.messages`` shows them to players without
``correct``.
"""

from typing import Literal

from msgspec import Struct

Region = Literal["world", "africa", "americas", "asia", "europe", "oceania"]
Difficulty = Literal["easy", "medium", "hard"]


class Choice(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One option. ``id`` is random per question, so that it carries no hint (spec 2.5).

    ``country`` is an ISO 3166-1 alpha-2 code: pages show its name in the player's own language, ``text`` is
    the English fallback.
    """

    id: str
    text: str
    country: str | None = None


class Svg(Struct, frozen=True, tag_field="kind", tag="svg"):
    """A drawing sent inside the question itself, at most 8 KiB, without ids or titles (spec 2.5)."""

    data: str


class Image(Struct, frozen=True, tag_field="kind", tag="image"):
    """A picture fetched by URL; ``alt`` must not give the answer away."""

    url: str
    alt: str


Media = Svg | Image


class Question(Struct, frozen=True):
    """One question with its answer; ``correct`` never leaves the server before results (spec 2.2).

    ``correct`` holds choice ids; with ``multiple`` only the exact set is right (spec 2.4). ``time_limit_s``
    wins over the room's setting; ``weight`` scales the 1000 points.
    """

    id: str
    prompt: str
    choices: tuple[Choice, ...]
    correct: frozenset[str]
    media: Media | None = None
    multiple: bool = False
    time_limit_s: float | None = None
    weight: float = 1.0
    explanation: str | None = None


class FlagSource(Struct, frozen=True, tag_field="kind", tag="flags", forbid_unknown_fields=True):
    """Flag questions of a region; ``hard`` takes the options from the same region (spec 2.5)."""

    region: Region = "world"
    difficulty: Difficulty = "medium"


class SetSource(Struct, frozen=True, tag_field="kind", tag="set", forbid_unknown_fields=True):
    """A stored question set, by its public id."""

    id: str


QuestionSource = FlagSource | SetSource
