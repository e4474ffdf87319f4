"""How a game runs: start, questions, results, the end; stop and restart (spec 2.2).

Functions on a room's data that check first, change after and yield what the shell shall do. Seats come and go
in ``rooms.core.entering``; points are made in ``rooms.core.game``.
"""

from gateway.contract import ConnId
from rooms.core import hosting, view
from rooms.core.effects import Answer, Begin, GameOver, Loaded, LoadQuestions, Refuse, Send
from rooms.core.game import Game, check_choices, counts, grade
from rooms.core.messages import (
    AnswerAccepted,
    AnswerProgress,
    Command,
    GameFinished,
    GameStarting,
    GameStopped,
    NextQuestion,
    RestartGame,
    StartGame,
    StopGame,
)
from rooms.core.phases import PHASES_OF, Phase
from rooms.core.rules import COUNTDOWN_S, RESULTS_S, STATUS, TOP_OF_PODIUM, refusal
from rooms.core.seats import Seat
from rooms.core.state import Effects, RoomData, tell

WATCHERS_MAY = (StartGame, StopGame, RestartGame, NextQuestion)
"""What the big screen of the host's account may ask for (spec 2.1)."""

# ---------- who may ask what, when


def check_host(room: RoomData, conn_id: ConnId, command: Command) -> None:
    """The command is the host's: from its seat, for some commands also from a watcher of its account."""
    seat = room.seats.held_by(conn_id)
    if seat is None and conn_id not in room.watchers:
        raise refusal("NOT_IN_ROOM", "You are not in this room.")
    watches = isinstance(command, WATCHERS_MAY) and room.watchers.get(conn_id) == room.host_account
    if not (watches if seat is None else seat.id == room.host):
        raise refusal("NOT_HOST", "Only the host may do this.")


def check_phase(room: RoomData, command: Command) -> None:
    if room.phase not in PHASES_OF[type(command)]:
        raise refusal("INVALID_STATE", f"This can't be done in the phase {room.phase.value!r}.")


def _check_answer(room: RoomData, seat: Seat, answer: Answer, now: float) -> None:
    """In this order: a repeated answer is one also after its question closed (spec 2.2)."""
    question_id = answer.command.question_id
    if not room.plays(seat) or room.phase in (Phase.LOBBY, Phase.STARTING):
        raise refusal("INVALID_STATE", "There is nothing to answer for you now.")
    if seat.has_answered(question_id):
        raise refusal("ALREADY_ANSWERED", "This question has your answer already.")
    if not _is_open(room, seat, question_id, now):
        raise refusal("QUESTION_CLOSED", f"The question {question_id!r} takes no answer from you now.")
    check_choices(room.running.question, answer.command.choices)


def _is_open(room: RoomData, seat: Seat, question_id: str, now: float) -> bool:
    # The clock decides, not the timer: bytes may be read before a timer that is due.
    in_time = room.phase is Phase.QUESTION and room.until is not None and room.clock(now) < room.until
    return in_time and question_id == room.running.question.id and room.takes_part(seat)


# ---------- commands


def begin(room: RoomData, begin: Begin, now: float) -> Effects:
    """START_GAME and RESTART_GAME: scores zero, same seats, new questions."""
    check_host(room, begin.conn_id, begin.command)
    check_phase(room, begin.command)
    yield from keep_game(room, now)
    _clear(room, now)
    action = str(type(begin.command).__struct_config__.tag)
    room.game = Game(begin.game_id, begin.seed, begin.conn_id, action, started_at=room.clock(now))
    room.enter(Phase.STARTING, room.clock(now) + COUNTDOWN_S)
    yield from tell(room, GameStarting(view.left_ms(room, now) or 0))
    yield LoadQuestions(
        begin.game_id, room.settings.question_source, room.settings.question_count, begin.seed
    )


def stop(room: RoomData, conn_id: ConnId, command: StopGame, now: float) -> Effects:
    check_host(room, conn_id, command)
    check_phase(room, command)
    yield from keep_game(room, now)
    yield from _to_lobby(room, now)


def next_question(room: RoomData, conn_id: ConnId, command: NextQuestion, now: float) -> Effects:
    check_host(room, conn_id, command)
    check_phase(room, command)
    yield from _move_on(room, now)


def answer(room: RoomData, answer: Answer, now: float) -> Effects:
    seat = room.member(answer.conn_id)
    _check_answer(room, seat, answer, now)
    room.running.take(seat, answer.command, answer.rtt_s, room.clock(now))
    yield Send((answer.conn_id,), AnswerAccepted(answer.command.question_id))
    yield from expectation_changed(room, now)


def loaded(room: RoomData, loaded: Loaded, now: float) -> Effects:
    """The questions are here. Those of a game that is no more, or that has them already, are ignored."""
    game = room.game
    if game is None or game.id != loaded.request_id or game.questions:
        return
    if not loaded.questions:
        yield from _refuse_start(room, game)
        yield from _to_lobby(room, now)
        return
    game.questions = loaded.questions
    if room.until is None:
        yield from _ask(room, now)


def _refuse_start(room: RoomData, game: Game) -> Effects:
    if game.starter in room.everyone:
        text = "There are no questions to ask: choose another question set."
        yield Refuse(game.starter, "QUESTION_SET_EMPTY", text, STATUS["QUESTION_SET_EMPTY"], game.action)


# ---------- the clock


def phase_over(room: RoomData, now: float) -> Effects:
    """The phase's time is up."""
    if room.phase is Phase.QUESTION:
        yield from _close(room, now)
    elif room.phase is Phase.RESULTS:
        yield from _move_on(room, now)
    elif room.running.questions:
        yield from _ask(room, now)
    else:
        # The questions are not loaded yet: they open the game themselves.
        room.until = None


def expectation_changed(room: RoomData, now: float) -> Effects:
    """Somebody answered, left or came back: say so, and end the question if nobody is missing.

    With nobody expected at all only the timer ends it (spec 2.2).
    """
    if room.phase is not Phase.QUESTION:
        return
    room.news.add_progress(now)
    expected = room.expected()
    if expected and all(seat.given is not None for seat in expected):
        yield from _close(room, now)


def progress(room: RoomData) -> AnswerProgress:
    expected = room.expected()
    return AnswerProgress(sum(seat.given is not None for seat in expected), len(expected))


def _ask(room: RoomData, now: float) -> Effects:
    game = room.running
    game.ask_next()
    room.enter(Phase.QUESTION, room.clock(now) + game.duration_s(room.settings))
    game.show_to(room.present_accounts, room.clock(now))
    yield from tell(room, view.new_question(room, now))


def _close(room: RoomData, now: float) -> Effects:
    """The question is over: points, results for all, and to each player its own."""
    game = room.running
    takers = [seat for seat in room.seats.all() if room.takes_part(seat)]
    tally = counts(game.question, takers)
    before = {seat.id: seat.score for seat in takers}
    grade(game, room.settings, takers)
    room.enter(Phase.RESULTS, room.clock(now) + RESULTS_S if room.settings.auto_advance else None)
    # A progress frame names no question: one of this question must not be taken for the next one's.
    room.news.progress = False
    for seat in room.expected():
        if seat.score != before[seat.id]:
            room.news.add_changed(seat.id, "score", now)
    game.results = view.results(room, game.question, tally, now)
    yield from tell(room, game.results)
    yield from _own_results(room)


def _own_results(room: RoomData) -> Effects:
    rank_of = view.ranks(room)
    for seat in room.expected():
        if seat.conn_id is not None:
            yield Send((seat.conn_id,), view.your_result(room, seat, rank_of[seat.id]))


def _move_on(room: RoomData, now: float) -> Effects:
    yield from _finish(room, now) if room.running.is_last else _ask(room, now)


def _finish(room: RoomData, now: float) -> Effects:
    game = room.running
    room.enter(Phase.FINISHED, None)
    hosting.forget_lag(room, now)
    game.finished = GameFinished(view.leaderboard(room, TOP_OF_PODIUM), game.id)
    yield from tell(room, game.finished)
    yield GameOver(view.report(room, now))
    room.seats.forget(now)


# ---------- the end of a game before its end


def keep_game(room: RoomData, now: float) -> Effects:
    """A game that is broken off is kept if at least one question of it is closed (spec 2.6)."""
    if room.active and room.running.closed:
        yield GameOver(view.report(room, now))


def _to_lobby(room: RoomData, now: float) -> Effects:
    _clear(room, now)
    room.game = None
    room.enter(Phase.LOBBY, None)
    room.seats.forget(now)
    yield from tell(room, GameStopped())


def _clear(room: RoomData, now: float) -> None:
    """All scores to zero; nothing of the last game is left at the seats."""
    room.news.progress = False
    hosting.forget_lag(room, now)
    for seat in room.seats.here.values():
        if seat.score:
            room.news.add_changed(seat.id, "score", now)
    for seat in room.seats.all():
        seat.clear()
