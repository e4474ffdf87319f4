"""gateway.testing.check_game: a sound game passes, and each rule notices the game that breaks it."""

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Any

import pytest
from msgspec import Struct

from gateway.admission import hash_token
from gateway.contract import Budget, Claim, ConnId, Figure, FrameClass, Peer, Ticket
from gateway.core.closing import Ending, Treatment
from gateway.testing import FakeSockets, GameCase, check_game
from rooms.core.messages import CreateRoom, RoomJoined
from rooms.core.shapes import Avatar, SettingsPatch
from rooms.service import QuizGame
from rooms.wire import COMMANDS
from tests.toy_game.game import ROOM, Break, Eject, Flood, Guess, Parlour, Said, Say, Seated, Sit

SAMPLES = (Sit("w"), Say("hello"), Flood(2), Eject(), Guess())


def toy_ticket(told: Sequence[Struct]) -> Ticket:
    seat = next(event.seat for event in told if isinstance(event, Seated))
    return Ticket(ROOM, seat, hash_token(seat.removeprefix("seat-")))


class Sound(Parlour):
    """The toy without the command that breaks on purpose."""

    commands = (Sit, Say, Flood, Eject, Guess)

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        super().leave(conn_id, ending, now)
        if ending.treatment is Treatment.GRACE:
            self._seats = {seat_id: seat for seat_id, seat in self._seats.items() if seat.conn_id is not None}


def case(game: type[Parlour], samples: Sequence[Struct] = SAMPLES) -> GameCase:
    return GameCase(game, samples, sit=[Sit("w")], ticket=toy_ticket)


def test_a_sound_game_passes() -> None:
    """The toy, without the command that is there to break."""
    check_game(case(Sound))


def quiz_ticket(told: Sequence[Struct]) -> Ticket:
    joined = next(event for event in told if isinstance(event, RoomJoined))
    return Ticket(joined.room.room_id, joined.seat_id, hash_token(joined.reconnect_token or ""))


def test_the_quiz_passes() -> None:
    """The game that this project ships keeps the contract that it asks of others."""
    values: dict[str, dict[str, Any]] = {
        "CREATE_ROOM": {"name": "Ana"},
        "JOIN_ROOM": {"room_code": "ABC234", "name": "Ana"},
        "WATCH_ROOM": {"room_code": "ABC234"},
        "UPDATE_ROOM_SETTINGS": {"settings": SettingsPatch()},
        "UPDATE_AVATAR": {"avatar": Avatar("fox", 1)},
        "KICK_USER": {"user_id": "x"},
        "UNBAN_USER": {"user_id": "x"},
        "SUBMIT_ANSWER": {"question_id": "q", "choices": ("a",)},
        "SEND_REACTION": {"reaction": "heart"},
    }
    samples = [kind(**values.get(str(kind.__struct_config__.tag), {})) for kind in COMMANDS]
    check_game(GameCase(QuizGame, samples, sit=[CreateRoom(name="Ana")], ticket=quiz_ticket))


# ---------- games that break one rule each


class Loose(Struct, frozen=True, tag_field="type", tag="LOOSE"):
    pass


class Untagged(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="UNTAGGED"):
    pass


class Mutable(Struct, forbid_unknown_fields=True, tag_field="type", tag="MUTABLE"):
    pass


class Twin(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="HEARTBEAT_RESPONSE"):
    pass


class LetsFieldsPass(Sound):
    commands = (*Sound.commands, Loose)


class TagsOtherwise(Sound):
    commands = (*Sound.commands, Untagged)


class HandsOutMutables(Sound):
    commands = (*Sound.commands, Mutable)


class TakesTheGatewaysName(Sound):
    commands = (*Sound.commands, Twin)


class LimitsWhatIsNotThere(Sound):
    limits = MappingProxyType({"SHOUT": (Budget(5, 10),)})


class LeavesNoHeadroom(Sound):
    limits = MappingProxyType({"SAY": (Budget(500, 10),)})


class Waits(Sound):
    async def resync(self, conn_id: ConnId, now: float) -> None:  # type: ignore[override]
        pass


class Breaks(Parlour):
    pass


class BreaksInATimer(Sound):
    def __init__(self, sockets: FakeSockets, clock: Any) -> None:
        super().__init__(sockets, clock)
        clock.call_later(60.0, lambda: {}["seat"])


class ForgetsNobody(Sound):
    """Tells a socket that is gone how the weather is."""

    def __init__(self, sockets: FakeSockets, clock: Any) -> None:
        super().__init__(sockets, clock)
        self._clock = clock

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        super().leave(conn_id, ending, now)
        self._clock.call_later(
            1.0, lambda: self._sockets.send([conn_id], Said("", "sunny"), FrameClass.CRITICAL)
        )


class CannotResyncStrangers(Sound):
    def resync(self, conn_id: ConnId, now: float) -> None:
        self._seat_of(conn_id)


class BreaksWhenDrained(Sound):
    def drain(self, now: float) -> None:
        raise OSError("no disk")


class StopsTwice(Sound):
    def stop(self, done: Callable[[], None]) -> None:
        done()
        done()


class OpensToAnybody(Sound):
    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        return Claim(ROOM, ticket.seat_id, None)


class OpensToWrongTokens(Sound):
    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        seat = self._seats.get(ticket.seat_id)
        return Claim(ROOM, seat.seat_id, seat.conn_id) if seat and seat.account == account else None


class SeesNoForgery(Sound):
    def forged(self, ticket: Ticket) -> str | None:
        return None


class SuspectsEverybody(Sound):
    def forged(self, ticket: Ticket) -> str | None:
        return "user:1"


class FreesWhatHasMovedOn(Sound):
    """Frees the seat by its account instead of by its connection."""

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        account = self._accounts[conn_id]
        super().leave(conn_id, ending, now)
        self._seats = {seat_id: seat for seat_id, seat in self._seats.items() if seat.account != account}


class BindsNobody(Sound):
    def attach(self, peer: Peer, claim: Claim | None, now: float) -> None:
        self._accounts[peer.conn_id] = peer.account


class LeavesTheSeatBehind(Sound):
    def move_account(self, old: str, new: str, now: float) -> None:
        pass


class KeepsTheSeatTwice(Sound):
    """Opens a seat to whoever it ever belonged to."""

    def __init__(self, sockets: FakeSockets, clock: Any) -> None:
        super().__init__(sockets, clock)
        self._became: dict[str, str] = {}

    def move_account(self, old: str, new: str, now: float) -> None:
        super().move_account(old, new, now)
        self._became[old] = new

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        return super().check_claim(ticket, self._became.get(account, account))


class CountsNonsense(Sound):
    def figures(self) -> Iterable[Figure]:  # type: ignore[override]
        return (Figure("parlour seats", "Seats.", "room", {"a": 1}),)


class CountsInfinities(Sound):
    def figures(self) -> Iterable[Figure]:  # type: ignore[override]
        return (Figure("parlour_seats", "Seats.", "room", {"a": float("inf")}),)


BROKEN = {
    LetsFieldsPass: "Loose lets unknown fields pass",
    TagsOtherwise: "Untagged is not tagged by 'type'",
    HandsOutMutables: "Mutable is not frozen",
    TakesTheGatewaysName: "HEARTBEAT_RESPONSE names more than one command",
    LimitsWhatIsNotThere: "SHOUT, which is no command",
    LeavesNoHeadroom: "One busy client may send",
    Waits: "resync is async",
    Breaks: "'samples' holds no BREAK",
    BreaksInATimer: "a timer of the game raises KeyError",
    ForgetsNobody: "still sends to a socket that ended with 1000",
    CannotResyncStrangers: "resync raises a ClientError",
    BreaksWhenDrained: "drain raises OSError",
    StopsTwice: "stop calls done 2 times",
    OpensToAnybody: "opens a seat that does not exist",
    OpensToWrongTokens: "a seat opens to a wrong token",
    SeesNoForgery: "forged does not see a wrong token",
    SuspectsEverybody: "forged takes the right token for a wrong one",
    FreesWhatHasMovedOn: "the late end of a replaced socket frees the seat",
    BindsNobody: "is not bound to it",
    LeavesTheSeatBehind: "leaves the seat to the old account",
    KeepsTheSeatTwice: "copies the seat",
    CountsNonsense: "'parlour seats' is no name for a metric",
    CountsInfinities: "parlour_seats is inf",
}


@pytest.mark.parametrize(("game", "said"), BROKEN.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_game_that_breaks_a_rule_is_told_which(game: type[Parlour], said: str) -> None:
    """In a sentence of its own."""
    with pytest.raises(AssertionError) as caught:
        check_game(case(game))
    assert said in str(caught.value)


def test_a_handler_that_breaks_is_named_with_what_it_raised() -> None:
    """A `ClientError` is an answer, anything else is the game's own fault."""
    with pytest.raises(AssertionError, match="BREAK raises RuntimeError"):
        check_game(case(Breaks, (*SAMPLES, Break())))


def test_all_faults_are_told_at_once() -> None:
    """Whoever writes a game mends them in one go."""

    class Poor(BreaksWhenDrained, CountsNonsense):
        pass

    with pytest.raises(AssertionError) as caught:
        check_game(case(Poor))
    assert str(caught.value).count("\n- ") == 2
