"""A second game on the gateway, as small as one can be: proof that the gateway needs no quiz.

Players sit down with a word, whisper to everybody who sits, and can break the handler on purpose. A seat is
held while its socket lives, or until the gateway says what its end means.
"""

import hmac
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from gateway.admission import hash_token
from gateway.alarm import Clock
from gateway.contract import (
    Budget,
    Claim,
    ClientError,
    ConnId,
    Figure,
    FrameClass,
    Peer,
    Per,
    Sockets,
    Ticket,
)
from gateway.core.closing import KICKED, Ending, Treatment

ROOM = "parlour"


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of what clients say."""


class Sit(Command, tag="SIT"):
    word: str


class Say(Command, tag="SAY"):
    text: str


class Break(Command, tag="BREAK"):
    pass


class Flood(Command, tag="FLOOD"):
    size: int


class Eject(Command, tag="EJECT"):
    pass


class Guess(Command, tag="GUESS"):
    pass


class Seated(Struct, frozen=True, tag_field="type", tag="SEATED"):
    seat: str


class Said(Struct, frozen=True, tag_field="type", tag="SAID"):
    seat: str
    text: str


class Gone(Struct, frozen=True, tag_field="type", tag="GONE"):
    seat: str
    treatment: str


class Seat(Struct):
    seat_id: str
    account: str
    token_hash: str
    conn_id: ConnId | None


class Parlour:
    """Implements `gateway.contract.Game`."""

    commands = (Sit, Say, Break, Flood, Eject, Guess)
    limits = MappingProxyType(
        {"SAY": (Budget(50, 10),), "GUESS": (Budget(2, 60, Per.ADDRESS, charged_on="WRONG"),)}
    )

    def __init__(self, sockets: Sockets, clock: Clock) -> None:
        self._sockets = sockets
        self._seats: dict[str, Seat] = {}
        self._accounts: dict[ConnId, str] = {}

    def check_claim(self, ticket: Ticket, account: str) -> Claim | None:
        seat = self._seats.get(ticket.seat_id)
        if ticket.room_id != ROOM or seat is None or seat.account != account:
            return None
        good = hmac.compare_digest(seat.token_hash, ticket.token_hash)
        return Claim(ROOM, seat.seat_id, seat.conn_id) if good else None

    def forged(self, ticket: Ticket) -> str | None:
        seat = self._seats.get(ticket.seat_id) if ticket.room_id == ROOM else None
        known = seat.token_hash if seat is not None else ""
        right = hmac.compare_digest(known, ticket.token_hash)
        return None if right or seat is None else seat.account

    def attach(self, peer: Peer, claim: Claim | None, now: float) -> None:
        self._accounts[peer.conn_id] = peer.account
        if claim is not None:
            self._seats[claim.seat_id].conn_id = peer.conn_id
            self._sockets.bind(peer.conn_id, claim.seat_id)
            self._sockets.send([peer.conn_id], Seated(claim.seat_id), FrameClass.CRITICAL)

    def receive(self, conn_id: ConnId, command: Any, now: float) -> None:
        match command:
            case Sit(word):
                seat_id = f"seat-{word}"
                # The word is the token: this is a toy.
                self._seats[seat_id] = Seat(seat_id, self._accounts[conn_id], hash_token(word), conn_id)
                self._sockets.bind(conn_id, seat_id)
                self._sockets.send([conn_id], Seated(seat_id), FrameClass.CRITICAL)
            case Say(text):
                seat = self._seat_of(conn_id)
                self._everybody(Said(seat.seat_id, text))
            case Flood(size):
                for _ in range(size):
                    self._everybody(Said("flood", "x" * 1000))
            case Eject():
                self._sockets.close(conn_id, KICKED)
            case Guess():
                raise ClientError("WRONG", "No.", 404)
            case Break():
                raise RuntimeError("broken on purpose")

    def measured(self, conn_id: ConnId, rtt_s: float) -> None:
        """Nothing here depends on speed."""

    def resync(self, conn_id: ConnId, now: float) -> None:
        self._sockets.send([conn_id], Said("", "whole again"), FrameClass.CRITICAL)

    def leave(self, conn_id: ConnId, ending: Ending, now: float) -> None:
        del self._accounts[conn_id]
        for seat in list(self._seats.values()):
            if seat.conn_id != conn_id:
                continue
            seat.conn_id = None
            if ending.treatment is Treatment.EVICT:
                del self._seats[seat.seat_id]
            self._everybody(Gone(seat.seat_id, ending.treatment.value))

    def start(self, now: float) -> None:
        """Nobody sits here longer than the process lives."""

    def move_account(self, old: str, new: str, now: float) -> None:
        self._accounts = {conn: new if who == old else who for conn, who in self._accounts.items()}
        for seat in self._seats.values():
            seat.account = new if seat.account == old else seat.account

    def drain(self, now: float) -> None:
        self._everybody(Said("", "goodbye"))

    def stop(self, done: Callable[[], None]) -> None:
        done()

    def figures(self) -> tuple[Figure, ...]:
        return (Figure("parlour_seats", "Seats taken.", "room", {ROOM: len(self._seats)}),)

    def _seat_of(self, conn_id: ConnId) -> Seat:
        for seat in self._seats.values():
            if seat.conn_id == conn_id:
                return seat
        raise ClientError("NOT_SEATED", "Sit down first.", 403)

    def _everybody(self, event: Struct) -> None:
        sitting = [seat.conn_id for seat in self._seats.values() if seat.conn_id is not None]
        self._sockets.send(sitting, event, FrameClass.CRITICAL)
