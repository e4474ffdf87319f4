"""rooms.records and rooms.models: a game that is over becomes rows, whole and once."""

from datetime import timedelta

import msgspec
import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from rooms.models import AnswerRecord, GameRecord, PlayerResult
from rooms.records import store
from tests.rooms.core.kit import Table
from tests.rooms.games import ENDED_AT, HOST, Party, finished

pytestmark = pytest.mark.django_db


def test_a_finished_game_is_stored_with_what_was_asked_and_when() -> None:
    """The record can be replayed and audited: seed, settings, questions in order with their right answers."""
    report = finished()
    store(report, ENDED_AT)
    game = GameRecord.objects.get()
    assert (game.game_id, game.room_code, game.seed) == (report.game_id, report.room_code, report.seed)
    assert (game.creator, game.host, game.finished) == (HOST, HOST, True)
    assert game.ended_at - game.started_at == timedelta(seconds=report.duration_s)
    assert game.settings["scoring"] == "accuracy"
    assert game.asked == report.questions


def test_every_player_and_answer_is_stored_with_what_explains_its_points() -> None:
    """Rows say what the report says, answer by answer (spec 2.4)."""
    report = finished()
    store(report, ENDED_AT)
    assert {
        (player.seat_id, player.name, player.score, player.correct, player.rank)
        for player in PlayerResult.objects.all()
    } == {
        (player.seat_id, player.name, player.score, player.correct, player.rank) for player in report.players
    }
    assert {
        (answer.player.seat_id, answer.question_id, tuple(answer.choices), answer.base, answer.response_ms)
        for answer in AnswerRecord.objects.select_related("player")
    } == {
        (
            answer.seat_id,
            answer.question_id,
            answer.choices,
            answer.breakdown.base,
            answer.breakdown.response_ms,
        )
        for answer in report.answers
    }
    assert AnswerRecord.objects.count() == len(report.answers) == 7


@pytest.mark.parametrize("scoring", ["classic", "accuracy", "order"])
def test_the_points_of_the_answers_add_up_to_each_players_total(scoring: str) -> None:
    """Whatever the scoring and with a streak bonus, also for odd names and for those who left (C11)."""
    names = ["4242", "0", "1e3", "constructor", "__proto__", "toString", "null", "undefined", "Ben"]
    party = Party("Ana", *names, scoring=scoring, streak_bonus=True).starts()
    party.answers(**dict.fromkeys(names, "a")).answers(**dict.fromkeys(names[::2], "a"), toString="c")
    party.called("0").leaves()
    party.answers(**{name: "ab"[number % 2] for number, name in enumerate(names) if name != "0"})
    store(party.report, ENDED_AT)
    players = PlayerResult.objects.prefetch_related("answers")
    assert {player.name for player in players} == set(names)
    for player in players:
        assert sum(answer.points for answer in player.answers.all()) == player.score
        assert sum(answer.correct for answer in player.answers.all()) == player.correct


def test_players_come_by_points_and_among_equals_by_when_they_joined() -> None:
    """A name made of digits is no key to sort by (C11); ties share a rank."""
    party = Party("Ana", "9", "Zoe", "10", "-1", scoring="accuracy").starts()
    party.answers(**{"9": "b", "Zoe": "a", "10": "a", "-1": "a"}).answers(**{"-1": "a"}).answers()
    store(party.report, ENDED_AT)
    assert [(player.rank, player.name) for player in PlayerResult.objects.all()] == [
        (1, "-1"),
        (2, "Zoe"),
        (2, "10"),
        (4, "9"),
    ]


def test_a_game_is_stored_once_however_often_it_is_handed_over() -> None:
    """A retry, or a room restored from a snapshot that ends its game again, changes nothing."""
    report = finished()
    first = store(report, ENDED_AT)
    again = msgspec.structs.replace(report, room_code="OTHER1", players=(), answers=())
    assert store(again, ENDED_AT + timedelta(hours=1)) is None
    assert GameRecord.objects.get() == first
    assert (PlayerResult.objects.count(), AnswerRecord.objects.count()) == (3, 7)


def test_a_game_that_can_not_be_stored_whole_leaves_nothing_behind() -> None:
    """One transaction: no ranking without its answers."""
    report = finished()
    broken = msgspec.structs.replace(report, answers=(*report.answers, report.answers[0]))
    with pytest.raises(IntegrityError), transaction.atomic():
        store(broken, ENDED_AT)
    assert not GameRecord.objects.exists()
    assert not PlayerResult.objects.exists()


def test_a_stopped_game_is_told_from_a_finished_one() -> None:
    """Only the questions that were closed are in it."""
    party = Party("Ana", "Ben").starts().answers(Ben="a")
    party.people[0].stops()
    store(party.report, ENDED_AT)
    game = GameRecord.objects.get()
    assert (game.finished, len(game.questions), game.question_total) == (False, 1, 3)


def test_who_left_before_the_end_keeps_points_and_has_no_rank() -> None:
    """The podium was shared by those who were there."""
    party = Party("Ana", "Ben", "Cleo").starts().answers(Ben="a", Cleo="a")
    party.called("Ben").leaves()
    party.answers(Cleo="a").answers(Cleo="a")
    store(party.report, ENDED_AT)
    ben, cleo = PlayerResult.objects.get(name="Ben"), PlayerResult.objects.get(name="Cleo")
    assert (ben.rank, ben.score > 0, cleo.rank) == (None, True, 1)


def test_a_signed_in_person_is_linked_and_the_game_outlives_the_account() -> None:
    """Deleting a user unlinks what it played; an account without a user is stored without one."""
    ana, ben = (get_user_model().objects.create_user(name) for name in ("ana", "ben"))
    table = Table()
    host = table.player("Ana", account=f"user:{ana.pk}").creates()
    table.player("Ben", account=f"user:{ben.pk}").joins()
    table.player("Cleo", account="user:987654").joins()
    table.player("Dan", account="user:not-a-key").joins()
    host.starts()
    table.after(60 * 3)
    store(table.reports[0], ENDED_AT)
    game = GameRecord.objects.get()
    assert (game.creator_user, game.host_user) == (ana, ana)
    users = {player.name: player.user for player in game.players.all()}
    assert users == {"Ana": ana, "Ben": ben, "Cleo": None, "Dan": None}
    ana.delete()
    game.refresh_from_db()
    assert game.creator_user is None
    assert game.players.count() == 4


def test_no_row_holds_a_token_or_its_hash() -> None:
    """A copy of the database opens no seat."""
    party = Party("Ana", "Ben").starts().answers(Ben="a").answers(Ben="a").answers(Ben="a")
    store(party.report, ENDED_AT)
    secrets = [player.token for player in party.people]
    with connection.cursor() as cursor:
        for table in ("rooms_gamerecord", "rooms_playerresult", "rooms_answerrecord"):
            cursor.execute(f"SELECT * FROM {table}")
            rows = repr(cursor.fetchall())
            assert not any(secret in rows for secret in secrets)
    assert all(secrets)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (PlayerResult, {"rank": 0}),
        (AnswerRecord, {"points": 1}),
        (GameRecord, {"started_at": ENDED_AT + timedelta(seconds=1)}),
    ],
    ids=["rank 0", "unexplained points", "ends before it starts"],
)
def test_the_database_itself_refuses_what_can_not_be(model: type, change: dict[str, object]) -> None:
    """Whoever writes: ranks start at 1, points are base and streak, time runs forward."""
    store(finished(), ENDED_AT)
    with pytest.raises(IntegrityError), transaction.atomic():
        model._default_manager.update(**change)


def test_records_read_as_people_say_them() -> None:
    """In the admin's lists and its log."""
    store(finished(), ENDED_AT)
    assert str(GameRecord.objects.get()) == "QUIZ42 · 2026-05-04 10:30"
    assert [str(player) for player in PlayerResult.objects.all()] == ["Ben", "Cleo", "Dan"]
    assert str(AnswerRecord.objects.filter(player__name="Ben").first()) == "1: 1000"


@pytest.mark.django_db(transaction=True)
def test_the_tables_can_be_taken_back() -> None:
    """Every migration is reversible."""
    call_command("migrate", "rooms", "zero", verbosity=0)
    assert not any(name.startswith("rooms_") for name in connection.introspection.table_names())
    call_command("migrate", "rooms", verbosity=0)
    store(finished(), ENDED_AT)
    assert GameRecord.objects.count() == 1
