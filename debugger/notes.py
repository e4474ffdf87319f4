"""What the log says about a frame beyond its type, in a few words. Only reads frames."""

from collections.abc import Iterable, Mapping
from typing import Any

Names = Mapping[str, str]
"""Whose seat an id is."""


def note_of(frame: Mapping[str, Any], names: Names) -> str:
    """A few words about a frame from the server; empty where its type says it all."""
    match frame["type"]:
        case "ERROR":
            action = (frame.get("details") or {}).get("action")
            return f"{frame['code']}, {action}" if action else str(frame["code"])
        case "CONNECTED":
            last = frame.get("lastClose")
            return f"the last socket ended with {last['code']}" if last else ""
        case "NEW_QUESTION":
            return f"{frame['index'] + 1} of {frame['total']}, {frame['durationMs'] // 1000} s"
        case "MEMBERS":
            return _members(frame, names)
        case "HOST_CHANGED":
            return names.get(frame["userId"], "")
        case "LAGGING":
            return _listed(names.get(user_id, "somebody") for user_id in frame["userIds"])
        case "BANS":
            return _listed(banned["name"] for banned in frame["banned"])
        case "ANSWER_PROGRESS":
            return f"{frame['answered']} of {frame['expected']}"
        case "YOUR_RESULT":
            return f"{frame['points']} points, {frame['total']} in all"
        case "ROOM_JOINED" | "ROOM_STATE":
            return f"phase {frame['room']['phase']}, {len(frame['room']['members'])} members"
        case _:
            return ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nobody"


def _members(frame: Mapping[str, Any], names: Names) -> str:
    joined = [f"{member['name']} joined" for member in frame["joined"]]
    updated = [_patch(patch, names) for patch in frame["updated"]]
    left = [f"{_name(change, names)} {change['reason']}" for change in frame["left"]]
    return ", ".join([*joined, *updated, *left])


def _patch(patch: Mapping[str, Any], names: Names) -> str:
    changed = " ".join(f"{field} {value}" for field, value in patch.items() if field != "userId")
    return f"{_name(patch, names)}: {changed}"


def _name(change: Mapping[str, Any], names: Names) -> str:
    return names.get(change["userId"], "somebody")
