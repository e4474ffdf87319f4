"""Games for the tests of records, played by the real engine on a virtual clock."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from rooms.core.questions import Question
from rooms.core.report import GameReport
from tests.rooms.core.kit import Player, Table, questions

ENDED_AT = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
HOST = "session:host"


class Party(Table):
    """A room with its host and players; `plays` takes it through one question after another."""

    def __init__(
        self, *names: str, host: str = HOST, asked: tuple[Question, ...] = (), **settings: Any
    ) -> None:
        super().__init__(asked or questions(3))
        self.people = [self.player(names[0], account=host).creates(**{"host_plays": False, **settings})]
        self.people += [self.player(name).joins() for name in names[1:]]

    def called(self, name: str) -> Player:
        """The player whose name this is."""
        return next(player for player in self.people if player.name == name)

    def starts(self) -> "Party":
        """The host starts, and the countdown runs."""
        self.people[0].starts()
        self.after(3.01)
        return self

    def answers(self, **letters: str) -> "Party":
        """These players take these choices, a second apart; then the question closes and the next begins."""
        for name, taken in letters.items():
            self.after(1.0)
            self.called(name).answers(*taken)
        while self.phase == "question":
            self.after(1.0)
        self.after(5.01)
        return self

    @property
    def report(self) -> GameReport:
        """The newest game that is over."""
        report: GameReport = self.reports[-1]
        return report


def finished(host: str = HOST, game_id: str | None = None) -> GameReport:
    """Three questions, three players: Ben is best, Cleo and Dan share the second place."""
    party = Party("Ana", "Cleo", "Ben", "Dan", host=host, scoring="accuracy").starts()
    party.answers(Ben="a", Cleo="a", Dan="b").answers(Ben="a", Cleo="b", Dan="a").answers(Ben="a")
    return party.report if game_id is None else msgspec.structs.replace(party.report, game_id=game_id)
