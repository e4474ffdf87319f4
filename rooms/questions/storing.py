"""Between drafts and rows: keep what an importer found, give exporters what is kept.

One transaction: all of an import is stored, or nothing. The same file updates the set that it made. Imports
are stored one after another, so that two at the same moment are like two in a row. Formats are in
``importers`` and ``exporters``.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from msgspec import Struct

from rooms.questions import drafts
from rooms.questions.drafts import Draft, Option
from rooms.questions.exporters import Sheaf
from rooms.questions.importers import Imported
from rooms.questions.models import TITLE_MAX, Choice, Picture, Question, QuestionSet

NAME_MAX: Final = 255


class Changes(Struct, frozen=True):
    """What an import does to a set, by the beginnings of the questions' texts."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0


class Target(Struct, frozen=True):
    """Where an import goes: the set ``into``, or a new one of ``owner`` (None: the site's own).

    ``apart``: a new one even if the same file has made a set before.
    """

    owner: Any
    title: str
    source_name: str = ""
    into: QuestionSet | None = None
    apart: bool = False


# ---------- where an import goes


def find(imported: Imported, owner: Any, title: str, file_name: str) -> Target:
    """The set that this file made before, of the same owner and title; else a new one.

    An exported file names its set itself.
    """
    source_name = drafts.clean(file_name)[-NAME_MAX:]
    named = (drafts.shown(title, TITLE_MAX), drafts.shown(imported.title, TITLE_MAX), _stem(source_name))
    used = next((name for name in named if name), _("Questions"))
    return _found(imported, Target(owner, used, source_name))


def _found(imported: Imported, target: Target) -> Target:
    """With the set that the file names or has made, if there is one."""
    sets = QuestionSet.objects.filter(owner=target.owner)
    into = sets.filter(public_id=imported.set_id).first() if imported.set_id else None
    if into is None and target.source_name:
        into = sets.filter(source_name=target.source_name, title=target.title).first()
    return msgspec.structs.replace(target, into=into)


def compare(imported: Imported, into: QuestionSet | None) -> Changes:
    """What `save` would do."""
    kept = {draft.key: draft for draft in drafts_of(into)} if into is not None else {}
    removable = set(into.questions.filter(imported=True).values_list("key", flat=True)) if into else set()
    found = {draft.key: draft for draft in imported.questions}
    return Changes(
        added=_shown(draft for key, draft in found.items() if key not in kept),
        changed=_shown(draft for key, draft in found.items() if key in kept and kept[key] != draft),
        removed=_shown(draft for key, draft in kept.items() if key in removable and key not in found),
        unchanged=sum(kept.get(key) == draft for key, draft in found.items()),
    )


# ---------- keeping


def save(imported: Imported, target: Target) -> tuple[QuestionSet, Changes]:
    """Store the questions; those that a former import brought and this one doesn't are removed."""
    with transaction.atomic():
        _wait_for_turn()
        into = _into(imported, target)
        changes = compare(imported, into)
        into.source_name = target.source_name
        into.save()
        _replace(into, imported.questions)
    return into, changes


def _wait_for_turn() -> None:
    """The whole transaction is the turn, for another import may be making the very set that this one needs.

    A row is written that always exists, which the set and its owner need not, and that nobody else writes:
    on every database this waits for whoever wrote it and has not committed yet.
    """
    mine = {"app_label": QuestionSet._meta.app_label, "model": QuestionSet._meta.model_name}
    ContentType.objects.filter(**mine).update(**mine)


def _into(imported: Imported, target: Target) -> QuestionSet:
    """As things are now: what was found may be gone, what was missing may be there."""
    into = None if target.into is None else QuestionSet.objects.filter(pk=target.into.pk).first()
    if into is None and not target.apart:
        into = _found(imported, target).into
    return into or QuestionSet.objects.create(
        owner=target.owner,
        public=target.owner is None,
        title=target.title,
        description=imported.description,
        attribution=imported.attribution,
    )


def _replace(into: QuestionSet, questions: Sequence[Draft]) -> None:
    keys = {draft.key for draft in questions}
    for gone in into.questions.filter(imported=True).exclude(key__in=keys):
        gone.delete()
    rows = {row.key: row for row in into.questions.select_related("picture")}
    # What was written here and is not in the file comes after it.
    for position, row in enumerate((row for key, row in rows.items() if key not in keys), len(questions)):
        Question.objects.filter(pk=row.pk).update(position=position)
    for position, draft in enumerate(questions):
        _write(rows.get(draft.key) or Question(question_set=into, key=draft.key), draft, position)


def _write(row: Question, draft: Draft, position: int) -> None:
    row.position = position
    row.imported = True
    row.kind = draft.kind
    row.prompt = draft.prompt
    row.explanation = draft.explanation
    row.time_limit_s = draft.time_limit_s
    row.weight = Decimal(str(draft.weight))
    _write_picture(row, draft.picture)
    row.save()
    row.choices.all().delete()
    Choice.objects.bulk_create(
        Choice(question=row, position=number, text=option.text, correct=option.correct)
        for number, option in enumerate(draft.options)
    )


def _write_picture(row: Question, picture: drafts.Picture | None) -> None:
    """A picture that is the same keeps its address."""
    old = row.picture
    if old is not None and picture == _picture(old):
        return
    row.picture = None
    if picture is not None:
        row.picture = Picture.objects.create(data=picture.data, mime=picture.mime, alt=picture.alt)
    if old is not None:
        old.delete()


def next_position(question_set: QuestionSet) -> int:
    """Behind the last question."""
    last = question_set.questions.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


# ---------- giving back


def drafts_of(question_set: QuestionSet) -> tuple[Draft, ...]:
    """All questions of the set in their order."""
    rows = question_set.questions.select_related("picture").prefetch_related("choices")
    return tuple(_draft(row) for row in rows)


def sheaf_of(question_set: QuestionSet) -> Sheaf:
    """The set for an exporter."""
    return Sheaf(
        drafts_of(question_set),
        title=question_set.title,
        description=question_set.description,
        attribution=question_set.attribution,
        set_id=question_set.public_id,
    )


def _draft(row: Question) -> Draft:
    return Draft(
        prompt=row.prompt,
        options=tuple(Option(choice.text, choice.correct) for choice in row.choices.all()),
        kind=msgspec.convert(row.kind, drafts.Kind),
        time_limit_s=row.time_limit_s,
        weight=float(row.weight),
        explanation=row.explanation,
        picture=None if row.picture is None else _picture(row.picture),
        key=row.key,
    )


def _picture(row: Picture) -> drafts.Picture:
    return drafts.Picture(bytes(row.data), row.mime, row.alt)


def _shown(found: Iterable[Draft]) -> tuple[str, ...]:
    return tuple(drafts.shown(draft.prompt) for draft in found)


def _stem(file_name: str) -> str:
    return drafts.shown(file_name.rpartition("/")[2].rpartition(".")[0] or file_name, TITLE_MAX)
