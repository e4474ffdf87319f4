"""Question sets in the admin: whose they are; edited, imported, exported; and what the log says."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from rooms.questions import importers, models, storing
from rooms.questions.models import Question, QuestionSet, Upload
from tests.rooms.questions.kit import filled_form, kahoot, picture_file, right

pytestmark = pytest.mark.django_db

LIST = reverse("admin:rooms_questionset_changelist")
UPLOAD = reverse("admin:rooms_questionset_import")
EVERY = ("view", "add", "change", "delete")
GOOD = ("Is a < b?", "<b>Lima</b>", "Quito", None, None, 20, 1)
BAD = ("No key?", "a", "b", None, None, 20, None)


def staff(name: str = "ana", *actions: str) -> Client:
    """A browser of staff with these permissions on question sets, all of them unless told."""
    user = get_user_model().objects.create_user(name, is_staff=True)
    names = [f"{action}_questionset" for action in actions or EVERY]
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))
    client = Client()
    client.force_login(user)
    return client


def root() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    return client


def made(owner: str | None, title: str = "Set", *rows: Any) -> QuestionSet:
    """A set of somebody's."""
    user = None if owner is None else get_user_model().objects.get(username=owner)
    imported = importers.parse(kahoot(*(rows or (GOOD,))))
    return storing.save(imported, storing.Target(user, title, "quiz.xlsx"))[0]


def page_of(thing: QuestionSet | Question) -> str:
    return reverse(f"admin:rooms_{thing._meta.model_name}_change", args=[thing.pk])


def question_form(question_set: QuestionSet, *answers: tuple[str, bool], **more: Any) -> dict[str, Any]:
    """What a browser sends for a question."""
    data = {
        "question_set": question_set.pk,
        "position": 0,
        "kind": "single",
        "prompt": "Q?",
        "weight": "1",
        "time_limit_s": "",
        "explanation": "",
        "picture_alt": "",
        "choices-TOTAL_FORMS": len(answers),
        "choices-INITIAL_FORMS": 0,
        "choices-MIN_NUM_FORMS": 2,
        "choices-MAX_NUM_FORMS": 16,
    }
    for number, (text, correct) in enumerate(answers):
        data |= {f"choices-{number}-position": number, f"choices-{number}-text": text}
        data |= {f"choices-{number}-correct": "on"} if correct else {}
    return {**data, **more}


def add(client: Client, data: dict[str, Any]) -> Any:
    return client.post(reverse("admin:rooms_question_add"), data)


AB = (("a", True), ("b", False))


# ---------- whose sets they are


def test_staff_see_and_edit_their_own_sets_and_no_others() -> None:
    """Neither in the list nor by an address, public or not; superusers see all."""
    ana, ben, boss = staff("ana"), staff("ben"), root()
    mine, site = made("ana", "Mine"), made(None, "Site's")
    assert "Mine" in ana.get(LIST).content.decode()
    assert "Mine" not in ben.get(LIST).content.decode()
    assert "Site&#x27;s" not in ben.get(LIST).content.decode()
    for thing in (mine, mine.questions.get(), site):
        assert ben.get(page_of(thing)).status_code == 302
        assert ben.post(page_of(thing), {"title": "Stolen"}).status_code == 302
        assert boss.get(page_of(thing)).status_code == 200
    mine.refresh_from_db()
    assert mine.title == "Mine"


def test_what_staff_make_is_theirs_and_cannot_be_given_away() -> None:
    ana = staff("ana")
    ben = get_user_model().objects.create_user("ben")
    data = {"title": "New", "description": "", "attribution": "", "owner": ben.pk, **no_questions()}
    assert ana.post(reverse("admin:rooms_questionset_add"), data).status_code == 302
    question_set = QuestionSet.objects.get()
    assert question_set.owner.username == "ana"
    ana.post(page_of(question_set), {**data, "title": "Newer"})
    question_set.refresh_from_db()
    assert (question_set.title, question_set.owner.username) == ("Newer", "ana")


def no_questions() -> dict[str, Any]:
    return {"questions-TOTAL_FORMS": 0, "questions-INITIAL_FORMS": 0}


def test_a_set_without_an_owner_must_be_public() -> None:
    """Nobody could play it else."""
    data = {"title": "New", "description": "", "attribution": "", "owner": "", **no_questions()}
    response = root().post(reverse("admin:rooms_questionset_add"), data)
    assert "must be public" in response.content.decode()
    assert not QuestionSet.objects.exists()


@pytest.mark.parametrize("actions", [("view",), ("add",), ("delete",)], ids=str)
def test_questions_are_changed_by_who_may_change_their_set(actions: tuple[str, ...]) -> None:
    client = staff("ana", *actions)
    question_set = made("ana")
    assert add(client, question_form(question_set, *AB)).status_code == 403
    assert client.post(page_of(question_set.questions.get()), {}).status_code == 403
    assert question_set.questions.count() == 1


def test_a_question_is_not_put_into_somebody_elses_set() -> None:
    ben = staff("ben")
    staff("ana")
    theirs = made("ana")
    assert "Select a valid choice" in add(ben, question_form(theirs, *AB)).content.decode()
    assert theirs.questions.count() == 1


# ---------- editing


def test_every_page_of_an_imported_set_opens_and_saves() -> None:
    """And saving what is shown changes nothing: line breaks, signs and spaces stay."""
    ana = staff("ana")
    question_set = made("ana", "Set", ("Two\nlines < 1?", "a\nb", " &lt;", "'", None, 20, "1,2"))
    before = storing.drafts_of(question_set)
    question = question_set.questions.get()
    page = ana.get(page_of(question))
    assert page.status_code == 200
    response = ana.post(page_of(question), filled_form(page))
    assert response.status_code == 302, response.context["errors"]
    assert storing.drafts_of(question_set) == before
    assert ana.get(page_of(question_set)).status_code == 200


def test_a_set_of_500_questions_opens_and_saves() -> None:
    """Its questions are links, not fields: a form of thousands of fields is refused."""
    ana = staff("ana")
    rows = [(f"Question {number}?", "a", "b", None, None, 20, 1) for number in range(500)]
    question_set = made("ana", "Big", *rows)
    page = ana.get(page_of(question_set))
    assert page.content.decode().count("Question 4") > 100
    data = {"title": "Bigger", "description": "", "attribution": ""}
    data |= {"questions-TOTAL_FORMS": 500, "questions-INITIAL_FORMS": 500}
    assert ana.post(page_of(question_set), data).status_code == 302
    question_set.refresh_from_db()
    assert (question_set.title, question_set.questions.count()) == ("Bigger", 500)


def test_a_new_question_comes_last_in_the_set_it_was_added_from() -> None:
    ana = staff("ana")
    question_set = made("ana")
    page = ana.get(reverse("admin:rooms_question_add") + f"?question_set={question_set.pk}")
    assert 'name="position" value="1"' in page.content.decode()
    assert add(ana, question_form(question_set, *AB, position=1)).status_code == 302
    assert [draft.prompt for draft in storing.drafts_of(question_set)] == ["Is a < b?", "Q?"]


@pytest.mark.parametrize(
    ("answers", "kind", "reason"),
    [
        ((("a", True),), "single", "there must be 2 to 16"),
        ((("a", False), ("b", False)), "single", "no answer is marked as right"),
        ((("a", True), ("b", True)), "single", "several answers are right"),
        ((("a", True), ("a", True), ("b", False)), "multiple", "there twice"),
        ((("a", True), ("a", False)), "multiple", "both right and wrong"),
        ((("a", True), ("b", False), ("c", False)), "boolean", "there must be two answers"),
    ],
)
def test_what_could_not_be_played_is_not_saved(
    answers: tuple[tuple[str, bool], ...], kind: str, reason: str
) -> None:
    """The rules of an import, in words."""
    ana = staff("ana")
    question_set = made("ana")
    assert reason in add(ana, question_form(question_set, *answers, kind=kind)).content.decode()
    assert question_set.questions.count() == 1


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1", "11", "1e400"])
def test_a_weight_is_a_number_between_0_and_10(value: str) -> None:
    ana = staff("ana")
    question_set = made("ana")
    assert add(ana, question_form(question_set, *AB, weight=value)).status_code == 200
    assert question_set.questions.count() == 1


def test_a_full_set_takes_no_more_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rooms.questions.drafts.MAX_QUESTIONS", 1)
    ana = staff("ana")
    assert "at most 1 questions" in add(ana, question_form(made("ana"), *AB)).content.decode()


# ---------- pictures


def test_a_picture_is_added_described_replaced_and_removed() -> None:
    """A new one has a new address, the old one is gone."""
    ana = staff("ana")
    question_set = made("ana")

    def upload() -> SimpleUploadedFile:
        return SimpleUploadedFile("cat.html", picture_file(), "text/html")

    data = question_form(question_set, *AB, picture_file=upload(), picture_alt="A cat")
    assert add(ana, data).status_code == 302
    question = Question.objects.get(prompt="Q?")
    assert question.picture is not None
    first = question.picture
    assert (first.mime, first.alt) == ("image/png", "A cat")
    assert first.get_absolute_url() in ana.get(page_of(question)).content.decode()

    def changes(**more: Any) -> models.Picture | None:
        found = [(choice.text, choice.correct) for choice in question.choices.all()]
        data = question_form(question_set, *found, **{"picture_alt": "A cat", **more})
        data["choices-INITIAL_FORMS"] = 2
        data |= {f"choices-{n}-id": choice.pk for n, choice in enumerate(question.choices.all())}
        data |= {f"choices-{n}-question": question.pk for n in range(2)}
        assert ana.post(page_of(question), data).status_code == 302
        return Question.objects.get(pk=question.pk).picture

    described = changes(picture_alt="A dog")
    assert described is not None
    assert (described.name, described.alt) == (first.name, "A dog")
    replaced = changes(picture_file=upload())
    assert replaced is not None
    assert replaced.name != first.name
    assert models.Picture.objects.count() == 1
    assert changes(remove_picture="on") is None
    assert not models.Picture.objects.exists()


def test_a_file_that_is_no_picture_is_refused_in_words() -> None:
    ana = staff("ana")
    file = SimpleUploadedFile("cat.png", b"<svg onload=alert(1)>", "image/png")
    response = add(ana, question_form(made("ana"), *AB, picture_file=file))
    assert "not a PNG, JPEG or WebP" in response.content.decode()
    assert not models.Picture.objects.exists()


# ---------- import


def upload(client: Client, data: bytes, name: str = "quiz.xlsx") -> Any:
    """Send a file; the answer leads to the preview."""
    return client.post(UPLOAD, {"file": SimpleUploadedFile(name, data)})


def test_a_file_is_shown_before_anything_is_stored() -> None:
    """With its report and its questions as they would be; texts are shown and never run."""
    ana = staff("ana")
    response = upload(ana, kahoot(GOOD, BAD))
    assert not QuestionSet.objects.exists()
    page = ana.get(response["Location"]).content.decode()
    assert "Is a &lt; b?" in page
    assert "&lt;b&gt;Lima&lt;/b&gt;" in page
    assert "<b>Lima" not in page
    assert "no answer is marked as right" in page
    assert "can be taken: 1; skipped: 1" in page


def test_a_confirmed_import_is_stored_logged_and_its_upload_forgotten() -> None:
    ana = staff("ana")
    preview = upload(ana, kahoot(GOOD, BAD))["Location"]
    response = ana.post(preview, {"title": "Round one", "into": "", "_save": "1"})
    question_set = QuestionSet.objects.get()
    assert response["Location"] == page_of(question_set)
    assert (question_set.title, question_set.owner.username) == ("Round one", "ana")
    entry = LogEntry.objects.get()
    assert entry.is_addition()
    assert "Imported from quiz.xlsx: 1 new, 0 changed, 0 removed." in entry.change_message
    assert not Upload.objects.exists()
    assert ana.get(preview).status_code == 404
    assert "1 question was imported. 1 was skipped." in ana.get(page_of(question_set)).content.decode()


def test_the_same_file_again_offers_to_update_its_set() -> None:
    """Not a copy of it; what would be removed is named."""
    ana = staff("ana")
    ana.post(upload(ana, kahoot(GOOD))["Location"], {"title": "quiz", "into": "", "_save": "1"})
    question_set = QuestionSet.objects.get()
    preview = upload(ana, kahoot(("Other?", *GOOD[1:])))["Location"]
    page = ana.get(preview)
    assert page.context["form"].initial["into"] == question_set
    assert "1 new, 0 changed, 1 removed" in page.content.decode()
    ana.post(preview, {"title": "quiz", "into": question_set.pk, "_save": "1"})
    assert [draft.prompt for draft in storing.drafts_of(QuestionSet.objects.get())] == ["Other?"]
    assert LogEntry.objects.first().is_change()  # type: ignore[union-attr]


def test_looking_again_compares_with_the_chosen_set_and_stores_nothing() -> None:
    ana = staff("ana")
    question_set = made("ana", "Other")
    preview = upload(ana, kahoot(GOOD, ("New?", *GOOD[1:])))["Location"]
    page = ana.post(preview, {"title": "x", "into": question_set.pk, "_look": "1"}).content.decode()
    assert "1 new, 0 changed, 0 removed, 1 as they are" in page
    assert question_set.questions.count() == 1


def test_a_file_is_not_imported_into_somebody_elses_set() -> None:
    ana, ben = staff("ana"), staff("ben")
    theirs = made("ana")
    preview = upload(ben, kahoot(("New?", *GOOD[1:])))["Location"]
    page = ben.post(preview, {"title": "x", "into": theirs.pk, "_save": "1"})
    assert "Select a valid choice" in page.content.decode()
    assert theirs.questions.count() == 1
    assert ana.get(preview).status_code == 404


@pytest.mark.parametrize("data", [b"", b"Hello", b"PK\x03\x04x", b"\xd0\xcf\x11\xe0"])
def test_a_file_that_cannot_be_read_says_why_on_the_form(data: bytes) -> None:
    response = upload(staff("ana"), data)
    assert response.status_code == 200
    assert response.context["form"].errors["file"]
    assert not Upload.objects.exists()


def test_an_import_without_a_usable_question_cannot_be_confirmed() -> None:
    ana = staff("ana")
    preview = upload(ana, kahoot(BAD))["Location"]
    assert 'name="_save"' not in ana.get(preview).content.decode()
    assert ana.post(preview, {"title": "x", "into": "", "_save": "1"}).status_code == 200
    assert not QuestionSet.objects.exists()


@pytest.mark.parametrize("actions", [("view",), ("change",), ("delete",)], ids=str)
def test_importing_needs_the_permission_to_add_sets(actions: tuple[str, ...]) -> None:
    client = staff("ana", *actions)
    assert client.get(UPLOAD).status_code == 403
    assert client.get(reverse("admin:rooms_questionset_preview", args=["x"])).status_code == 403
    assert "Import a file" not in client.get(LIST).content.decode()


def test_a_second_upload_replaces_the_first() -> None:
    """And after some hours nobody's waits any more."""
    ana = staff("ana")
    upload(ana, kahoot(GOOD))
    upload(ana, kahoot(GOOD, BAD))
    assert Upload.objects.count() == 1


# ---------- export

EXPORTS = {"halyard": "my-set.json", "gift": "my-set.gift.txt", "kahoot": "my-set.kahoot.xlsx"}


@pytest.mark.parametrize("format_", EXPORTS)
def test_a_set_is_exported_as_a_file_and_an_entry_of_the_log(format_: str) -> None:
    ana = staff("ana", "view")
    question_set = made("ana", "My set!")
    response = ana.post(LIST, {"action": f"export_{format_}", "_selected_action": [question_set.pk]})
    assert response["Content-Disposition"] == f'attachment; filename="{EXPORTS[format_]}"'
    (question,) = importers.parse(response.content).questions
    assert right(question) == ["<b>Lima</b>"]
    assert LogEntry.objects.get().change_message == f"Exported to {EXPORTS[format_]}."


def test_what_the_file_lacks_is_told() -> None:
    ana = staff("ana")
    question_set = made("ana")
    ana.post(LIST, {"action": "export_gift", "_selected_action": [question_set.pk]})
    assert "The file lacks: 1 “Is a &lt; b?”: the time limit" in ana.get(LIST).content.decode()


def test_somebody_elses_set_is_not_exported() -> None:
    ben = staff("ben")
    staff("ana")
    theirs = made("ana")
    response = ben.post(LIST, {"action": "export_halyard", "_selected_action": [theirs.pk]})
    assert "Content-Disposition" not in response
    assert not LogEntry.objects.exists()


def test_two_sets_are_two_files() -> None:
    ana = staff("ana")
    sets = [made("ana", title).pk for title in ("A", "B")]
    assert ana.post(LIST, {"action": "export_halyard", "_selected_action": sets}).status_code == 302
    assert "Choose one set" in ana.get(LIST).content.decode()
