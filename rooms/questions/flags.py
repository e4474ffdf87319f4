"""Flag questions: "Which country's flag is this?", drawn from a seed and the data in `data/`.

The same source, count and seed give the same game on the same data, so that a stored game can be drawn
again. The data is built by `scripts/build_flags.py`; who is asked when is decided in
`scripts/flags_tables.py`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Literal

import msgspec
from msgspec import Struct

from rooms.core.questions import Choice, Difficulty, FlagSource, Question, Svg
from rooms.questions.drawing import random_id

PROMPT = "Which country’s flag is this?"
OPTIONS = 4

DATA = Path(__file__).parent / "data"
LEVELS: dict[Difficulty, frozenset[Difficulty]] = {
    "easy": frozenset({"easy"}),
    "medium": frozenset({"easy", "medium"}),
    "hard": frozenset({"easy", "medium", "hard"}),
}


class Country(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody with a flag of their own; `level` is the lowest difficulty at which they are asked."""

    code: str
    name: str
    region: Literal["africa", "americas", "asia", "europe", "oceania"]
    level: Difficulty


class Atlas(Struct, frozen=True):
    """All flag data: the countries by code, each one's drawing, and the codes it is never offered with."""

    countries: tuple[Country, ...]
    flags: Mapping[str, str]
    look_alikes: Mapping[str, frozenset[str]]


@cache
def atlas() -> Atlas:
    """The data, read once per process at the first question."""
    countries = msgspec.json.decode((DATA / "countries.json").read_bytes(), type=tuple[Country, ...])
    pairs = msgspec.json.decode(
        (DATA / "look_alikes.json").read_bytes(), type=list[tuple[str, str, float | None]]
    )
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for one, other, _ in pairs:
        alike[one].add(other)
        alike[other].add(one)
    return Atlas(
        countries=countries,
        flags={c.code: (DATA / "flags" / f"{c.code}.svg").read_text(encoding="utf-8") for c in countries},
        look_alikes={c.code: frozenset(alike[c.code]) for c in countries},
    )


@cache
def names() -> Mapping[str, Mapping[str, str]]:
    """The countries' names in the other languages of the pages: language to code to name."""
    return msgspec.json.decode((DATA / "names.json").read_bytes(), type=dict[str, dict[str, str]])


def draw(source: FlagSource, count: int, seed: int) -> tuple[Question, ...]:
    """`count` questions of `source`, no country twice; all there are if `count` is more (Oceania, easy: 10).

    Players see the ids and the order, so the seed must be hard to guess: 63 random bits, not a clock.
    """
    rng = Random(seed)
    pool = asked(source)
    return tuple(_question(answer, pool, source, rng) for answer in rng.sample(pool, min(count, len(pool))))


def asked(source: FlagSource) -> tuple[Country, ...]:
    """The countries that `source` asks about, by code."""
    levels = LEVELS[source.difficulty]
    return tuple(c for c in atlas().countries if c.level in levels and source.region in ("world", c.region))


def _question(answer: Country, pool: Sequence[Country], source: FlagSource, rng: Random) -> Question:
    same_region = [c for c in pool if c.region == answer.region]
    options = _options(answer, same_region if source.difficulty == "hard" else pool, rng)
    choices = {option.code: Choice(random_id(rng), option.name, option.code) for option in options}
    return Question(
        id=random_id(rng),
        prompt=PROMPT,
        choices=tuple(choices.values()),
        correct=frozenset({choices[answer.code].id}),
        media=Svg(atlas().flags[answer.code]),
    )


def _options(answer: Country, pool: Sequence[Country], rng: Random) -> list[Country]:
    options = [answer]
    barred = {answer.code, *atlas().look_alikes[answer.code]}
    for candidate in rng.sample(pool, len(pool)):
        if len(options) == OPTIONS:
            break
        if candidate.code not in barred:
            options.append(candidate)
            barred |= {candidate.code, *atlas().look_alikes[candidate.code]}
    rng.shuffle(options)
    return options
