"""What a simulated tab holds of the room: seat, ticket, what it asked for, the question on its screen.

The counterpart of place.js, for one room and one seat. Frames in, frames to send out; when to connect is
decided in ``debugger.client``.
"""

from typing import Any

from msgspec import Struct

from rooms.core.messages import Command, CreateRoom, JoinRoom


class Seat(Struct, frozen=True):
    """The seat that the tab has, or is coming back to."""

    room_id: str
    seat_id: str
    room_code: str


class Shown(Struct):
    """The question on the screen; ``answered`` also if this player is not asked."""

    id: str
    choices: tuple[str, ...]
    since_ms: int
    answered: bool = False


class TabPlace:
    """``entry`` is a wish for a place that was not answered yet."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seat: Seat | None = None
        self.token: str | None = None
        self.entry: Command | None = None
        self.question: Shown | None = None

    @property
    def wanted(self) -> bool:
        """Whether a lost socket is to be replaced."""
        return self.seat is not None or self.entry is not None

    @property
    def ticket(self) -> dict[str, str]:
        """The claim of the upgrade's query, as far as there is one."""
        if self.seat is None or self.token is None:
            return {}
        return {
            "roomId": self.seat.room_id,
            "playerSeatId": self.seat.seat_id,
            "reconnectToken": self.token,
        }

    def ask(self, entry: CreateRoom | JoinRoom) -> None:
        """Want a place."""
        self.entry = entry

    def greeting(self, claimed: bool) -> Command | None:
        """The frame that follows CONNECTED: none if the claim brought the seat, else the wish for it."""
        if claimed and self.token is not None:
            return None
        if self.entry is not None or self.seat is None:
            return self.entry
        return JoinRoom(self.seat.room_code, self.name, resume=self.seat.seat_id)

    def drop_ticket(self) -> None:
        """The ticket is dead; the place is not."""
        self.token = None

    def forget(self) -> None:
        """No way back."""
        self.seat = self.token = self.entry = self.question = None

    def receive(self, frame: dict[str, Any], now_ms: int) -> None:
        """Keep what a frame says about the place and the question."""
        match frame["type"]:
            case "ROOM_JOINED":
                self._joined(frame)
                self._look_at(frame, now_ms)
            case "ROOM_STATE":
                self._look_at(frame, now_ms)
            case "NEW_QUESTION":
                self._show(frame, now_ms)
            case "ANSWER_ACCEPTED" if self.question is not None:
                self.question.answered = True
            case "QUESTION_RESULTS" | "GAME_STOPPED" | "GAME_STARTING":
                self.question = None
            case "KICKED" | "ROOM_CLOSED":
                self.forget()
            case "ERROR" if (frame.get("details") or {}).get("action") in ("CREATE_ROOM", "JOIN_ROOM"):
                self._denied(frame["code"])

    def _joined(self, frame: dict[str, Any]) -> None:
        room = frame["room"]
        self.token = frame.get("reconnectToken", self.token)
        self.seat = Seat(room["roomId"], frame["seatId"], room["roomCode"])
        self.entry = None

    def _denied(self, code: str) -> None:
        self.entry = None
        if code in ("ROOM_NOT_FOUND", "BANNED"):
            self.forget()

    def _look_at(self, frame: dict[str, Any], now_ms: int) -> None:
        """A whole room: the question that runs, unless it is on the screen already."""
        question = frame["room"].get("question")
        if question is None:
            self.question = None
            return
        if self.question is None or self.question.id != question["questionId"]:
            self._show(question, now_ms)
        assert self.question is not None
        you = frame.get("you", {})
        self.question.answered = you.get("answered") is not None or you.get("waits", False)

    def _show(self, question: dict[str, Any], now_ms: int) -> None:
        choices = tuple(choice["id"] for choice in question["choices"])
        self.question = Shown(question["questionId"], choices, now_ms)
