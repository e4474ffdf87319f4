"""rooms.views.question_sets: what a host may choose from is what it may play, and nobody else's list."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from rooms import views
from rooms.questions import sets
from rooms.questions.models import Question, QuestionSet

pytestmark = pytest.mark.django_db

URL = "/api/sets"


def a_set(title: str, questions: int = 1, **fields: object) -> QuestionSet:
    """A stored set with so many questions."""
    made = QuestionSet.objects.create(title=title, **fields)
    Question.objects.bulk_create(Question(question_set=made, prompt=f"{n}?") for n in range(questions))
    return made


def signed_in(name: str) -> tuple[Client, object]:
    """A browser of somebody who is signed in, and who it is."""
    user = get_user_model().objects.create_user(name)
    client = Client()
    client.force_login(user)
    return client, user


def titles(client: Client) -> list[str]:
    return [each["title"] for each in client.get(URL).json()["sets"]]


def test_a_host_sees_own_and_public_sets_own_ones_first() -> None:
    """With what a chooser shows of each: title, size, whose."""
    client, ana = signed_in("ana")
    _, ben = signed_in("ben")
    public = a_set("Alps", 3, public=True)
    own = a_set("Rivers", 2, owner=ana)
    a_set("Ben’s", owner=ben)
    theirs = a_set("Planets", owner=ben, public=True)
    assert client.get(URL).json() == {
        "sets": [
            {"id": own.public_id, "title": "Rivers", "count": 2, "own": True},
            {"id": public.public_id, "title": "Alps", "count": 3, "own": False},
            {"id": theirs.public_id, "title": "Planets", "count": 1, "own": False},
        ]
    }


def test_without_signing_in_there_are_the_public_ones() -> None:
    """A set without an owner is the site's own, and nobody's "own"."""
    a_set("Alps", public=True)
    _, ben = signed_in("ben")
    a_set("Ben’s", owner=ben)
    assert [(each["title"], each["own"]) for each in Client().get(URL).json()["sets"]] == [("Alps", False)]


def test_whatever_is_listed_may_be_played_and_the_other_way_round() -> None:
    """One rule for the list and for the room: what can be chosen is never refused afterwards."""
    client, ana = signed_in("ana")
    _, ben = signed_in("ben")
    made = [
        a_set("a", owner=ana),
        a_set("b", owner=ben),
        a_set("c", public=True),
        a_set("d", owner=ben, public=True),
    ]
    account = f"user:{ana.pk}"  # type: ignore[attr-defined]
    playable = {each.title for each in made if sets.may_play(each.public_id, account)}
    assert set(titles(client)) == playable == {"a", "c", "d"}


def test_a_set_without_questions_is_not_offered() -> None:
    """It would only be refused at the start."""
    client, ana = signed_in("ana")
    a_set("Empty", 0, owner=ana)
    assert titles(client) == []


def test_a_long_list_ends_with_other_peoples_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut, and the host's own ones are not what is cut off."""
    monkeypatch.setattr(views, "MOST_SETS", 2)
    client, ana = signed_in("ana")
    for title in ("A", "B", "C"):
        a_set(title, public=True)
    a_set("Mine", owner=ana)
    assert titles(client) == ["Mine", "A"]


def test_the_list_is_kept_by_no_cache_and_written_by_nobody() -> None:
    """It is one person's, and it may be another one in a minute."""
    assert Client().get(URL).headers["Cache-Control"] == "private, no-store"
    assert Client().post(URL).status_code == 405
