"""A set as this project's own JSON, with everything; the types are those of ``importers.own``."""

import msgspec

from rooms.questions import drafts, pictures
from rooms.questions.drafts import Draft
from rooms.questions.exporters.base import Exported, Sheaf
from rooms.questions.importers.own import (
    FORMAT,
    VERSION,
    StoredChoice,
    StoredPicture,
    StoredQuestion,
    StoredSet,
)


def write(sheaf: Sheaf) -> Exported:
    """The whole set, readable and comparable line by line."""
    stored = StoredSet(
        FORMAT,
        VERSION,
        [msgspec.Raw(msgspec.json.encode(_question(draft))) for draft in sheaf.questions],
        id=sheaf.set_id,
        title=sheaf.title,
        description=sheaf.description,
        attribution=sheaf.attribution,
    )
    content = msgspec.json.format(msgspec.json.encode(stored), indent=2) + b"\n"
    return Exported(content, "application/json", "json")


def _question(draft: Draft) -> StoredQuestion:
    return StoredQuestion(
        prompt=draft.prompt,
        choices=tuple(StoredChoice(option.text, option.correct) for option in draft.options),
        kind=draft.kind,
        time_limit_seconds=draft.time_limit_s,
        weight=draft.weight,
        explanation=draft.explanation,
        picture=_picture(draft.picture),
        key=draft.key,
    )


def _picture(picture: drafts.Picture | None) -> StoredPicture | None:
    if picture is None:
        return None
    return StoredPicture(picture.mime, picture.data, picture.alt, pictures.seal(picture))
