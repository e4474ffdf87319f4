"""One game whose server is killed again and again at random moments, and what must be left of it each time.

``tests/faults/test_crash.py`` plays a few rounds, ``python -m bench.crashes`` as many as one likes.
"""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event
from typing import Final

from tests.faults.players import SITE, Frame, Player, question, table
from tests.serving import Served, start

SAFE_S: Final = 2.0
"""An answer that was accepted longer before the crash than this is never lost (spec 2.3)."""
LATEST_S: Final = 4.0
"""Seconds of a question in which the server is killed."""
ANSWERS_S: Final = 2.5
"""Seconds in which the players answer, but for the last of them: the question stays open."""
NAMES: Final = ("Ana", "Ben", "Cleo", "Dora")


class Tally:
    """What became of the answers of all rounds."""

    def __init__(self) -> None:
        self.safe = self.kept = self.lost = 0


class Life:
    """A question until the crash: when it was shown, when whose answer was accepted, the end."""

    def __init__(self, began: float) -> None:
        self.began = self.killed_at = began
        self.accepted: dict[Player, float] = {}


def play(data: Path, rounds: int, seed: int, told: Callable[[str], None] = lambda line: None) -> Tally:
    """A game over ``rounds`` crashes; raises `AssertionError` when a rule is broken."""
    random, tally = Random(seed), Tally()
    server = start(SITE, data)
    try:
        players = table(server, NAMES, questionCount=50, secondsPerQuestion=30, autoAdvance=False)
        asked = question(players)
        for number in range(rounds):
            life = _play_until_killed(server, players, asked, random)
            server = start(SITE, data, "--port", str(server.port))
            counted = _come_back(server, players, asked, life)
            _compare(life, counted, tally)
            told(f"round {number + 1}: {len(life.accepted)} accepted, {len(counted)} still counted")
            _answer_all(players, asked, counted)
            asked = _next_question(players)
    finally:
        server.kill()
    return tally


def _play_until_killed(server: Served, players: list[Player], asked: Frame, random: Random) -> Life:
    """All but the last player answer at moments of their own, until the end comes at one of its own."""
    plan = sorted((random.uniform(0, ANSWERS_S), number) for number in range(len(players) - 1))
    life, killed_in = Life(time.monotonic()), random.uniform(0, LATEST_S)
    for at, number in plan:
        if at > killed_in:
            break
        _wait_until(life.began + at)
        assert players[number].answers(asked, random.randrange(4))["type"] == "ANSWER_ACCEPTED"
        life.accepted[players[number]] = time.monotonic()
    _wait_until(life.began + killed_in)
    life.killed_at = time.monotonic()
    server.kill()
    return life


def _come_back(server: Served, players: list[Player], asked: Frame, life: Life) -> set[Player]:
    """Everybody finds its seat and, if it was not too young, the question; who is told that it answered."""
    told = {}
    for player in players:
        player.socket.close()
        told[player] = player.comes_back(server)
        assert len(told[player]["room"]["members"]) == len(players)
    shown = {state["room"].get("question", {}).get("questionId") for state in told.values()}
    if shown == {asked["questionId"]}:
        return {player for player, state in told.items() if "answered" in state["you"]}
    age_s = life.killed_at - life.began
    assert age_s <= SAFE_S, f"a question of {age_s:.1f} s is gone"
    again = _catch_up(players, told)
    while again["questionId"] != asked["questionId"]:
        assert again["index"] < asked["index"], "the same seed draws the same questions"
        _answer_all(players, again, set())
        again = _next_question(players)
    return set()


def _catch_up(players: list[Player], told: dict[Player, Frame]) -> Frame:
    """The room is from before the question: go on to the next one. Two crashes in a row may have cost two."""
    room = told[players[0]]["room"]
    if room["phase"] == "starting":
        return _asked(players)
    if room["phase"] == "question":
        counted = {player for player, state in told.items() if "answered" in state["you"]}
        _answer_all(players, room["question"], counted)
    return _next_question(players)


def _compare(life: Life, counted: set[Player], tally: Tally) -> None:
    assert counted <= life.accepted.keys(), "an answer counted that was never given"
    ages = {player: life.killed_at - at for player, at in life.accepted.items()}
    safe = {player for player, age in ages.items() if age > SAFE_S}
    assert safe <= counted, f"lost: {[(player.name, ages[player]) for player in safe - counted]}"
    tally.safe += len(safe)
    tally.kept += len(counted)
    tally.lost += len(ages) - len(counted)


def _answer_all(players: list[Player], asked: Frame, counted: set[Player]) -> None:
    """What counted can't be given again, what was lost can; with the last one the question ends."""
    for player in players:
        answer = player.answers(asked)
        if player in counted:
            assert answer["code"] == "ALREADY_ANSWERED"
        else:
            assert answer["type"] == "ANSWER_ACCEPTED", answer
    for player in players:
        assert sum(player.hears("QUESTION_RESULTS")["counts"].values()) == len(players)


def _next_question(players: list[Player]) -> Frame:
    players[0].says("NEXT_QUESTION")
    return _asked(players)


def _asked(players: list[Player]) -> Frame:
    return [player.hears("NEW_QUESTION") for player in players][-1]


def _wait_until(moment: float) -> None:
    Event().wait(max(0.0, moment - time.monotonic()))
