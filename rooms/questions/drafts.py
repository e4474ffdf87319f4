"""A question of a set as a plain value, and the rules that make one playable.

Importers make drafts, `settle` cleans or refuses them, ``rooms.questions.storing`` keeps them, exporters
write them. No file format and no database is known here; the limits are the models' limits, too.
"""

import re
from typing import Final, Literal

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

PROMPT_MAX: Final = 2000
"""Characters; a phone shows some hundred, a case study needs more."""
OPTION_MAX: Final = 500
"""Characters of one option."""
EXPLANATION_MAX: Final = 2000
"""Characters shown after the answer."""
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 16
"""What one SUBMIT_ANSWER frame may choose (spec 3)."""
MAX_GIVEN: Final = 64
"""Options that a file may give: some are there twice, but what has more is looked at no further."""
MIN_SECONDS: Final = 5
MAX_SECONDS: Final = 300
"""Of a question's own time limit; other products offer 5 to 240, and some 300."""
MAX_WEIGHT: Final = 10.0
WEIGHT_DECIMALS: Final = 2
MAX_QUESTIONS: Final = 500
"""Of one set: ten times the longest game."""

Kind = Literal["single", "multiple", "boolean"]
TRUE_FALSE: Final = ("True", "False")

_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)
"""Control characters, halves of surrogate pairs and noncharacters: no database or XML file holds them all."""


class Picture(Struct, frozen=True):
    """An encoded picture that this site made itself (``rooms.questions.pictures``)."""

    data: bytes
    mime: str
    alt: str = ""


class Option(Struct, frozen=True):
    """One choice and whether it is right."""

    text: str
    correct: bool = False


class Draft(Struct, frozen=True):
    """One question of a set; ``key`` names it in its file, so that the next import finds it again."""

    prompt: str
    options: tuple[Option, ...]
    kind: Kind = "single"
    time_limit_s: int | None = None
    weight: float = 1.0
    explanation: str = ""
    picture: Picture | None = None
    key: str = ""


class UnusableError(ValueError):
    """No question can be made of it; the text says why, to people."""


def settle(draft: Draft) -> tuple[Draft, list[str]]:
    """The draft as it may be stored, and what was changed for that; raises `UnusableError`."""
    notes: list[str] = []
    options = _options(draft, notes)
    settled = msgspec.structs.replace(
        draft,
        prompt=_text(draft.prompt, PROMPT_MAX, _("question"), notes),
        options=options,
        kind=_kind(draft.kind, options, notes),
        time_limit_s=_seconds(draft.time_limit_s, notes),
        weight=_weight(draft.weight, notes),
        explanation=_explanation(draft.explanation, notes),
    )
    return settled, notes


def clean(text: str) -> str:
    """Without what can't be seen or stored; line breaks are LF, nothing stands around it."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")).strip()


def shown(text: str, length: int = 60) -> str:
    """The beginning of a text, on one line, for a report."""
    line = " ".join(clean(text[: 4 * length]).split())
    return line if len(line) <= length else line[: length - 1] + "…"


# ---------- rules


def _text(text: str, most: int, what: str, notes: list[str]) -> str:
    if _INVISIBLE.search(text):
        notes.append(_("%(what)s: control characters were removed") % {"what": what})
    cleaned = clean(text)
    if not any(char.isprintable() and not char.isspace() for char in cleaned):
        raise UnusableError(_("%(what)s: there is no text") % {"what": what})
    if len(cleaned) > most:
        facts = {"what": what, "length": len(cleaned), "most": most}
        raise UnusableError(_("%(what)s: %(length)d characters are more than %(most)d") % facts)
    return cleaned


def _options(draft: Draft, notes: list[str]) -> tuple[Option, ...]:
    if len(draft.options) > MAX_GIVEN:
        raise UnusableError(_("there are more than %d answers") % MAX_GIVEN)
    options: dict[str, Option] = {}
    for number, option in enumerate(draft.options, 1):
        text = _text(option.text, OPTION_MAX, _("answer %d") % number, notes)
        known = options.setdefault(text, Option(text, option.correct))
        if known.correct != option.correct:
            raise UnusableError(_("“%s” is both right and wrong") % shown(text))
    if len(options) < len(draft.options):
        notes.append(_("answers that were there twice were removed"))
    if not MIN_OPTIONS <= len(options) <= MAX_OPTIONS:
        facts = {"count": len(options), "least": MIN_OPTIONS, "most": MAX_OPTIONS}
        raise UnusableError(_("number of answers: %(count)d; there must be %(least)d to %(most)d") % facts)
    if not any(option.correct for option in options.values()):
        raise UnusableError(_("no answer is marked as right"))
    return tuple(options.values())


def _kind(kind: Kind, options: tuple[Option, ...], notes: list[str]) -> Kind:
    right = sum(option.correct for option in options)
    if kind != "multiple" and right > 1:
        notes.append(_("several answers are right: players must choose all of them"))
        return "multiple"
    if kind == "boolean" and len(options) != 2:
        return "single"
    return kind


def _seconds(seconds: int | None, notes: list[str]) -> int | None:
    if seconds is None or MIN_SECONDS <= seconds <= MAX_SECONDS:
        return seconds
    used = min(max(seconds, MIN_SECONDS), MAX_SECONDS)
    notes.append(_("time limit: %(given)s s became %(used)d s") % {"given": seconds, "used": used})
    return used


def _weight(weight: float, notes: list[str]) -> float:
    # Written so that NaN, which is neither, becomes 1.
    used = round(weight, WEIGHT_DECIMALS) if 0 <= weight <= MAX_WEIGHT else 1.0
    if used != weight:
        notes.append(_("weight: %(given)s became %(used)s") % {"given": weight, "used": used})
    return used


def _explanation(text: str, notes: list[str]) -> str:
    if not clean(text):
        return ""
    try:
        return _text(text, EXPLANATION_MAX, _("explanation"), notes)
    except UnusableError as error:
        notes.append(_("left out: %s") % error)
        return ""
