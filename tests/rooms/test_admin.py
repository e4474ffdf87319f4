"""rooms.admin: staff read, export and delete games as far as they may, and the log says who did."""

import io
from typing import Any

import openpyxl
import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from rooms import exports
from rooms.models import AnswerRecord, GameRecord
from rooms.records import store
from tests.rooms.games import ENDED_AT, finished

pytestmark = pytest.mark.django_db

LIST = "admin:rooms_gamerecord_changelist"
ACTIONS = {
    "export_workbook": "games.xlsx",
    "export_players": "games-players.csv",
    "export_answers": "games-answers.csv",
}
"""The actions and the files they make."""


def staff(*permissions: str) -> Client:
    """A browser of staff with these permissions and no others."""
    user = get_user_model().objects.create_user("staff", is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def game() -> GameRecord:
    record = store(finished(), ENDED_AT)
    assert record is not None
    return record


def does(client: Client, action: str, *games: GameRecord, **more: Any) -> Any:
    """Choose these games in the list and run an action."""
    data = {"action": action, "_selected_action": [game.pk for game in games], **more}
    return client.post(reverse(LIST), data)


def test_the_list_shows_games_and_finds_them_by_room_and_player(game: GameRecord) -> None:
    """With the number of players, and a way to the results."""
    client = staff("view_gamerecord")
    for wanted in ("", "?q=QUIZ42", "?q=Cleo", f"?q={game.game_id}"):
        page = client.get(reverse(LIST) + wanted).content.decode()
        assert page.count("QUIZ42</a>") == 1
        assert '<td class="field-player_count">3</td>' in page
        assert f'href="{game.get_absolute_url()}"' in page
    assert "QUIZ42</a>" not in client.get(reverse(LIST) + "?q=Nobody").content.decode()


def test_a_game_is_read_and_not_written(game: GameRecord) -> None:
    """Not even by a superuser: records are what happened."""
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    address = reverse("admin:rooms_gamerecord_change", args=[game.pk])
    page = client.get(address).content.decode()
    assert page.index("Ben") < page.index("Cleo")
    assert not any(name in page for name in ('name="_save"', 'name="room_code"', 'name="players-0-score"'))
    assert client.post(address, {"room_code": "OTHER1"}).status_code == 403
    assert client.get(reverse("admin:rooms_gamerecord_add")).status_code == 403


def test_who_may_see_games_sees_their_players_too(game: GameRecord) -> None:
    """One permission, one page."""
    page = staff("view_gamerecord").get(reverse("admin:rooms_gamerecord_change", args=[game.pk]))
    assert "Cleo" in page.content.decode()


@pytest.mark.parametrize("permissions", [(), ("delete_gamerecord",), ("view_playerresult",)], ids=str)
def test_without_the_permission_there_is_no_list_and_no_export(
    game: GameRecord, permissions: tuple[str, ...]
) -> None:
    """Permissions are Django's (spec 4.3)."""
    client = staff(*permissions)
    assert client.get(reverse("admin:rooms_gamerecord_change", args=[game.pk])).status_code == 403
    if "delete_gamerecord" not in permissions:
        assert client.get(reverse(LIST)).status_code == 403
    for action in ACTIONS:
        response = does(client, action, game)
        assert "Content-Disposition" not in response
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("action", ACTIONS)
def test_an_export_is_a_file_and_an_entry_of_the_log_for_each_game(game: GameRecord, action: str) -> None:
    """Who took whose results out, and as what (spec 4.3)."""
    other = store(finished(game_id="other"), ENDED_AT)
    assert other is not None
    response = does(staff("view_gamerecord"), action, game, other)
    name = ACTIONS[action]
    assert response["Content-Disposition"].endswith(f'-{name}"')
    entries = LogEntry.objects.all()
    assert {entry.object_id for entry in entries} == {str(game.pk), str(other.pk)}
    assert {(entry.user.get_username(), entry.change_message) for entry in entries} == {
        ("staff", f"Exported to {name}.")
    }


def test_an_export_holds_the_chosen_games_and_no_others(game: GameRecord) -> None:
    """Also when the list was searched, which joins the players."""
    store(finished(game_id="other"), ENDED_AT)
    client = staff("view_gamerecord")
    data = {"action": "export_workbook", "_selected_action": [game.pk]}
    response = client.post(reverse(LIST) + "?q=e", data)
    book = openpyxl.load_workbook(io.BytesIO(response.content))
    assert [row[0].value for row in book["Games"].iter_rows(min_row=2)] == [game.game_id]
    assert {row[0].value for sheet in book for row in sheet.iter_rows(min_row=2)} == {game.game_id}
    assert book["Answers"].max_row == 1 + AnswerRecord.objects.filter(player__game=game).count()


def test_an_export_that_would_be_too_much_is_refused_in_words(
    game: GameRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is not in the log, for nothing left the site."""
    monkeypatch.setattr(exports, "MAX_ANSWERS", 6)
    client = staff("view_gamerecord")
    assert does(client, "export_workbook", game).status_code == 302
    assert "export at most 6 at once" in client.get(reverse(LIST)).content.decode()
    assert not LogEntry.objects.exists()


def test_deleting_needs_its_own_permission_and_is_in_the_log(game: GameRecord) -> None:
    """People may ask for it; players and answers go with their game."""
    assert does(staff("view_gamerecord"), "delete_selected", game, post="yes").status_code == 302
    assert GameRecord.objects.exists()
    get_user_model().objects.all().delete()
    does(staff("view_gamerecord", "delete_gamerecord"), "delete_selected", game, post="yes")
    assert not GameRecord.objects.exists()
    assert not AnswerRecord.objects.exists()
    assert [entry.is_deletion() for entry in LogEntry.objects.all()] == [True]
