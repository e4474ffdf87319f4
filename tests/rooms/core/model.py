"""A small client: what a page knows of its room, built only from the frames it received (spec 3).

It follows the protocol's words and none of the engine's code, so that "old snapshot + deltas == fresh
snapshot" says something.
"""

from typing import Any

import msgspec

# What is left of a time is different at each look; whether there is a time at all is not.
LEFT = "left"


def on_the_wire(event: msgspec.Struct) -> dict[str, Any]:
    return msgspec.json.decode(msgspec.json.encode(event))  # type: ignore[no-any-return]


def timeless(room: dict[str, Any]) -> dict[str, Any]:
    """A snapshot without the moments at which it was taken."""
    room = dict(room)
    if room.get("nextInMs") is not None:
        room["nextInMs"] = LEFT
    if "question" in room:
        room["question"] = {**room["question"], "remainingMs": LEFT}
    if "results" in room and room["results"]["nextInMs"] is not None:
        room["results"] = {**room["results"], "nextInMs": LEFT}
    return {**room, "members": {member["userId"]: member for member in room["members"]}}


class Screen:
    """One page. ``room`` is None before the first snapshot and after the last word."""

    def __init__(self) -> None:
        self.room: dict[str, Any] | None = None
        self.you: dict[str, Any] | None = None
        self.lagging: list[str] = []
        self.banned: list[str] = []

    def receive(self, event: msgspec.Struct) -> None:
        frame = on_the_wire(event)
        handler = getattr(self, "on_" + frame["type"].lower(), None)
        if handler is not None:
            handler(frame)

    def on_room_joined(self, frame: dict[str, Any]) -> None:
        self.room, self.you = timeless(frame["room"]), frame["you"]
        self.lagging = self.banned = []

    def on_room_state(self, frame: dict[str, Any]) -> None:
        self.room, self.you = timeless(frame["room"]), frame.get("you")
        self.lagging = self.banned = []

    def on_room_closed(self, frame: dict[str, Any]) -> None:
        self.room = None

    def on_kicked(self, frame: dict[str, Any]) -> None:
        self.room = None

    def on_members(self, frame: dict[str, Any]) -> None:
        members = self._room["members"]
        for member in frame["joined"]:
            members[member["userId"]] = member
        for change in frame["updated"]:
            members[change["userId"]].update(change)
        for departure in frame["left"]:
            members.pop(departure["userId"], None)

    def on_host_changed(self, frame: dict[str, Any]) -> None:
        for member in self._room["members"].values():
            member["isHost"] = member["userId"] == frame["userId"]
        self.lagging = self.banned = []

    def on_lagging(self, frame: dict[str, Any]) -> None:
        self.lagging = frame["userIds"]

    def on_bans(self, frame: dict[str, Any]) -> None:
        self.banned = [banned["userId"] for banned in frame["banned"]]

    def on_room_settings(self, frame: dict[str, Any]) -> None:
        self._room["settings"] = frame["settings"]

    def on_game_starting(self, frame: dict[str, Any]) -> None:
        self._show("starting", nextInMs=LEFT)

    def on_new_question(self, frame: dict[str, Any]) -> None:
        self._show("question", question={**frame, "remainingMs": LEFT})

    def on_question_results(self, frame: dict[str, Any]) -> None:
        results = {**frame, "nextInMs": frame["nextInMs"] and LEFT}
        more = {} if results["nextInMs"] is None else {"nextInMs": LEFT}
        self._show("results", question=self._room["question"], results=results, **more)

    def on_game_finished(self, frame: dict[str, Any]) -> None:
        self._show("finished", finished=frame)

    def on_game_stopped(self, frame: dict[str, Any]) -> None:
        self._show("lobby")

    @property
    def _room(self) -> dict[str, Any]:
        assert self.room is not None, "an event before the first snapshot"
        return self.room

    def _show(self, phase: str, **parts: Any) -> None:
        for name in ("nextInMs", "question", "results", "finished"):
            self._room.pop(name, None)
        self._room.update(phase=phase, **parts)
