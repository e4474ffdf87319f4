"""The game of the bench: what is said comes back to whoever said it, or goes to everybody at the table.

As little of a game as can be measured, on the whole gateway: admission, budgets, sizes, the strict union, the
action's own budget, the outbox. What a real game costs on top is measured with the quiz.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from gateway.alarm import Clock
from gateway.contract import Budget, Claim, ConnId, FrameClass, Peer, Sockets, Ticket
from gateway.core.closing import Ending
from rooms.core.shapes import ReactionId


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of what clients say."""


class Enter(Command, tag="ENTER", frozen=True):
    """Sit down at a table."""

    table: str


class Say(Command, tag="SAY", frozen=True):
    """To everybody at the table."""

    text: str


class React(Command, tag="SEND_REACTION", frozen=True):
    """To oneself."""

    reaction: ReactionId
    seq: int


class Entered(Struct, frozen=True, tag_field="type", tag="ENTERED"):
    """The answer to `Enter`."""

    table: str


class Said(Struct, frozen=True, tag_field="type", tag="SAID"):
    """What somebody said."""

    text: str


class Reacted(Struct, frozen=True, tag_field="type", tag="REACTED"):
    """The answer to `React`."""

    reaction: str
    seq: int


class Table:
    """Implements `gateway.contract.Game`; ``budgets`` are those of each command."""

    commands: tuple[type[Struct], ...] = (Enter, Say, React)

    def __init__(self, sockets: Sockets, clock: Clock, budgets: tuple[Budget, ...]) -> None:
        self.limits: Mapping[str, tuple[Budget, ...]] = {"SAY": budgets, "SEND_REACTION": budgets}
        self._sockets = sockets
        self._tables: dict[str, dict[ConnId, None]] = {}
        self._table_of: dict[ConnId, str] = {}

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        """There are no seats to come back to."""
        return None

    def forged(self, ticket: Ticket) -> str | None:
        """Nor any to forge."""
        return None

    def attach(self, peer: Peer, claim: Claim | None, now: float) -> None:
        """Whoever comes stands."""

    def receive(self, conn_id: ConnId, command: Any, now: float) -> None:
        """Answer or pass on."""
        match command:
            case React():
                self._sockets.send((conn_id,), Reacted(command.reaction, command.seq), FrameClass.CRITICAL)
            case Say():
                table = self._tables.get(self._table_of.get(conn_id, ""), ())
                self._sockets.send(table, Said(command.text), FrameClass.CRITICAL)
            case Enter():
                self._table_of[conn_id] = command.table
                self._tables.setdefault(command.table, {})[conn_id] = None
                self._sockets.send((conn_id,), Entered(command.table), FrameClass.CRITICAL)

    def measured(self, conn_id: ConnId, rtt_s: float) -> None:
        """Nothing here depends on speed."""

    def resync(self, conn_id: ConnId, now: float) -> None:
        """Nothing here is replaced by something newer."""

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        """Nobody is told."""
        table = self._table_of.pop(conn_id, None)
        if table is not None:
            del self._tables[table][conn_id]

    def move_account(self, old: str, new: str, now: float) -> None:
        """Nothing belongs to accounts."""

    def start(self, now: float) -> None:
        """Nothing was left."""

    def drain(self, now: float) -> None:
        """Nobody waits."""

    def stop(self, done: Callable[[], None]) -> None:
        """Nothing is kept."""
        done()

    def figures(self) -> tuple[Any, ...]:
        """The gateway's own numbers are enough."""
        return ()
