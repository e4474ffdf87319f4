"""``manage.py import_questions``: one file, one set, one report."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from rooms.questions.models import QuestionSet
from tests.rooms.questions.kit import kahoot

pytestmark = pytest.mark.django_db

GOOD = ("Capital?", "Lima", "Quito", None, None, 20, 1)
BAD = ("No key?", "a", "b", None, None, 20, None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Round one.xlsx"
    path.write_bytes(kahoot(GOOD, BAD))
    return path


def run(file: Path, *options: str) -> str:
    """What the command says."""
    out = io.StringIO()
    call_command("import_questions", str(file), *options, stdout=out)
    return out.getvalue()


def test_a_file_becomes_the_sites_own_public_set(file: Path) -> None:
    """The report names row and reason of what was skipped."""
    said = run(file)
    question_set = QuestionSet.objects.get()
    assert (question_set.title, question_set.owner, question_set.public) == ("Round one", None, True)
    assert "row 10: skipped: No key?\n    no answer is marked as right" in said
    assert "1 taken, 1 skipped" in said
    assert question_set.public_id in said


def test_it_may_be_somebodys(file: Path) -> None:
    owner = get_user_model().objects.create_user("ana")
    run(file, "--owner", "ana", "--title", "Mine")
    question_set = QuestionSet.objects.get()
    assert (question_set.owner, question_set.title, question_set.public) == (owner, "Mine", False)


def test_a_dry_run_stores_nothing_and_says_the_same(file: Path) -> None:
    said = run(file, "--dry-run")
    assert "1 taken, 1 skipped" in said
    assert "Nothing was stored" in said
    assert not QuestionSet.objects.exists()


def test_the_same_file_again_updates_its_set(file: Path) -> None:
    run(file)
    file.write_bytes(kahoot(GOOD, (*BAD[:6], 2)))
    assert "1 new, 0 changed, 0 removed, 1 as they were" in run(file)
    assert QuestionSet.objects.get().questions.count() == 2


def test_a_set_may_be_named(file: Path, tmp_path: Path) -> None:
    """Another file into the same set: its imported questions are the new file's."""
    run(file)
    other = tmp_path / "other.csv"
    other.write_bytes(b"Question,A,B,Correct\nColour?,red,blue,A\n")
    run(other, "--set", QuestionSet.objects.get().public_id)
    assert [question.prompt for question in QuestionSet.objects.get().questions.all()] == ["Colour?"]


def test_the_report_as_json_is_complete(file: Path) -> None:
    said: dict[str, Any] = json.loads(run(file, "--format", "json"))
    assert (said["set"], said["dryRun"]) == (QuestionSet.objects.get().public_id, False)
    assert said["changes"] == {"added": ["Capital?"], "changed": [], "removed": [], "unchanged": 0}
    assert [entry["outcome"] for entry in said["report"]["entries"]] == ["taken", "skipped"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--owner", "nobody"], "there is no user 'nobody'"),
        (["--set", "gone"], "there is no question set 'gone'"),
    ],
)
def test_an_owner_or_set_that_does_not_exist_is_an_error(file: Path, options: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        run(file, *options)


def test_somebody_elses_set_is_not_updated(file: Path) -> None:
    get_user_model().objects.create_user("ana")
    run(file)
    with pytest.raises(CommandError, match="of this owner"):
        run(file, "--owner", "ana", "--set", QuestionSet.objects.get().public_id)


def test_a_file_without_a_usable_question_is_an_error_after_its_report(tmp_path: Path) -> None:
    file = tmp_path / "bad.xlsx"
    file.write_bytes(kahoot(BAD))
    with pytest.raises(CommandError, match="nothing was stored"):
        run(file)
    assert not QuestionSet.objects.exists()


@pytest.mark.parametrize("content", [None, b"", b"Hello"])
def test_a_file_that_cannot_be_read_is_an_error_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "x.csv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError, match=r"x\.csv: "):
        run(file)
