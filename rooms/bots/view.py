"""What one bot believes, built only from the frames it received. Plain data; no socket, no clock.

`disagreements` compares it with others and with the server's records: on that rests what a swarm proves.
"""

from msgspec import Struct, field

from rooms.bots.room import Frame, RoomView


class BotView(Struct):
    """``points`` are the bot's own by question, ``board`` the final one: (user id, score, rank).

    ``strays`` is where its room was not what a fresh snapshot showed.
    """

    user_id: str = ""
    ticket: dict[str, str] = field(default_factory=dict)
    room: RoomView | None = None
    points: dict[str, int] = field(default_factory=dict)
    total: int = 0
    rank: int = 0
    game_id: str = ""
    board: list[tuple[str, int, int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)

    @property
    def code(self) -> str:
        """What others type to come into its room."""
        return str(self.room.snapshot["roomCode"]) if self.room is not None else ""

    @property
    def phase(self) -> str:
        """Of its room; empty before it has one."""
        return self.room.phase if self.room is not None else ""

    @property
    def scores(self) -> dict[str, int]:
        """Of all members, as the roster tells them."""
        members = self.room.members.values() if self.room is not None else ()
        return {member["userId"]: member["score"] for member in members}

    def has_results(self, questions: int) -> bool:
        """Whether it was told what so many questions brought it."""
        return len(self.points) == questions

    def receive(self, frame: Frame) -> None:
        """Believe one frame."""
        if self.room is not None:
            self.room.receive(frame)
        match frame["type"]:
            case "ROOM_JOINED" | "ROOM_STATE":
                self._enter(frame)
            case "YOUR_RESULT":
                self.points[frame["questionId"]] = frame["points"]
                self.total, self.rank = frame["total"], frame["rank"]
            case "GAME_FINISHED":
                self.game_id = frame["gameId"]
                self.board = [(e["userId"], e["score"], e["rank"]) for e in frame["leaderboard"]]
            case "ERROR":
                self.errors.append(f"{frame['code']}: {frame['message']}")

    def strays_from(self, fresh: RoomView) -> list[str]:
        """Where its room is not what a fresh snapshot shows."""
        differing = self.room.differs_from(fresh) if self.room is not None else ["room"]
        return [f"{self.user_id} sees another {part} in {fresh.phase}" for part in differing]

    def _enter(self, frame: Frame) -> None:
        self.room = RoomView.of(frame["room"])
        self.user_id = frame["you"]["userId"]
        if token := frame.get("reconnectToken"):
            self.ticket = {
                "roomId": frame["room"]["roomId"],
                "playerSeatId": frame["seatId"],
                "reconnectToken": token,
            }


def disagreements(views: list[BotView], recorded: dict[str, int] | None) -> list[str]:
    """What does not fit together in one room: between a bot and itself, between bots, with the record.

    ``recorded`` is the score of each seat as the server stored it; None if the game was not found.
    """
    found = []
    boards = {tuple(view.board) for view in views}
    if len(boards) != 1:
        found.append(f"{len(boards)} different final boards in one room")
    for view in views:
        found.extend(_of_itself(view))
    final = {user_id: score for user_id, score, _ in views[0].board}
    for view in views:
        differing = {user: score for user, score in view.scores.items() if final.get(user, score) != score}
        if differing:
            found.append(f"{view.user_id} sees other scores in the roster than on the board: {differing}")
    if recorded is None:
        found.append(f"the server has no record of game {views[0].game_id!r}")
    elif any(recorded.get(user_id) != score for user_id, score in final.items()):
        found.append(f"the record of game {views[0].game_id!r} has other scores than the players saw")
    return found


def _of_itself(view: BotView) -> list[str]:
    found = [f"{view.user_id} was told {error}" for error in view.errors]
    found.extend(view.strays)
    if sum(view.points.values()) != view.total:
        worth = sum(view.points.values())
        found.append(f"{view.user_id} has {view.total} points from questions worth {worth}")
    own = [(score, rank) for user_id, score, rank in view.board if user_id == view.user_id]
    if own and own != [(view.total, view.rank)]:
        found.append(f"{view.user_id} is {(view.total, view.rank)} by its results, {own[0]} by the board")
    return found
