"""What one bot believes, built only from the frames it received. Plain data; no socket, no clock.

`disagreements` compares it with others and with the server's records: on that rests what a swarm proves.
"""

from typing import Any

from msgspec import Struct

Frame = dict[str, Any]


class BotView(Struct):
    """``points`` are the bot's own, question by question, ``board`` the final one: (user id, score, rank)."""

    user_id: str = ""
    code: str = ""
    phase: str = ""
    members: dict[str, int] = {}
    points: list[int] = []
    total: int = 0
    rank: int = 0
    game_id: str = ""
    board: list[tuple[str, int, int]] = []
    errors: list[str] = []

    def receive(self, frame: Frame) -> None:
        """Believe one frame."""
        match frame["type"]:
            case "ROOM_JOINED" | "ROOM_STATE":
                self._enter(frame)
            case "MEMBERS":
                self._change_members(frame)
            case "GAME_STARTING" | "NEW_QUESTION" | "QUESTION_RESULTS":
                self.phase = frame["type"]
            case "YOUR_RESULT":
                self.points.append(frame["points"])
                self.total, self.rank = frame["total"], frame["rank"]
            case "GAME_FINISHED":
                self.phase, self.game_id = frame["type"], frame["gameId"]
                self.board = [(e["userId"], e["score"], e["rank"]) for e in frame["leaderboard"]]
            case "ERROR":
                self.errors.append(f"{frame['code']}: {frame['message']}")

    def _enter(self, frame: Frame) -> None:
        self.user_id = frame["you"]["userId"]
        self.code = frame["room"]["roomCode"]
        self.phase = frame["room"]["phase"]
        self.members = {member["userId"]: member["score"] for member in frame["room"]["members"]}

    def _change_members(self, frame: Frame) -> None:
        for member in frame["joined"]:
            self.members[member["userId"]] = member["score"]
        for change in frame["updated"]:
            if "score" in change:
                self.members[change["userId"]] = change["score"]
        for departure in frame["left"]:
            self.members.pop(departure["userId"], None)


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
        differing = {user: score for user, score in view.members.items() if final.get(user, score) != score}
        if differing:
            found.append(f"{view.user_id} sees other scores in the roster than on the board: {differing}")
    if recorded is None:
        found.append(f"the server has no record of game {views[0].game_id!r}")
    elif any(recorded.get(user_id) != score for user_id, score in final.items()):
        found.append(f"the record of game {views[0].game_id!r} has other scores than the players saw")
    return found


def _of_itself(view: BotView) -> list[str]:
    found = [f"{view.user_id} was told {error}" for error in view.errors]
    if sum(view.points) != view.total:
        found.append(f"{view.user_id} has {view.total} points from questions worth {sum(view.points)}")
    own = [(score, rank) for user_id, score, rank in view.board if user_id == view.user_id]
    if own and own != [(view.total, view.rank)]:
        found.append(f"{view.user_id} is {(view.total, view.rank)} by its results, {own[0]} by the board")
    return found
