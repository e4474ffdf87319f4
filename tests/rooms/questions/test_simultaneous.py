"""Imports at the same moment, on a real SQLite file: as if one had been made after the other."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection, connections
from django.test import Client
from django.urls import reverse

from rooms.questions import importers, storing
from rooms.questions.importers import Imported
from rooms.questions.models import Question, QuestionSet, Upload
from rooms.questions.storing import Changes
from tests.rooms.questions.kit import kahoot

PATIENCE_S = 20.0
"""No test waits so long; one that does has failed."""

Result = TypeVar("Result")


@contextmanager
def database(path: Path, transaction_mode: str | None) -> Iterator[None]:
    """This file as the database of the process, for every thread that asks from now on."""
    settings, mine = connections.settings["default"], connections["default"]
    options = {**settings["OPTIONS"], "timeout": PATIENCE_S, "transaction_mode": transaction_mode}
    del connections["default"]
    connections.settings["default"] = {**settings, "NAME": str(path), "OPTIONS": options}
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"] = settings
        connections["default"] = mine


# None is SQLite's own way, and so that of a project with settings of its own: a writer begins as a reader.
@pytest.fixture(params=["IMMEDIATE", None])
def file(
    request: pytest.FixtureRequest, tmp_path: Path, django_db_setup: None, django_db_blocker: Any
) -> Iterator[None]:
    """An empty database in a file."""
    with django_db_blocker.unblock(), database(tmp_path / "halyard.sqlite3", request.param):
        call_command("migrate", verbosity=0)
        yield


def both(work: Callable[[threading.Barrier, int], Result]) -> list[Result]:
    """What comes of two threads, which can wait for each other."""
    barrier = threading.Barrier(2, timeout=PATIENCE_S)

    def one(number: int) -> Result:
        try:
            return work(barrier, number)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(one, range(2), timeout=PATIENCE_S))


def quiz(*prompts: str) -> Imported:
    return importers.parse(kahoot(*[(prompt, "a", "b", None, None, 20, 1) for prompt in prompts]))


EIGHTY = tuple(f"Question {number}?" for number in range(80))
"""Enough that two transactions overlap."""


def test_two_imports_of_a_new_file_make_one_set(file: None) -> None:
    """Both found none; the second finds what the first has made, and has nothing to add."""

    def work(barrier: threading.Barrier, number: int) -> tuple[int, Changes]:
        imported = quiz(*EIGHTY)
        target = storing.find(imported, None, "Round", "quiz.xlsx")
        assert target.into is None
        barrier.wait()
        question_set, changes = storing.save(imported, target)
        return question_set.pk, changes

    results = both(work)
    assert len({pk for pk, _changes in results}) == QuestionSet.objects.count() == 1
    told = sorted((len(changes.added), changes.unchanged) for _pk, changes in results)
    assert told == [(0, 80), (80, 0)]
    assert Question.objects.count() == 80


def test_two_imports_into_one_set_leave_it_as_one_of_the_files_is(file: None) -> None:
    """Never a mixture, never an error, never a question twice."""
    storing.save(quiz("Old?"), storing.find(quiz("Old?"), None, "Round", "quiz.xlsx"))
    files = (EIGHTY, ("New?", *EIGHTY[:40]))

    def work(barrier: threading.Barrier, number: int) -> int:
        imported = quiz(*files[number])
        target = storing.find(imported, None, "Round", "quiz.xlsx")
        barrier.wait()
        return storing.save(imported, target)[0].pk

    assert len(set(both(work))) == QuestionSet.objects.count() == 1
    assert tuple(Question.objects.values_list("prompt", flat=True)) in files


def test_a_button_pressed_twice_imports_once(file: None) -> None:
    """The second press is told that the file is in; the log has one import."""
    user = get_user_model().objects.create_superuser("root")
    upload = SimpleUploadedFile("quiz.xlsx", kahoot(("Capital?", "Lima", "Quito", None, None, 20, 1)))
    pages = []
    for _press in range(2):
        pages.append(Client())
        pages[-1].force_login(user)
    preview = pages[0].post(reverse("admin:rooms_questionset_import"), {"file": upload})["Location"]

    def press(barrier: threading.Barrier, number: int) -> tuple[int, list[str]]:
        barrier.wait()
        answer = pages[number].post(preview, {"title": "quiz", "into": "", "_save": "1"})
        return answer.status_code, [str(message) for message in get_messages(answer.wsgi_request)]

    answers = both(press)
    assert [status for status, _messages in answers] == [302, 302]
    assert sorted(text for _status, texts in answers for text in texts) == [
        "1 question was imported.",
        "This file no longer waits: it was imported already, or it has waited too long.",
    ]
    assert (QuestionSet.objects.count(), Question.objects.count(), LogEntry.objects.count()) == (1, 1, 1)
    assert not Upload.objects.exists()


def test_a_set_that_was_deleted_meanwhile_is_made_anew(file: None) -> None:
    """Between the preview and the import somebody took it away: the questions are kept all the same."""
    imported = quiz("One?")
    storing.save(imported, storing.find(imported, None, "Round", "quiz.xlsx"))
    target = storing.find(imported, None, "Round", "quiz.xlsx")
    assert target.into is not None
    gone = target.into.public_id
    QuestionSet.objects.all().delete()
    made, changes = storing.save(imported, target)
    assert (made.questions.count(), changes.added, made.title) == (1, ("One?",), "Round")
    assert made.public_id != gone


def test_a_new_set_that_was_asked_for_is_one(file: None) -> None:
    """Somebody who was offered the set that the file made, and chose a new one, has two."""
    imported = quiz("One?")
    for _time in range(2):
        storing.save(imported, storing.Target(None, "Round", "quiz.xlsx", apart=True))
    assert QuestionSet.objects.count() == 2
