"""From a client's command to the room's input: with all that is drawn for it, or measured.

Raw tokens are made here, handed to the one who sends them, and kept by nobody (spec 1.1). Which room is
meant, and what comes of it, is for ``rooms.service``.
"""

from typing import Any, Final

from gateway.admission import hash_token
from gateway.contract import ConnId, Peer
from gateway.draw import Draw
from rooms.core import codes
from rooms.core import effects as fx
from rooms.core.lobby import Lobby
from rooms.core.messages import CreateRoom, JoinRoom, RestartGame, StartGame, SubmitAnswer

TOKEN_BYTES: Final = 32
"""A reconnect token holds 256 random bits (spec 1.1): nobody guesses one, however fast the server answers."""
ID_BYTES: Final = 9
"""72 random bits: no two ids are ever the same, and twelve characters stay short in every frame."""


class Inputs:
    """Makes them. ``lobby`` knows which codes are taken and who is how far away."""

    def __init__(self, draw: Draw, lobby: Lobby) -> None:
        self._draw = draw
        self._lobby = lobby

    def create(self, peer: Peer, command: CreateRoom) -> tuple[fx.Create, str]:
        """The new room with the creator's token."""
        token = self._draw.text(TOKEN_BYTES)
        create = fx.Create(
            peer.conn_id,
            peer.account,
            peer.client_id,
            room_id=self._new_id(),
            room_code=self._free_code(),
            seat_id=self._new_id(),
            token_hash=hash_token(token),
            command=command,
        )
        return create, token

    def join(self, peer: Peer, command: JoinRoom) -> tuple[fx.Join, str]:
        """The join with the token of whatever seat it gets."""
        token = self._draw.text(TOKEN_BYTES)
        join = fx.Join(peer.conn_id, peer.account, peer.client_id, self._new_id(), hash_token(token), command)
        return join, token

    def of(self, conn_id: ConnId, command: Any) -> fx.Input:
        """Any other command."""
        match command:
            case StartGame() | RestartGame():
                return fx.Begin(conn_id, command, game_id=self._new_id(), seed=self._draw.below(2**63))
            case SubmitAnswer():
                return fx.Answer(conn_id, command, self._lobby.rtt_s(conn_id))
            case _:
                return fx.Asked(conn_id, command)

    def _new_id(self) -> str:
        """An id of a room, a seat or a game: random, never reused."""
        return self._draw.text(ID_BYTES)

    def _free_code(self) -> str:
        while (code := codes.from_int(self._draw.below(codes.COUNT))) in self._lobby.codes:
            pass
        return code
