"""What of a room is shown, to everybody or to one member, and what of a game is kept.

Reads a room and changes nothing. The right answer of a question is in nothing made here before its results,
and times are what is left of them, never a moment of our clock (spec 2.2).
"""

from collections.abc import Iterable

import msgspec

from rooms.core import scoring
from rooms.core.game import to_ms
from rooms.core.messages import Members, NewQuestion, QuestionResults, RoomSnapshot, YourResult
from rooms.core.phases import Phase
from rooms.core.questions import Question
from rooms.core.report import AnswerReport, GameReport, PlayerReport
from rooms.core.roster import News
from rooms.core.rules import TOP_OF_RESULTS
from rooms.core.seats import Seat
from rooms.core.shapes import Breakdown, LeaderboardEntry, Member, MemberPatch, OwnAnswer, You
from rooms.core.state import RoomData, is_connected

NO_BREAKDOWN = Breakdown(base=0, streak=0, lag_credit_ms=0, response_ms=0)

# ---------- the room


def snapshot(room: RoomData, now: float) -> RoomSnapshot:
    """The room as it is; with the events received after it, the room as it will be."""
    return RoomSnapshot(
        room_id=room.id,
        room_code=room.code,
        phase=room.phase.value,
        settings=room.settings,
        members=tuple(member(room, seat) for seat in room.seats.here.values()),
        next_in_ms=_next_in_ms(room, now),
        question=new_question(room, now) if room.phase in (Phase.QUESTION, Phase.RESULTS) else None,
        results=_results_again(room, now) if room.phase is Phase.RESULTS else None,
        finished=room.running.finished if room.phase is Phase.FINISHED else None,
    )


def member(room: RoomData, seat: Seat) -> Member:
    return Member(
        user_id=seat.id,
        name=seat.name,
        avatar=seat.avatar,
        status="connected" if is_connected(seat) else "grace",
        score=seat.score,
        join_order=seat.join_order,
        is_host=seat.id == room.host,
        plays=room.plays(seat),
    )


def you(room: RoomData, seat: Seat) -> You:
    """What only the seat's own connection may know."""
    given = seat.given
    return You(
        user_id=seat.id,
        is_host=seat.id == room.host,
        score=seat.score,
        rank=ranks(room).get(seat.id, 0),
        answered=OwnAnswer(given.question_id, given.choices) if given is not None else None,
        waits=room.phase is Phase.QUESTION and room.plays(seat) and not room.takes_part(seat),
    )


def lagging(room: RoomData) -> tuple[str, ...]:
    """The seats whose line is slow; of one without a socket nothing is known."""
    return tuple(seat.id for seat in room.seats.here.values() if seat.lags and is_connected(seat))


def left_ms(room: RoomData, now: float) -> int | None:
    """What is left of the phase; None if it doesn't end by itself."""
    return to_ms(room.until - room.clock(now)) if room.until is not None else None


def roster_change(room: RoomData, news: News) -> Members:
    """The collected changes with the values of this moment; who has gone again is in ``left`` only."""
    here = {seat_id: member(room, seat) for seat_id, seat in room.seats.here.items()}
    joined = [here[seat_id] for seat_id in news.joined if seat_id in here]
    changed = {seat_id: names for seat_id, names in news.changed.items() if seat_id not in news.joined}
    updated = [
        MemberPatch(seat_id, **{name: getattr(here[seat_id], name) for name in names})
        for seat_id, names in changed.items()
        if seat_id in here
    ]
    return Members(tuple(joined), tuple(updated), tuple(news.left))


def _next_in_ms(room: RoomData, now: float) -> int | None:
    if room.phase is Phase.STARTING:
        return left_ms(room, now) or 0
    return left_ms(room, now) if room.phase is Phase.RESULTS else None


# ---------- questions and results


def new_question(room: RoomData, now: float) -> NewQuestion:
    game, question = room.running, room.running.question
    return NewQuestion(
        question_id=question.id,
        index=game.index,
        total=len(game.questions),
        prompt=question.prompt,
        choices=question.choices,
        multiple=question.multiple,
        duration_ms=to_ms(game.duration_s(room.settings)),
        remaining_ms=(left_ms(room, now) or 0) if room.phase is Phase.QUESTION else 0,
        media=question.media,
    )


def results(room: RoomData, question: Question, tally: dict[str, int], now: float) -> QuestionResults:
    return QuestionResults(
        question_id=question.id,
        correct=tuple(choice.id for choice in question.choices if choice.id in question.correct),
        counts=tally,
        leaderboard=leaderboard(room, TOP_OF_RESULTS) if room.settings.show_leaderboard else (),
        next_in_ms=left_ms(room, now),
        explanation=question.explanation,
    )


def _results_again(room: RoomData, now: float) -> QuestionResults | None:
    shown = room.running.results
    return msgspec.structs.replace(shown, next_in_ms=left_ms(room, now)) if shown is not None else None


def your_result(room: RoomData, seat: Seat, rank: int) -> YourResult:
    """What the question that just closed brought the seat; no answer brought nothing."""
    question = room.running.question
    last = seat.graded[-1] if seat.graded and seat.graded[-1].question_id == question.id else None
    return YourResult(
        question_id=question.id,
        correct=last is not None and last.correct,
        points=last.points if last is not None else 0,
        breakdown=last.breakdown if last is not None else NO_BREAKDOWN,
        total=seat.score,
        rank=rank,
        streak=seat.streak,
    )


def ranks(room: RoomData) -> dict[str, int]:
    """The rank of each member who plays; ties share one (spec 2.4)."""
    players = room.players()
    shared = scoring.ranks([seat.score for seat in players])
    return {seat.id: rank for seat, rank in zip(players, shared, strict=True)}


def leaderboard(room: RoomData, top: int) -> tuple[LeaderboardEntry, ...]:
    """The best ``top`` players of those who are here; among equals who joined first."""
    rank_of = ranks(room)
    best = sorted(room.players(), key=lambda seat: rank_of[seat.id])[:top]
    return tuple(
        LeaderboardEntry(seat.id, seat.name, seat.avatar, seat.score, rank_of[seat.id], seat.right_answers)
        for seat in best
    )


# ---------- the record


def report(room: RoomData, now: float) -> GameReport:
    """The game as it stands, with those who played and departed."""
    game = room.running
    rank_of = ranks(room)
    players = [seat for seat in room.seats.all() if seat.graded or seat.id in rank_of]
    return GameReport(
        game_id=game.id,
        room_id=room.id,
        room_code=room.code,
        creator=room.creator,
        host=room.host_account,
        seed=game.seed,
        settings=room.settings,
        finished=room.phase is Phase.FINISHED,
        duration_s=room.clock(now) - game.started_at,
        question_total=len(game.questions),
        questions=game.questions[: game.closed],
        players=tuple(_player_report(seat, rank_of.get(seat.id)) for seat in players),
        answers=tuple(_answer_reports(players)),
    )


def _player_report(seat: Seat, rank: int | None) -> PlayerReport:
    return PlayerReport(
        seat_id=seat.id,
        account=seat.account,
        name=seat.name,
        avatar=seat.avatar,
        join_order=seat.join_order,
        score=seat.score,
        correct=seat.right_answers,
        rank=rank,
        first_question=seat.first_question,
    )


def _answer_reports(players: Iterable[Seat]) -> Iterable[AnswerReport]:
    for seat in players:
        for graded in seat.graded:
            yield AnswerReport(
                seat_id=seat.id,
                question_id=graded.question_id,
                question_index=graded.question_index,
                choices=graded.choices,
                correct=graded.correct,
                points=graded.points,
                breakdown=graded.breakdown,
            )
