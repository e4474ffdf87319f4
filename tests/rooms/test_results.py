"""rooms.results: what a stored game says, question by question, and the standings over all games."""

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rooms.core.report import GameReport
from rooms.models import GameRecord
from rooms.records import store
from rooms.results import Leader, leaders, question_results, with_results
from tests.rooms.games import ENDED_AT, Party, finished

pytestmark = pytest.mark.django_db


def kept(report: GameReport) -> GameRecord:
    """The game as the pages load it."""
    store(report, ENDED_AT)
    return with_results(GameRecord.objects.filter(game_id=report.game_id)).get()


def test_each_question_says_how_often_each_choice_was_taken() -> None:
    """With the right one marked, and who was right, wrong or silent."""
    first, _, last = question_results(kept(finished()))
    assert [(choice.choice.text, choice.right, choice.count) for choice in first.choices] == [
        ("Option a", True, 2),
        ("Option b", False, 1),
        ("Option c", False, 0),
        ("Option d", False, 0),
    ]
    assert (first.number, first.right, first.wrong, first.missing) == (1, 2, 1, 0)
    assert (last.number, last.right, last.wrong, last.missing) == (3, 1, 0, 2)


def test_nobody_is_missed_who_could_not_answer() -> None:
    """Neither a late joiner before its first question nor one who was gone at the end (spec 2.2, 2.4)."""
    party = Party("Ana", "Ben", "Cleo").starts()
    late = party.player("Late").joins()
    party.people.append(late)
    party.answers(Ben="a")
    party.called("Cleo").leaves()
    party.answers(Ben="a", Late="b").answers(Ben="a")
    assert [result.missing for result in question_results(kept(party.report))] == [0, 0, 1]


def test_a_page_takes_three_queries_whatever_the_number_of_players() -> None:
    """Game, players, answers."""
    report = finished()
    store(report, ENDED_AT)
    with CaptureQueriesContext(connection) as queries:
        game = with_results(GameRecord.objects.filter(game_id=report.game_id)).get()
        question_results(game)
        assert [len(player.answers.all()) for player in game.players.all()] == [3, 2, 2]
    assert len(queries) == 3


def test_the_standings_add_up_the_finished_games_of_each_account() -> None:
    """Under its latest name; equal points share a rank, and stand in the order in which they came."""
    store(finished(game_id="1"), ENDED_AT)
    party = Party("Ana", "Cleo", "Eve", scoring="accuracy").starts()
    cleo = party.called("Cleo")
    assert cleo.account == "session:Cleo"
    party.answers(Cleo="a", Eve="a").answers(Cleo="a").answers(Cleo="b")
    store(party.report, ENDED_AT)
    assert leaders() == (
        Leader(rank=1, name="Cleo", points=3000, games=2, wins=1, right=3),
        Leader(rank=1, name="Ben", points=3000, games=1, wins=1, right=3),
        Leader(rank=3, name="Dan", points=1000, games=1, wins=0, right=1),
        Leader(rank=3, name="Eve", points=1000, games=1, wins=0, right=1),
    )


def test_the_standings_show_an_account_under_its_latest_name() -> None:
    """People change their names between games."""
    for game_id, name in (("1", "Old"), ("2", "New")):
        party = Party("Ana")
        party.people.append(party.player(name, account="session:same").joins())
        party.starts().answers(**{name: "a"}).answers().answers()
        store(msgspec.structs.replace(party.report, game_id=game_id), ENDED_AT)
    assert [(leader.name, leader.games) for leader in leaders()] == [("New", 2)]


def test_a_stopped_game_counts_for_nobody() -> None:
    """Its scores were discarded in the room as well (spec 2.2)."""
    party = Party("Ana", "Ben").starts().answers(Ben="a")
    party.people[0].stops()
    store(party.report, ENDED_AT)
    assert leaders() == ()
