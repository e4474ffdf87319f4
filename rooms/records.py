"""From a game's report and the time of day at which it ended to its rows, in one transaction (spec 2.6).

Knows no queue and no thread: ``rooms.archive`` calls it, as often as it takes.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, transaction

from rooms.core.questions import Question
from rooms.core.report import AnswerReport, GameReport, PlayerReport
from rooms.models import AnswerRecord, GameRecord, PlayerResult

BATCH: Final = 500
"""Rows of one INSERT: a full game has 2,500 answers, and SQLite takes a limited number of values at once."""

USER_ACCOUNT: Final = "user:"
"""How the gateway names the account of somebody who is signed in (``gateway.admission.account_of``)."""


def store(report: GameReport, ended_at: datetime, using: str = DEFAULT_DB_ALIAS) -> GameRecord | None:
    """Store the game; None if it is stored already.

    A room restored from a snapshot may end the same game a second time: the first record stands.
    """
    with transaction.atomic(using=using):
        if GameRecord.objects.using(using).filter(game_id=report.game_id).exists():
            return None
        users = _users_of(_accounts(report), using)
        record = _game(report, ended_at, users)
        record.save(using=using, force_insert=True)
        players = [_player(record, player, users) for player in report.players]
        PlayerResult.objects.using(using).bulk_create(players, BATCH)
        # Not every database tells a bulk insert's keys.
        keys = dict(record.players.using(using).values_list("seat_id", "pk"))
        answers = [_answer(keys[answer.seat_id], answer) for answer in report.answers]
        AnswerRecord.objects.using(using).bulk_create(answers, BATCH)
    return record


def _game(report: GameReport, ended_at: datetime, users: dict[str, Any]) -> GameRecord:
    return GameRecord(
        game_id=report.game_id,
        room_id=report.room_id,
        room_code=report.room_code,
        creator=report.creator,
        creator_user=users.get(report.creator),
        host=report.host or "",
        host_user=users.get(report.host or ""),
        # The duration is from the monotonic clock: a step of the wall clock can't make it negative.
        started_at=ended_at - timedelta(seconds=report.duration_s),
        ended_at=ended_at,
        finished=report.finished,
        question_total=report.question_total,
        seed=report.seed,
        settings=msgspec.to_builtins(report.settings),
        questions=[_question(question) for question in report.questions],
    )


def _question(question: Question) -> dict[str, Any]:
    """As plain data, the right choices in the order of the choices: a set has none."""
    right = [choice.id for choice in question.choices if choice.id in question.correct]
    return {**msgspec.to_builtins(question), "correct": right}


def _player(record: GameRecord, player: PlayerReport, users: dict[str, Any]) -> PlayerResult:
    return PlayerResult(
        game=record,
        seat_id=player.seat_id,
        account=player.account,
        user=users.get(player.account),
        name=player.name,
        avatar=msgspec.to_builtins(player.avatar),
        join_order=player.join_order,
        score=player.score,
        correct=player.correct,
        rank=player.rank,
        first_question=player.first_question,
    )


def _answer(player_id: int, answer: AnswerReport) -> AnswerRecord:
    return AnswerRecord(
        player_id=player_id,
        question_index=answer.question_index,
        question_id=answer.question_id,
        choices=list(answer.choices),
        correct=answer.correct,
        points=answer.points,
        base=answer.breakdown.base,
        streak=answer.breakdown.streak,
        response_ms=answer.breakdown.response_ms,
        lag_credit_ms=answer.breakdown.lag_credit_ms,
    )


def _accounts(report: GameReport) -> set[str]:
    return {report.creator, report.host or "", *(player.account for player in report.players)}


def _users_of(accounts: Iterable[str], using: str) -> dict[str, Any]:
    """The users behind those accounts that are somebody's; one who was deleted meanwhile is nobody."""
    keys = {
        account: account.removeprefix(USER_ACCOUNT)
        for account in accounts
        if account.startswith(USER_ACCOUNT)
    }
    users = get_user_model()._default_manager.using(using)
    found = {str(user.pk): user for user in users.filter(pk__in=_possible(keys.values()))}
    return {account: found[key] for account, key in keys.items() if key in found}


def _possible(keys: Iterable[str]) -> Sequence[Any]:
    """The keys that a user can have: an account's text may be from before a change of the user model."""
    field = get_user_model()._meta.pk
    possible = []
    for key in keys:
        try:
            possible.append(field.to_python(key))
        except ValidationError:
            continue
    return possible
