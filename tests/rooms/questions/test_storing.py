"""From an import to rows and back: all or nothing, and the same file updates the set that it made."""

from typing import Any

import msgspec
import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError
from hypothesis import given
from hypothesis.extra.django import TestCase

from rooms.questions import exporters, importers, models, pictures, storing
from rooms.questions.drafts import Draft, Option
from rooms.questions.importers import Imported, Report
from rooms.questions.models import QuestionSet
from tests.rooms.questions.kit import kahoot, picture_file, questions, sheaves

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> Any:
    return get_user_model().objects.create_user("teacher")


def file(*prompts: str) -> Imported:
    """A spreadsheet of these questions."""
    return importers.parse(kahoot(*[(prompt, "a", "b", None, None, 20, 1) for prompt in prompts]))


def stored(imported: Imported, owner: Any, title: str = "Round") -> QuestionSet:
    """Import as the command does."""
    return storing.save(imported, storing.find(imported, owner, title, "quiz.xlsx"))[0]


def prompts(question_set: QuestionSet) -> list[str]:
    return list(question_set.questions.values_list("prompt", flat=True))


class RoundTrip(TestCase):
    @given(sheaves(questions(most_options=16)))
    def test_what_is_stored_comes_back_the_same(self, found: tuple[Draft, ...]) -> None:
        """Every text, number and order."""
        imported = Imported(found, Report("halyard", "question"))
        question_set = stored(imported, None, "x")
        assert storing.drafts_of(question_set) == found
        assert storing.compare(imported, question_set).unchanged == len(found)


def test_the_same_file_again_changes_nothing(owner: Any) -> None:
    first = stored(file("One?", "Two?"), owner)
    keys = set(first.questions.values_list("pk", flat=True))
    second, changes = storing.save(file("One?", "Two?"), storing.find(file(), owner, "Round", "quiz.xlsx"))
    assert (second.pk, set(second.questions.values_list("pk", flat=True))) == (first.pk, keys)
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == ((), (), (), 2)


def test_a_mended_file_updates_its_set(owner: Any) -> None:
    """What was changed, added and taken out, in the file's new order; nothing twice."""
    first = stored(file("One?", "Two?", "Three?"), owner)
    mended = importers.parse(
        kahoot(
            ("Four?", "a", "b", None, None, 20, 1),
            ("One?", "a", "c", None, None, 30, 2),
            ("Two?", "a", "b", None, None, 20, 1),
        )
    )
    target = storing.find(mended, owner, "Round", "quiz.xlsx")
    planned = storing.compare(mended, target.into)
    second, changes = storing.save(mended, target)
    assert second == first
    assert planned == changes
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == (
        ("Four?",),
        ("One?",),
        ("Three?",),
        1,
    )
    assert prompts(second) == ["Four?", "One?", "Two?"]
    assert storing.drafts_of(second)[1].time_limit_s == 30


def test_what_was_written_by_hand_stays_behind_what_the_file_brings(owner: Any) -> None:
    first = stored(file("One?"), owner)
    mine = models.Question.objects.create(question_set=first, prompt="Mine?", position=0)
    for text in "ab":
        models.Choice.objects.create(question=mine, text=text, correct=text == "a")
    assert prompts(stored(file("Two?", "Three?"), owner)) == ["Two?", "Three?", "Mine?"]


def test_another_title_file_or_owner_is_another_set(owner: Any) -> None:
    other = get_user_model().objects.create_user("other")
    imported = file("One?")
    first = stored(imported, owner)
    assert stored(imported, owner, "Other") != first
    assert stored(imported, other) != first
    assert storing.find(imported, owner, "Round", "other.xlsx").into is None
    assert storing.find(imported, None, "Round", "quiz.xlsx").into is None


def test_an_exported_set_comes_back_into_itself(owner: Any) -> None:
    """Whatever the file is called now; but never into somebody else's."""
    first = stored(file("One?"), owner)
    again = importers.parse(exporters.FORMATS["halyard"](storing.sheaf_of(first)).content)
    assert storing.find(again, owner, "", "renamed.json").into == first
    assert storing.find(again, get_user_model().objects.create_user("thief"), "", "renamed.json").into is None


@pytest.mark.parametrize(
    ("given_title", "own_title", "file_name", "title"),
    [
        ("Mine", "Its own", "quiz.xlsx", "Mine"),
        ("", "Its own", "quiz.xlsx", "Its own"),
        ("   ", "  ", "quiz.xlsx", "quiz"),
        ("", "", "", "Questions"),
        ("T" * 500, "", "", "T" * 199 + "…"),
        ("🇨🇭 Geografie", "", "", "🇨🇭 Geografie"),
        ("\x00a\nb", "", "", "a b"),
    ],
)
def test_every_set_has_a_title(given_title: str, own_title: str, file_name: str, title: str) -> None:
    imported = msgspec.structs.replace(file("One?"), title=own_title)
    question_set, _changes = storing.save(imported, storing.find(imported, None, given_title, file_name))
    question_set.refresh_from_db()
    assert question_set.title == title


def test_an_import_that_fails_leaves_nothing_behind(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing half-saved: neither a new set nor half of an updated one."""
    first = stored(file("One?", "Two?"), owner)
    write = storing._write

    def broken(row: models.Question, draft: Draft, position: int) -> None:
        if draft.prompt == "Broken?":
            raise IntegrityError
        write(row, draft, position)

    monkeypatch.setattr(storing, "_write", broken)
    for title in ("Round", "New"):
        with pytest.raises(IntegrityError):
            stored(file("Three?", "Broken?"), owner, title)
    assert QuestionSet.objects.count() == 1
    assert prompts(first) == ["One?", "Two?"]


def test_a_picture_that_is_the_same_keeps_its_address(owner: Any) -> None:
    """And one that goes or changes leaves no orphan."""
    red, blue = pictures.encoded(picture_file()), pictures.encoded(picture_file(size=(9, 9)))
    draft = Draft("Q?", (Option("a", True), Option("b")), key="k")

    def with_(picture: Any) -> str | None:
        imported = Imported((msgspec.structs.replace(draft, picture=picture),), Report("x", "row"))
        row = stored(imported, owner).questions.get()
        assert models.Picture.objects.count() == (picture is not None)
        return row.picture and row.picture.name

    first = with_(red)
    assert with_(red) == first
    assert with_(blue) not in (first, None)
    assert with_(None) is None
    with_(red)
    QuestionSet.objects.all().delete()
    assert not models.Picture.objects.exists()


def test_the_sites_own_set_is_public(owner: Any) -> None:
    """Without an owner nobody else could play it; somebody's own is private at first."""
    assert stored(file("One?"), None).public
    assert not stored(file("One?"), owner).public


def test_a_large_set_is_stored_whole(owner: Any) -> None:
    found = file(*[f"Question {number}?" for number in range(500)])
    assert stored(found, owner).questions.count() == 500
