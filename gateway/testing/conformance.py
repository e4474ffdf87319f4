"""Does a game keep the contract? `check_game` plays the gateway's part and names each rule that is broken.

Each rule is one function that is given a fresh table with the game at it; it raises `AssertionError` with a
sentence. What a game's own rules are is for its own tests, with the fakes of ``gateway.testing.fakes``.
"""

import inspect
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from gateway.alarm import Clock
from gateway.checks import check_headroom
from gateway.contract import ClientError, ConnId, Game, Peer, Sockets, Ticket
from gateway.core import closing
from gateway.core.closing import Ending
from gateway.core.inbound import InboundPolicy
from gateway.core.messages import wire_type
from gateway.testing.fakes import FakeSockets, VirtualClock
from gateway.wire import GATEWAY_COMMANDS

LONG_S: Final = 24 * 3600.0
"""Longer than any timer that a game may have: none of them may break when it fires."""
ACCOUNT: Final = "user:1"
STRANGER: Final = "user:2"
SIGNED_IN: Final = "user:3"
"""Whom an account becomes."""
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


class GameCase(Struct, frozen=True):
    """A game and what one must say to be in it.

    ``samples`` holds at least one command of each type, ``sit`` those that take a seat from a fresh start.
    ``ticket`` reads from the events that the client was then told what opens its seat again; None if seats
    of this game cannot be taken up again.
    """

    make: Callable[[Sockets, Clock], Game]
    samples: Sequence[Struct]
    sit: Sequence[Struct] = ()
    ticket: Callable[[Sequence[Struct]], Ticket] | None = None


def check_game(case: GameCase) -> None:
    """Raises `AssertionError` with every rule of the contract that the game breaks, one a line."""
    faults = []
    for rule in RULES:
        try:
            rule(case)
        except AssertionError as fault:
            faults.append(f"- {fault}")
    if faults:
        raise AssertionError("\n".join(["the game breaks the gateway's contract:", *faults]))


class Table:
    """A fresh game, and the gateway's part of the contract played by hand."""

    def __init__(self, case: GameCase) -> None:
        self.case = case
        self.clock = VirtualClock()
        self.sockets = FakeSockets()
        self.game = case.make(self.sockets, self.clock)
        self._call("start", self.clock.now())
        self._guests = 0

    def comes(self, account: str = ACCOUNT, ticket: Ticket | None = None) -> ConnId:
        """A socket opens, with the claim that its ticket makes."""
        self._guests += 1
        peer = Peer(f"conn-{self._guests}", account, None)
        claim = None if ticket is None else self.game.check_claim(ticket, account)
        assert ticket is None or claim is not None, "check_claim refuses the ticket of a seat that was held"
        self._call("attach", peer, claim, self.clock.now())
        return peer.conn_id

    def says(self, conn_id: ConnId, command: Struct) -> ClientError | None:
        """A command comes in; anything but a `ClientError` is a broken handler."""
        try:
            self._call("receive", conn_id, command, self.clock.now())
        except ClientError as error:
            return error
        return None

    def sits(self) -> ConnId:
        """A client that has taken a seat as the case says."""
        conn_id = self.comes()
        for command in self.case.sit:
            error = self.says(conn_id, command)
            assert error is None, f"'sit' is refused: {wire_type(command)} gets {error.code} ({error})"
            self.clock.advance(0.0)
        return conn_id

    def goes(self, conn_id: ConnId, ending: Ending) -> None:
        """The socket is over."""
        self._call("leave", conn_id, ending, self.clock.now())
        self.sockets.unbind(conn_id)

    def ticket_of(self, conn_id: ConnId) -> Ticket:
        """What opens the client's seat again."""
        assert self.case.ticket is not None
        return self.case.ticket(self.sockets.told(conn_id))

    def passes(self, seconds: float) -> None:
        """Time goes by, with all timers of the game."""
        try:
            self.clock.advance(seconds)
        except Exception as fault:
            raise AssertionError(f"a timer of the game raises {fault!r}") from fault

    def _call(self, name: str, *args: Any) -> None:
        try:
            waits = getattr(self.game, name)(*args)
        except ClientError:
            assert name == "receive", f"{name} raises a ClientError, which only receive may"
            raise
        except Exception as fault:
            shown = wire_type(args[1]) if name == "receive" else name
            raise AssertionError(f"{shown} raises {fault!r}, which is not a ClientError") from fault
        if inspect.iscoroutine(waits):
            waits.close()
            raise AssertionError(f"{name} is async: it must not wait")


def _commands_are_strict_and_tagged(case: GameCase) -> None:
    for command in Table(case).game.commands:
        config = command.__struct_config__
        assert config.tag_field == "type", f"{command.__name__} is not tagged by 'type'"
        assert config.forbid_unknown_fields, f"{command.__name__} lets unknown fields pass"
        assert config.frozen, f"{command.__name__} is not frozen"


def _no_two_commands_share_a_type(case: GameCase) -> None:
    tags = [_tag(command) for command in (*Table(case).game.commands, *GATEWAY_COMMANDS)]
    shared = sorted({tag for tag in tags if tags.count(tag) > 1})
    assert not shared, f"{', '.join(shared)} names more than one command (the gateway's own included)"


def _every_command_has_a_sample(case: GameCase) -> None:
    missing = {_tag(kind) for kind in Table(case).game.commands} - {wire_type(one) for one in case.samples}
    assert not missing, f"'samples' holds no {', '.join(sorted(missing))}"


def _limits_are_of_commands_and_leave_headroom(case: GameCase) -> None:
    game = Table(case).game
    unknown = set(game.limits) - {_tag(command) for command in game.commands}
    assert not unknown, f"'limits' names {', '.join(sorted(unknown))}, which is no command of the game"
    for fault in check_headroom(game.limits, InboundPolicy()):
        raise AssertionError(fault.msg)


def _a_stranger_may_say_anything(case: GameCase) -> None:
    for sample in case.samples:
        table = Table(case)
        stranger = table.comes(STRANGER)
        table.says(stranger, sample)
        table.passes(LONG_S)


def _a_member_may_say_anything(case: GameCase) -> None:
    for sample in case.samples:
        table = Table(case)
        table.says(table.sits(), sample)
        table.passes(LONG_S)


def _every_sample_survives_the_wire(case: GameCase) -> None:
    for sample in case.samples:
        again = msgspec.json.decode(msgspec.json.encode(sample), type=type(sample))
        assert again == sample, f"{wire_type(sample)} is not the same after it was encoded and decoded"


def _whatever_ends_a_socket_the_game_takes_it(case: GameCase) -> None:
    for ending in (*closing.SERVER_ENDINGS, *closing.CLIENT_ENDINGS, closing.DROPPED):
        table = Table(case)
        seated, stranger = table.sits(), table.comes(STRANGER)
        for gone in (seated, stranger):
            table.goes(gone, ending)
        before = len(table.sockets.sent)
        table.passes(LONG_S)
        late = [sent for sent in table.sockets.sent[before:] if {seated, stranger} & set(sent.conn_ids)]
        assert not late, f"the game still sends to a socket that ended with {ending.code}: {late[0].event}"


def _measuring_and_resyncing_are_welcome_at_any_time(case: GameCase) -> None:
    table = Table(case)
    for conn_id in (table.sits(), table.comes(STRANGER)):
        table._call("measured", conn_id, 0.05)
        table._call("resync", conn_id, table.clock.now())


def _draining_is_survived(case: GameCase) -> None:
    table = Table(case)
    seated = table.sits()
    table._call("drain", table.clock.now())
    table.goes(seated, closing.SERVICE_RESTART)
    stopped: list[bool] = []
    table._call("stop", lambda: stopped.append(True))
    table.passes(LONG_S)
    assert stopped == [True], f"stop calls done {len(stopped)} times, not once"


def _a_ticket_of_nobody_opens_nothing(case: GameCase) -> None:
    table = Table(case)
    table.sits()
    before = len(table.sockets.sent)
    claim = table.game.check_claim(Ticket("no-room", "no-seat", "0" * 64), ACCOUNT)
    assert claim is None, "check_claim opens a seat that does not exist"
    assert len(table.sockets.sent) == before, "check_claim sends: it must touch nothing"


def _a_ticket_opens_its_seat_to_its_own_account_alone(case: GameCase) -> None:
    if case.ticket is None:
        return
    table = Table(case)
    seated = table.sits()
    ticket = table.ticket_of(seated)
    claim = table.game.check_claim(ticket, ACCOUNT)
    assert claim is not None, "check_claim refuses the ticket that the game has just given out"
    assert claim.holder == seated, f"the claim's holder is {claim.holder!r}, the seat is held by {seated!r}"
    assert claim == table.game.check_claim(ticket, ACCOUNT), "check_claim changes what it looks at"
    assert table.game.check_claim(ticket, STRANGER) is None, "a ticket opens its seat to another account"
    forged = msgspec.structs.replace(ticket, token_hash="0" * 64)
    assert table.game.check_claim(forged, ACCOUNT) is None, "a seat opens to a wrong token"
    assert table.game.forged(forged) == ACCOUNT, "forged does not see a wrong token for a seat that is held"
    assert table.game.forged(ticket) is None, "forged takes the right token for a wrong one"


def _a_claim_takes_the_seat_over_and_the_old_socket_frees_nothing(case: GameCase) -> None:
    if case.ticket is None:
        return
    table = Table(case)
    old = table.sits()
    ticket = table.ticket_of(old)
    new = table.comes(ticket=ticket)
    assert new in table.sockets.bound, "a socket that took up its seat is not bound to it"
    table.goes(old, closing.SEAT_ATTACHED_ELSEWHERE)
    claim = table.game.check_claim(ticket, ACCOUNT)
    assert claim is not None, "the late end of a replaced socket frees the seat that has moved on"
    assert claim.holder == new, f"the seat is held by {claim.holder!r}, not by the socket that took it over"


def _a_seat_follows_its_account_when_that_signs_in(case: GameCase) -> None:
    table = Table(case)
    seated = table.sits()
    table._call("move_account", "session:nobody", SIGNED_IN, table.clock.now())
    table._call("move_account", ACCOUNT, SIGNED_IN, table.clock.now())
    table.says(seated, case.samples[0])
    if case.ticket is not None:
        ticket = table.ticket_of(seated)
        claim = table.game.check_claim(ticket, SIGNED_IN)
        assert claim is not None, "move_account leaves the seat to the old account"
        assert table.game.check_claim(ticket, ACCOUNT) is None, "move_account copies the seat"
    table.goes(seated, closing.USER_DISCONNECTED)


def _figures_are_well_formed(case: GameCase) -> None:
    table = Table(case)
    table.sits()
    for figure in table.game.figures():
        for name in (figure.name, figure.label):
            assert NAME.fullmatch(name), f"{name!r} is no name for a metric: use a-z, 0-9 and _"
        for value, number in figure.values.items():
            assert math.isfinite(number), f"{figure.name} is {number} for {value!r}"


def _tag(command: type[Struct]) -> str:
    return str(command.__struct_config__.tag)


RULES: Final[tuple[Callable[[GameCase], None], ...]] = (
    _commands_are_strict_and_tagged,
    _no_two_commands_share_a_type,
    _every_command_has_a_sample,
    _limits_are_of_commands_and_leave_headroom,
    _every_sample_survives_the_wire,
    _a_stranger_may_say_anything,
    _a_member_may_say_anything,
    _whatever_ends_a_socket_the_game_takes_it,
    _measuring_and_resyncing_are_welcome_at_any_time,
    _draining_is_survived,
    _a_ticket_of_nobody_opens_nothing,
    _a_ticket_opens_its_seat_to_its_own_account_alone,
    _a_claim_takes_the_seat_over_and_the_old_socket_frees_nothing,
    _a_seat_follows_its_account_when_that_signs_in,
    _figures_are_well_formed,
)
