"""A room as one client knows it: the snapshot it was given, and everything that it was told since (spec 3).

It follows the protocol's words and none of the engine's code, so that it says something when it equals a
fresh snapshot. What a bot knows of itself is in ``rooms.bots.view``.
"""

from typing import Any, Final

from msgspec import Struct

Frame = dict[str, Any]

OF_A_PHASE: Final = ("nextInMs", "question", "results", "finished")
"""What of a snapshot goes with its phase."""


class RoomView(Struct):
    """``snapshot`` is what a fresh one would hold, without what is left of times, its members by their id."""

    snapshot: dict[str, Any]

    @classmethod
    def of(cls, snapshot: dict[str, Any]) -> "RoomView":
        """The room of a ``ROOM_JOINED`` or ``ROOM_STATE``."""
        shown = {name: part for name, part in snapshot.items() if name not in (*OF_A_PHASE, "members")}
        view = cls({**shown, "members": {member["userId"]: {**member} for member in snapshot["members"]}})
        view._show(**{name: snapshot[name] for name in OF_A_PHASE if name in snapshot})
        return view

    @property
    def phase(self) -> str:
        """Where the game is."""
        return str(self.snapshot["phase"])

    @property
    def members(self) -> dict[str, dict[str, Any]]:
        """All who have a seat, by their id."""
        members: dict[str, dict[str, Any]] = self.snapshot["members"]
        return members

    def receive(self, frame: Frame) -> None:
        """Believe what one frame says about the room; most say nothing about it."""
        match frame["type"]:
            case "MEMBERS":
                self._change_members(frame)
            case "HOST_CHANGED":
                for member in self.members.values():
                    member["isHost"] = member["userId"] == frame["userId"]
            case "ROOM_SETTINGS":
                self.snapshot["settings"] = frame["settings"]
            case "GAME_STARTING":
                self._enter("starting", nextInMs=frame["countdownMs"])
            case "NEW_QUESTION":
                self._enter("question", question=frame)
            case "QUESTION_RESULTS":
                self._enter("results", question=self._question(), results=frame, **_clock(frame))
            case "GAME_FINISHED":
                self._enter("finished", finished=frame)
            case "GAME_STOPPED":
                self._enter("lobby")

    def differs_from(self, fresh: "RoomView") -> list[str]:
        """The parts of a snapshot that are not alike; of members also who."""
        names = sorted(self.snapshot.keys() | fresh.snapshot.keys())
        found = [name for name in names if self.snapshot.get(name) != fresh.snapshot.get(name)]
        if "members" not in found:
            return found
        ids = sorted(self.members.keys() | fresh.members.keys())
        who = [user_id for user_id in ids if self.members.get(user_id) != fresh.members.get(user_id)]
        return [name if name != "members" else f"members {', '.join(who)}" for name in found]

    def _question(self) -> Frame:
        """The one that was asked; nothing, and so a difference, if it was missed."""
        question: Frame = self.snapshot.get("question", {})
        return question

    def _change_members(self, frame: Frame) -> None:
        for member in frame["joined"]:
            self.members[member["userId"]] = {**member}
        for change in frame["updated"]:
            self.members.setdefault(change["userId"], {}).update(change)
        for departure in frame["left"]:
            self.members.pop(departure["userId"], None)

    def _enter(self, phase: str, **parts: Any) -> None:
        self.snapshot["phase"] = phase
        for name in OF_A_PHASE:
            self.snapshot.pop(name, None)
        self._show(**parts)

    def _show(self, **parts: Any) -> None:
        """What is left of a time differs at each look; whether there is one does not."""
        if "nextInMs" in parts:
            parts["nextInMs"] = True
        if "question" in parts:
            parts["question"] = {**parts["question"], "remainingMs": True}
        if "results" in parts:
            results = parts["results"]
            parts["results"] = {**results, "nextInMs": results["nextInMs"] is not None}
        self.snapshot.update(parts)


def _clock(results: Frame) -> dict[str, Any]:
    """Results that only the host moves on from have none."""
    return {} if results["nextInMs"] is None else {"nextInMs": results["nextInMs"]}
