"""manage.py purge_games: old games are deleted as the settings say, and the command says what it did."""

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.test import override_settings
from django.utils import timezone

from rooms.management.commands import purge_games
from rooms.models import AnswerRecord, GameRecord, PlayerResult
from rooms.records import store
from tests.rooms.games import finished

pytestmark = pytest.mark.django_db


def games(*ages_days: float) -> None:
    """Stored games that ended so many days ago; their ids are their ages."""
    for age in ages_days:
        store(finished(game_id=str(age)), timezone.now() - timedelta(days=age))


def left() -> set[str]:
    return set(GameRecord.objects.values_list("game_id", flat=True))


def purge(*arguments: str) -> str:
    out = io.StringIO()
    call_command("purge_games", *arguments, stdout=out)
    return out.getvalue()


@override_settings(ROOMS={"RETENTION_DAYS": 30})
def test_games_older_than_the_setting_go_with_their_players_and_answers() -> None:
    """The others stay whole."""
    games(29.9, 30.1, 400)
    told = purge()
    assert left() == {"29.9"}
    assert (PlayerResult.objects.count(), AnswerRecord.objects.count()) == (3, 7)
    assert told == "Deleted 2 games with 6 players and 14 answers, ended more than 30 days ago.\n"


def test_a_year_is_kept_where_nothing_is_set() -> None:
    """The default."""
    games(364, 366)
    purge()
    assert left() == {"364"}


@override_settings(ROOMS={"RETENTION_DAYS": 30})
def test_a_dry_run_says_the_same_numbers_and_deletes_nothing() -> None:
    """To be looked at first."""
    games(10, 31, 32)
    told = purge("--dry-run")
    assert told == "Would delete 2 games with 6 players and 14 answers, ended more than 30 days ago.\n"
    assert len(left()) == 3


@override_settings(ROOMS={"RETENTION_DAYS": 30})
@pytest.mark.parametrize(("arguments", "deleted"), [((), True), (("--dry-run",), False)])
def test_programs_get_json(arguments: tuple[str, ...], deleted: bool) -> None:
    """One object on one line."""
    games(31)
    told: dict[str, Any] = json.loads(purge("--format", "json", *arguments))
    assert told.pop("before") < timezone.now().isoformat()
    assert told == {"deleted": deleted, "retentionDays": 30, "games": 1, "players": 3, "answers": 7}


@override_settings(ROOMS={"RETENTION_DAYS": None})
def test_where_games_are_kept_for_ever_nothing_is_deleted() -> None:
    """The command says why, and fails, for whoever runs it expects something of it."""
    games(10_000)
    with pytest.raises(CommandError, match="kept for ever"):
        purge()
    assert left() == {"10000"}


@override_settings(ROOMS={"RETENTION_DAYS": 30})
def test_many_games_go_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long lock, and all are gone in the end."""
    monkeypatch.setattr(purge_games, "BATCH", 2)
    games(31, 32, 33, 34, 35)
    assert purge().startswith("Deleted 5 games")
    assert left() == set()


@override_settings(ROOMS={"RETENTION_DAYS": 0})
def test_a_retention_of_no_days_is_a_fault_of_the_settings() -> None:
    """It would delete a game before anybody saw it: rooms.E001."""
    assert [error.id for error in run_checks() if "RETENTION_DAYS" in error.msg] == ["rooms.E001"]
