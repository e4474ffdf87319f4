"""rooms.views: results for a game's hosts and the staff, standings for the staff, nothing for others."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.template import Context, Engine
from django.test import Client
from django.urls import reverse

from gateway.admission import account_of
from rooms import views
from rooms.archive import Archive
from rooms.core.questions import Choice, Image, Question, Svg
from rooms.models import GameRecord
from rooms.questions import flags
from rooms.records import store
from tests.rooms.games import ENDED_AT, Party, finished

pytestmark = pytest.mark.django_db

TABLES = ("games", "players", "questions", "answers")
STANDINGS = ("rooms:leaderboard", "rooms:leaderboard_csv", "rooms:leaderboard_xlsx")
A_FLAG = Question(
    "q1",
    flags.PROMPT,
    (Choice("a", "Egypt", "EG"), Choice("b", "Sudan", "SD")),
    frozenset({"a"}),
    Svg(flags.atlas().flags["EG"]),
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h4v3z"/></svg>'


def visitor() -> tuple[Client, str]:
    """A browser with a session, and the account that the gateway gives it."""
    client = Client()
    session = client.session
    session.create()
    client.cookies["sessionid"] = str(session.session_key)
    return client, account_of(None, session.session_key)


def signed_in(name: str = "ana", **fields: Any) -> tuple[Client, str]:
    """A browser of somebody who is signed in, and the account."""
    user = get_user_model().objects.create_user(name, **fields)
    client = Client()
    client.force_login(user)
    return client, f"user:{user.pk}"


def staff(*permissions: str) -> Client:
    """A browser of staff with these permissions."""
    client, account = signed_in("staff", is_staff=True)
    user = get_user_model().objects.get(pk=account.removeprefix("user:"))
    user.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    return client


def stored(host: str = "session:host") -> GameRecord:
    record = store(finished(host), ENDED_AT)
    assert record is not None
    return record


def addresses(game: GameRecord) -> list[str]:
    """All that there is about one game."""
    return [
        reverse("rooms:results", args=[game.game_id]),
        reverse("rooms:results_xlsx", args=[game.game_id]),
        *(reverse("rooms:results_csv", args=[game.game_id, table]) for table in TABLES),
    ]


def test_the_host_of_a_session_sees_page_and_files_without_signing_in() -> None:
    """By the account under which the gateway knew the session, and no cache keeps them."""
    client, account = visitor()
    for address in addresses(stored(account)):
        response = client.get(address)
        assert (response.status_code, "no-store" in response["Cache-Control"]) == (200, True)


def test_a_signed_in_host_sees_the_results_in_every_browser() -> None:
    """A session is one browser's, an account is the person's."""
    client, account = signed_in()
    game = stored(account)
    assert client.get(game.get_absolute_url()).status_code == 200
    other = Client()
    other.force_login(get_user_model().objects.get())
    assert other.get(game.get_absolute_url()).status_code == 200


def test_both_who_opened_the_room_and_who_was_host_at_the_end_see_the_results() -> None:
    """The host may have changed during the game (spec 2.3)."""
    (teacher, opened), (pupil, ended), (other, _) = visitor(), visitor(), visitor()
    game = stored(opened)
    GameRecord.objects.update(host=ended)
    seen = [client.get(game.get_absolute_url()).status_code for client in (teacher, pupil, other)]
    assert seen == [200, 200, 404]


@pytest.mark.parametrize(
    "who", ["nobody", "a player", "another user", "staff without permission", "a former session"]
)
def test_nobody_else_learns_that_there_is_a_game(who: str) -> None:
    """The answer is that of a game that never was."""
    game = stored()
    client = {
        "nobody": Client,
        "a player": lambda: visitor()[0],
        "another user": lambda: signed_in("other")[0],
        "staff without permission": staff,
        "a former session": lambda: Client(headers={"Cookie": "sessionid=gone0gone0gone0gone0gone0gone0go"}),
    }[who]()
    for address in addresses(game):
        assert client.get(address).status_code == 404
        assert client.get(address.replace(game.game_id, "never-was")).status_code == 404


def test_a_game_of_no_account_belongs_to_nobody() -> None:
    """A room may have ended without a host; a visitor without a session is not its host."""
    game = stored()
    GameRecord.objects.update(host="")
    assert Client().get(game.get_absolute_url()).status_code == 404


def test_staff_who_may_see_games_see_every_game_and_the_standings() -> None:
    """The permission is Django's (spec 4.3)."""
    client = staff("view_gamerecord")
    for address in [*addresses(stored()), *map(reverse, STANDINGS)]:
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("name", STANDINGS)
def test_the_standings_are_for_such_staff_alone(name: str) -> None:
    """A visitor may sign in as somebody who may see them; one who is signed in may not."""
    response = Client().get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("admin:login") + "?next=")
    assert staff().get(reverse(name)).status_code == 403
    user, _ = signed_in("other")
    assert user.get(reverse(name)).status_code == 403


def test_a_permission_without_being_staff_is_not_enough() -> None:
    """As in the admin."""
    client, account = signed_in()
    user = get_user_model().objects.get(pk=account.removeprefix("user:"))
    user.user_permissions.add(Permission.objects.get(codename="view_gamerecord"))
    assert client.get(reverse("rooms:leaderboard")).status_code == 403


def test_the_page_shows_ranking_and_questions_with_counts_and_right_answers() -> None:
    """In the order of the ranking; who left has no rank."""
    client, account = visitor()
    party = Party("Ana", "Ben", "Cleo", host=account, scoring="accuracy").starts().answers(Ben="b", Cleo="a")
    party.called("Ben").leaves()
    party.answers(Cleo="a").answers()
    game = store(party.report, ENDED_AT)
    assert game is not None
    page = client.get(game.get_absolute_url()).content.decode()
    assert page.index("Cleo") < page.index("Ben")
    assert page.index("Left early") < page.index("Ben")
    first, last = (page[page.index(f"Question {number}?") :] for number in (1, 3))
    assert "1 right · 1 wrong · 0 without an answer" in first[: first.index("Question 2?")]
    assert "0 right · 0 wrong · 1 without an answer" in last
    right = first[: first.index("</tr>", first.index("Option a"))]
    assert 'class="is-right"' in right


def test_names_and_questions_are_text_on_the_page() -> None:
    """Whatever people typed."""
    client, account = visitor()
    asked = (Question("q1", "<b>1</b>", (Choice("1a", "<i>a</i>"), Choice("1b", "b")), frozenset({"1a"})),)
    party = Party("Ana", "<script>", host=account, asked=asked).starts().answers()
    game = store(party.report, ENDED_AT)
    assert game is not None
    page = client.get(game.get_absolute_url()).content.decode()
    assert not any(tag in page for tag in ("<script>", "<b>1", "<i>a"))


def test_a_questions_flag_is_in_its_page_and_a_picture_is_linked() -> None:
    """As an image: no drawing of a question becomes part of the page itself."""
    client, account = visitor()
    choices = (Choice("a", "A"), Choice("b", "B"))
    asked = (
        Question("q1", "Flag?", choices, frozenset({"a"}), Svg(SVG)),
        Question("q2", "Picture?", choices, frozenset({"a"}), Image("/media/x.png", "A bridge")),
    )
    party = Party("Ana", "Ben", host=account, asked=asked).starts().answers().answers()
    game = store(party.report, ENDED_AT)
    assert game is not None
    page = client.get(game.get_absolute_url()).content.decode()
    assert 'src="data:image/svg+xml;base64,' in page
    assert "M0 0h4v3z" not in page
    assert 'src="/media/x.png" alt="A bridge"' in page


def test_results_speak_the_readers_language_and_files_speak_one() -> None:
    """The page translates the game's own question; what a program reads is the same for everybody."""
    client, account = visitor()
    game = store(Party("Ana", "Ben", host=account, asked=(A_FLAG,)).starts().answers().report, ENDED_AT)
    assert game is not None
    files = [reverse("rooms:results_csv", args=[game.game_id, table]) for table in ("questions", "answers")]
    rows: dict[str, list[list[str]]] = {}
    for language in ("en", "ar"):
        headers = {"accept-language": language}
        told = [client.get(file, headers=headers).content.decode("utf-8-sig") for file in files]
        rows[language] = [row for text in told for row in list(csv.reader(io.StringIO(text, newline="")))[1:]]
    assert rows["ar"] == rows["en"]
    assert A_FLAG.prompt in rows["en"][0]
    page = client.get(game.get_absolute_url(), headers={"accept-language": "ar"}).content.decode()
    assert '<html lang="ar" dir="rtl">' in page
    assert all(f"<bdi>{text}</bdi>" in page for text in ("لأي بلد هذا العلم؟", "مصر", "السودان"))
    assert not any(text in page for text in (A_FLAG.prompt, "Egypt", "Sudan"))


def test_the_page_is_in_the_sites_frame_and_loads_nothing_from_elsewhere() -> None:
    """The site overrides the frame; there is no inline style or script in the pages."""
    client, account = visitor()
    page = client.get(stored(account).get_absolute_url()).content.decode()
    assert 'class="brand"' in page
    assert "rooms/results.css" in page
    assert "style=" not in page
    assert "//" not in page.replace("http://www.w3.org", "")


def test_a_stopped_game_says_so() -> None:
    """Its ranking is that of the moment."""
    client, account = visitor()
    party = Party("Ana", "Ben", host=account).starts().answers(Ben="a")
    party.people[0].stops()
    game = store(party.report, ENDED_AT)
    assert game is not None
    assert "Stopped by the host" in client.get(game.get_absolute_url()).content.decode()


def test_a_file_has_a_name_that_says_which_game_it_is() -> None:
    """Room, day and time; and its type."""
    client, account = visitor()
    game = stored(account)
    players = client.get(reverse("rooms:results_csv", args=[game.game_id, "players"]))
    book = client.get(reverse("rooms:results_xlsx", args=[game.game_id]))
    assert players["Content-Disposition"] == 'attachment; filename="game-QUIZ42-2026-05-04-1030-players.csv"'
    assert players["Content-Type"] == "text/csv; charset=utf-8"
    assert book["Content-Disposition"] == 'attachment; filename="game-QUIZ42-2026-05-04-1030.xlsx"'
    rows = list(csv.reader(io.StringIO(players.content.decode("utf-8-sig"), newline="")))
    assert [row[2] for row in rows[1:]] == ["Ben", "Cleo", "Dan"]


def test_a_table_that_there_is_not_is_not_found() -> None:
    """Only the four tables have addresses."""
    client, account = visitor()
    assert (
        client.get(reverse("rooms:results_csv", args=[stored(account).game_id, "secrets"])).status_code == 404
    )


def test_the_standings_page_shows_the_best_accounts() -> None:
    """By points."""
    stored()
    page = staff("view_gamerecord").get(reverse("rooms:leaderboard")).content.decode()
    assert page.index("Ben") < page.index("Cleo") < page.index("Dan")


def test_a_host_who_is_faster_than_the_database_is_asked_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page asks again by itself; others are not told that there will be a game."""

    def away(*_: Any) -> GameRecord:
        raise OSError("the store is away")

    waiting = Archive(away)
    monkeypatch.setattr(views, "archive", waiting)
    (client, account), (other, _) = visitor(), visitor()
    report = finished(account)
    waiting.keep(report)
    address = reverse("rooms:results", args=[report.game_id])
    response = client.get(address)
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert b'http-equiv="refresh"' in response.content
    assert other.get(address).status_code == 404
    assert client.get(reverse("rooms:results_xlsx", args=[report.game_id])).status_code == 404
    assert client.get(reverse("rooms:results_csv", args=[report.game_id, "players"])).status_code == 404
    waiting.close(0.0)


def test_results_are_only_read() -> None:
    """No other method than GET and HEAD."""
    client, account = visitor()
    for address in addresses(stored(account)):
        assert client.post(address).status_code == 405


def test_a_page_has_a_frame_of_its_own_where_a_site_has_none() -> None:
    """The app's own rooms/base.html is complete."""
    folder = Path(views.__file__).parent / "templates"
    libraries = {name: f"django.templatetags.{name}" for name in ("i18n", "static")}
    engine = Engine(dirs=[str(folder)], libraries=libraries)
    page = engine.get_template("rooms/waiting.html").render(Context({"soon_s": 2}))
    assert '<html lang="en" dir="ltr">' in page
    assert "Results are being saved" in page
