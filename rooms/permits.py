"""Who chooses a question set must be allowed to play it (spec 2.1), and only the database knows.

A command that names a set is looked up aside, and what its connection says meanwhile is held behind it:
whoever changes the settings and starts at once plays what was chosen. The rules of the room are asked
afterwards, as for any command.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from gateway.contract import ClientError, ConnId
from gateway.core.messages import wire_type
from rooms.aside import Aside
from rooms.core.messages import CreateRoom, UpdateRoomSettings
from rooms.core.questions import SetSource
from rooms.core.rules import refusal
from rooms.questions import sets

log = logging.getLogger("rooms")


class Permits:
    """The look-ups of a process. ``obey`` carries a command out, ``tell`` sends the error of a faulty one."""

    def __init__(
        self,
        aside: Aside,
        obey: Callable[[ConnId, Any], None],
        tell: Callable[[ConnId, Any, ClientError], None],
    ) -> None:
        self._aside = aside
        self._obey = obey
        self._tell = tell
        self._held: dict[ConnId, deque[Any]] = {}

    def holds(self, conn_id: ConnId, account: str, command: Any) -> bool:
        """Whether the command waits: for its own look-up, or behind one of the same connection."""
        if conn_id in self._held:
            self._held[conn_id].append(command)
            return True
        source = _chosen(command)
        if source is None:
            return False
        self._aside(
            lambda: sets.may_play(source.id, account),
            lambda may: self._looked_up(conn_id, account, command, _fault(source.id, may)),
        )
        self._held[conn_id] = deque()
        return True

    def forget(self, conn_id: ConnId) -> None:
        """The socket is gone, and with it what it asked for."""
        self._held.pop(conn_id, None)

    def _looked_up(self, conn_id: ConnId, account: str, command: Any, fault: ClientError | None) -> None:
        held = self._held.pop(conn_id, None)
        if held is None:
            return
        self._carry_out(conn_id, command, fault)
        while held:
            command = held.popleft()
            if self.holds(conn_id, account, command):
                self._held[conn_id].extend(held)
                return
            self._carry_out(conn_id, command, None)

    def _carry_out(self, conn_id: ConnId, command: Any, fault: ClientError | None) -> None:
        """As the gateway does: a fault is answered, a client's and ours, and what waits behind it goes on."""
        try:
            if fault is not None:
                raise fault
            self._obey(conn_id, command)
        except ClientError as error:
            self._tell(conn_id, command, error)
        except Exception:
            log.exception("a held command failed", extra={"conn": conn_id, "action": wire_type(command)})
            fault = ClientError("INTERNAL_ERROR", "Something broke on our side.", 500)
            self._tell(conn_id, command, fault)


def _chosen(command: Any) -> SetSource | None:
    """The question set that a command's settings name, if they name one."""
    if not isinstance(command, CreateRoom | UpdateRoomSettings) or command.settings is None:
        return None
    source = command.settings.question_source
    return source if isinstance(source, SetSource) else None


def _fault(set_id: str, may: bool | None) -> ClientError | None:
    if may:
        return None
    text = f"There is no question set {set_id!r} that you may play."
    if may is None:
        text = f"The question set {set_id!r} could not be looked up: try again."
    return refusal("SETTINGS_INVALID", text, path="questionSource")
