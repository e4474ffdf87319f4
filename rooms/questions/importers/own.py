"""This project's own JSON: everything that a set holds, versioned; ``exporters.own`` writes it.

The types below are the format. A field that is not among them is a fault of its question, for what it says
would be lost.
"""

from typing import Annotated, Final

import msgspec
from django.utils.translation import gettext as _
from msgspec import Meta, Raw, Struct

from rooms.questions import drafts, pictures
from rooms.questions.drafts import Draft, Kind, Option, Picture
from rooms.questions.importers import json
from rooms.questions.importers.base import Collector, UnreadableError, importer
from rooms.questions.pictures import Allowance

FORMAT: Final = "halyard.questions"
VERSION: Final = 1

Text = Annotated[str, Meta(max_length=20_000)]


class StoredPicture(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """Base64 on the wire; the seal lets the site that wrote it take it back as it is."""

    mime: str
    data: bytes
    alt: str = ""
    seal: str = ""


class StoredChoice(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """One option."""

    text: Text
    correct: bool = False


class StoredQuestion(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """One question."""

    prompt: Text
    choices: tuple[StoredChoice, ...]
    kind: Kind = "single"
    time_limit_seconds: int | None = None
    weight: float = 1.0
    explanation: Text = ""
    picture: StoredPicture | None = None
    key: Annotated[str, Meta(max_length=64)] = ""


class StoredSet(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The file: ``format`` and ``version`` first, then the set; questions are decoded one by one."""

    format: str
    version: int
    questions: list[Raw]
    id: str = ""
    title: str = ""
    description: str = ""
    attribution: str = ""


def _read(data: bytes, out: Collector) -> None:
    file = json.decode(data, StoredSet)
    if file.format != FORMAT:
        raise UnreadableError(_("This is no question set of this site’s, but “%s”.") % file.format[:40])
    if file.version != VERSION:
        facts = {"given": file.version, "known": VERSION}
        raise UnreadableError(_("The file has version %(given)d; version %(known)d can be read.") % facts)
    out.about = {
        "set_id": file.id,
        "title": file.title,
        "description": file.description,
        "attribution": file.attribution,
    }
    for number, raw in enumerate(file.questions, 1):
        try:
            stored: StoredQuestion = json.item(raw, StoredQuestion)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            out.skip(number, str(error))
            continue
        notes: list[str] = []
        out.take(number, _draft(stored, notes, out.pictures), *notes)


def _draft(stored: StoredQuestion, notes: list[str], allowance: Allowance) -> Draft:
    return Draft(
        prompt=stored.prompt,
        options=tuple(Option(choice.text, choice.correct) for choice in stored.choices),
        kind=stored.kind,
        time_limit_s=stored.time_limit_seconds,
        weight=stored.weight,
        explanation=stored.explanation,
        picture=_picture(stored.picture, notes, allowance),
        key=drafts.clean(stored.key),
    )


def _picture(stored: StoredPicture | None, notes: list[str], allowance: Allowance) -> Picture | None:
    if stored is None:
        return None
    found = Picture(stored.data, stored.mime, drafts.clean(stored.alt)[:200])
    try:
        return pictures.unsealed(found, stored.seal, allowance)
    except pictures.PictureError as error:
        notes.append(str(error))
        return None


parse = importer("halyard", "question", _read)
