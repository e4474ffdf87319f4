"""Every file that can be read goes the whole way: imported, edited, brought again, played, exported.

Through the doors that people use: the command, the admin's pages, a whole game in the engine.
"""

import io
import json
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from rooms.core.effects import Answer
from rooms.core.messages import SubmitAnswer
from rooms.core.questions import Question, SetSource
from rooms.questions import importers, models, sources, storing
from rooms.questions.drafts import Draft
from rooms.questions.exporters.kahoot import ANSWERS, SECONDS
from rooms.questions.models import QuestionSet
from tests.rooms.games import Party
from tests.rooms.questions.files import FILES, expected, name
from tests.rooms.questions.kit import filled_form, without_keys

pytestmark = pytest.mark.django_db

BROUGHT = [path for path in FILES if expected(path).get("questions")]
UPLOAD = reverse("admin:rooms_questionset_import")
LIST = reverse("admin:rooms_questionset_changelist")


@pytest.fixture
def ana() -> Client:
    """The browser of somebody who may edit all sets."""
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("ana"))
    return client


@pytest.fixture(params=BROUGHT, ids=name)
def path(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def command(path: Path, *options: str) -> dict[str, Any]:
    """Import by the command as Ana's; what it says."""
    out = io.StringIO()
    call_command("import_questions", str(path), "--owner", "ana", "--format", "json", *options, stdout=out)
    said: dict[str, Any] = json.loads(out.getvalue())
    return said


def by_hand(client: Client, data: bytes, file_name: str, **choice: Any) -> Any:
    """Upload in the admin and import as the page proposes, unless a choice is made; the page is returned."""
    answer = client.post(UPLOAD, {"file": SimpleUploadedFile(file_name, data)})
    preview = client.get(answer["Location"])
    initial = preview.context["form"].initial
    into = "" if initial["into"] is None else initial["into"].pk
    client.post(answer["Location"], {"title": initial["title"], "into": into, **choice, "_save": "1"})
    return preview


def told(said: dict[str, Any]) -> list[int]:
    """Numbers of questions: new, changed, removed, as they were."""
    changes = said["changes"]
    return [*(len(changes[name]) for name in ("added", "changed", "removed")), changes["unchanged"]]


def test_the_command_looks_then_imports_then_finds_the_set_again(path: Path, ana: Client) -> None:
    """A dry run reports the same and stores nothing; the second time nothing is new."""
    count = len(expected(path)["questions"])
    dry = command(path, "--dry-run")
    assert not QuestionSet.objects.exists()
    first = command(path)
    assert first["report"] == dry["report"]
    assert told(first) == told(dry) == [count, 0, 0, 0]
    assert told(command(path)) == [0, 0, 0, count]
    (question_set,) = QuestionSet.objects.all()
    assert (question_set.owner.username, question_set.questions.count()) == ("ana", count)
    assert without_keys(storing.drafts_of(question_set)) == without_keys(
        importers.parse(path.read_bytes()).questions
    )


def test_the_admin_shows_what_the_command_reports_and_imports_it_once(path: Path, ana: Client) -> None:
    """Each entry with its remarks, each question; the same file from either door is the same set."""
    page = by_hand(ana, path.read_bytes(), path.name)
    shown = page.content.decode()
    report = page.context["imported"].report
    assert [[entry.number, entry.outcome, entry.text, *entry.notes] for entry in report.entries] == expected(
        path
    )["entries"]
    assert shown.count("<tr><td>") == len(report.entries)
    count = len(expected(path)["questions"])
    again = by_hand(ana, path.read_bytes(), path.name)
    assert again.context["form"].initial["into"] == QuestionSet.objects.get()
    assert again.context["changes"].unchanged == count
    assert told(command(path)) == [0, 0, 0, count]
    assert models.Question.objects.count() == count
    with_picture = sum("picture" in question for question in expected(path)["questions"])
    assert models.Picture.objects.count() == shown.count("(with a picture)") == with_picture


def test_every_question_opens_is_edited_and_comes_back_with_the_file(path: Path, ana: Client) -> None:
    """All pages open; an edit is kept until the file is imported again, which brings back its own words."""
    command(path)
    before = storing.drafts_of(QuestionSet.objects.get())
    for row in models.Question.objects.all():
        page = ana.get(reverse("admin:rooms_question_change", args=[row.pk]))
        answer = ana.post(
            page.request["PATH_INFO"], {**filled_form(page), "explanation": f"Edited {row.pk}."}
        )
        assert answer.status_code == 302, answer.context["errors"]
    edited = storing.drafts_of(QuestionSet.objects.get())
    assert all(draft.explanation.startswith("Edited ") for draft in edited)
    assert _but("explanation", edited) == _but("explanation", before)
    assert told(command(path)) == [0, len(before), 0, 0]
    assert storing.drafts_of(QuestionSet.objects.get()) == before


def test_a_game_of_it_is_played_to_the_end(path: Path, ana: Client) -> None:
    """Every question is asked as the file has it; who takes the right answers has all of them right."""
    set_id = command(path)["set"]
    kept: dict[str, list[set[tuple[str, bool]]]] = defaultdict(list)
    for draft in importers.parse(path.read_bytes()).questions:
        kept[draft.prompt].append({(option.text, option.correct) for option in draft.options})
    drawn = sources.draw(SetSource(set_id), 500, seed=7)
    for question in drawn:
        options = {(choice.text, choice.id in question.correct) for choice in question.choices}
        kept[question.prompt].remove(options)
    assert not any(kept.values())
    party = Party("Ana", "Ben", asked=drawn, question_count=len(drawn)).starts()
    for question in drawn:
        _takes_the_right_ones(party, question)
    report = party.report
    assert report.finished
    assert [question.id for question in report.questions] == [question.id for question in drawn]
    (ben,) = (player for player in report.players if player.name == "Ben")
    assert ben.correct == len(drawn)


def _takes_the_right_ones(party: Party, question: Question) -> None:
    ben = party.called("Ben")
    party.after(1.0)
    assert party.question_id == question.id
    ben.tell(Answer(ben.conn_id, SubmitAnswer(question.id, tuple(sorted(question.correct))), None))
    while party.phase == "question":
        party.after(1.0)
    party.after(5.01)


HOLDS: dict[str, dict[str, Any]] = {
    "halyard": {},
    "gift": {"time_limit_s": None, "weight": 1.0, "picture": None},
    "kahoot": {"weight": 1.0, "picture": None, "explanation": ""},
}
"""Each format, and what is left of a question of which it holds not everything."""


@pytest.mark.parametrize("format_", HOLDS)
def test_what_is_exported_comes_back_the_same(path: Path, format_: str, ana: Client) -> None:
    """As far as the format holds it; Halyard's own holds all, and comes back into its set."""
    command(path)
    question_set = QuestionSet.objects.get()
    kept = storing.drafts_of(question_set)
    answer = ana.post(LIST, {"action": f"export_{format_}", "_selected_action": [question_set.pk]})
    page = by_hand(ana, answer.content, "exported.file", title="Back")
    found = page.context["imported"].questions
    if format_ == "halyard":
        assert page.context["form"].initial["into"] == question_set
        assert found == kept == storing.drafts_of(question_set)
        assert QuestionSet.objects.count() == 1
    else:
        assert without_keys(found) == without_keys(
            _held(draft, format_) for draft in kept if _fits(draft, format_)
        )
        assert QuestionSet.objects.count() == 2


def _fits(draft: Draft, format_: str) -> bool:
    return format_ != "kahoot" or len(draft.options) <= ANSWERS


def _held(draft: Draft, format_: str) -> Draft:
    changes = HOLDS[format_]
    right = sum(option.correct for option in draft.options)
    if format_ == "kahoot" and draft.kind == "multiple" and right == 1:
        changes = {**changes, "kind": "single"}
    if format_ == "kahoot" and (seconds := draft.time_limit_s) is not None:
        longest_first = reversed(SECONDS)
        changes = {**changes, "time_limit_s": min(longest_first, key=lambda known: abs(known - seconds))}
    return msgspec.structs.replace(draft, **changes)


def _but(name: str, found: tuple[Draft, ...]) -> list[Draft]:
    return [msgspec.structs.replace(draft, **{name: ""}) for draft in found]


def test_the_same_file_under_another_name_is_another_set(ana: Client, tmp_path: Path) -> None:
    """Nobody's older set is overwritten because two files look alike."""
    path = next(path for path in BROUGHT if path.suffix == ".xlsx")
    command(path)
    copy = shutil.copy(path, tmp_path / "copy.xlsx")
    command(Path(copy))
    assert QuestionSet.objects.count() == 2
